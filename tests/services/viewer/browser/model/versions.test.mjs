import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Versions } from "../../../../../services/viewer/browser/model/versions.js";

let asked, layers, status;

beforeEach(() => {
  asked = [];
  status = 200;
  layers = [{ id: "a", "dams:version": "1" }, { id: "b,c", "dams:version": "1" }, { id: "function" }];
  globalThis.fetch = async (url, { headers }) => {
    asked.push([decodeURIComponent(String(url)), headers["If-None-Match"]]);
    const body = JSON.stringify({ vector_layers: layers });
    if (status === 200 && headers["If-None-Match"] === body) return new Response(null, { status: 304 });
    return new Response(body, { status, headers: { ETag: body } });
  };
});

test("one request tells which collections have changed", async () => {
  const versions = new Versions("WebMercatorQuad");
  const ids = ["a", "b,c", "function"];
  assert.equal((await versions.changed(ids)).size, 0);
  assert.ok(versions.knows("a") && !versions.knows("other"));
  assert.equal((await versions.changed(ids)).size, 0);
  layers = [{ id: "a", "dams:version": "2" }, { id: "b,c" }, { id: "function" }];
  assert.deepEqual([...(await versions.changed(ids))], [["a", "2"]]);
  // a version that was unknown for a moment has not changed
  layers = [{ id: "a", "dams:version": "2" }, { id: "b,c", "dams:version": "1" }, { id: "function" }];
  assert.equal((await versions.changed(ids)).size, 0);
  assert.equal(asked.length, 4);
  assert.deepEqual(asked.map(([url]) => url)[0], "/tiles/WebMercatorQuad/tilejson.json?collections=a,b%2Cc,function");
  assert.notEqual(asked[1][1], undefined);
});

test("more collections than one document has are asked for in turns, and a fault is told", async () => {
  const versions = new Versions("WebMercatorQuad");
  await versions.changed(Array.from({ length: 40 }, (_, at) => `c${at}`));
  assert.deepEqual(asked.map(([url]) => url.split(/[=,]/).length - 1), [32, 8]);
  assert.match(asked[1][0], /=c32,.*,c39$/);
  status = 503;
  await assert.rejects(versions.changed(["a"]), /503/);
});
