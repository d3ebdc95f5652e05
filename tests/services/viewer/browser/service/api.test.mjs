import assert from "node:assert/strict";
import { test } from "node:test";

import { address, ApiError, collectionPath, count, getItems, getJson, isAbort, itemAddress, messageOf, setBase, setPast } from "../../../../../services/viewer/browser/service/api.js";

test("addresses begin with the base and carry what is given", () => {
  setBase("https://example.org/api");
  assert.equal(address("/map"), "https://example.org/api/map");
  assert.equal(address("/x", { a: "1 & 2", b: null, c: undefined, d: "", e: 0, f: false }), "https://example.org/api/x?a=1+%26+2&e=0&f=false");
  assert.equal(collectionPath("a b/c"), "/collections/a%20b%2Fc");
  assert.equal(itemAddress("a", "x/1", "html"), "https://example.org/api/collections/a/items/x%2F1?f=html");
  setPast(() => "2020-01-02T00:00:00Z");
  assert.equal(itemAddress("a", 1, "geojson"), "https://example.org/api/collections/a/items/1?asOf=2020-01-02T00%3A00%3A00Z&f=geojson");
  setPast(() => null);
});

test("links to pages keep the language that was chosen, and no others have it", () => {
  setBase("");
  globalThis.location = { search: "?lang=ar" };
  assert.deepEqual([address("/x", { f: "html" }), address("/x", { f: "json" }), address("/x")], ["/x?f=html&lang=ar", "/x?f=json", "/x"]);
  globalThis.location = { search: "" };
  assert.equal(address("/x", { f: "html" }), "/x?f=html");
});

test("items are asked for as GeoJSON, and counted without any", async () => {
  const asked = [];
  globalThis.fetch = async (url) => {
    asked.push(String(url));
    return new Response(JSON.stringify({ features: [], numberMatched: asked.length === 1 ? 5 : undefined }));
  };
  assert.equal(await count("a", { filter: "x" }), 5);
  assert.equal(await count("a"), null);
  await getItems("a", { limit: 3 });
  assert.deepEqual(asked.map((url) => url.split("?")[1]), ["limit=0&filter=x&f=geojson", "limit=0&f=geojson", "limit=3&f=geojson"]);
});

test("faults are sentences", async () => {
  const failing = async (body, status) => {
    globalThis.fetch = async () => new Response(body, { status });
    return getJson("https://example.org").then(() => null, (error) => (error instanceof ApiError ? error.message : error));
  };
  assert.equal(await failing('{"detail": [{"msg": "a"}, {"msg": "b"}]}', 422), "a; b");
  assert.equal(await failing('{"detail": "There is none."}', 404), "There is none.");
  assert.equal(await failing("<html>", 502), "The service answered with status 502.");
  assert.equal(await failing("<html>", 200), "The service's answer cannot be read.");
  globalThis.fetch = async () => { throw new TypeError("network"); };
  await assert.rejects(getJson("https://example.org"), { message: "The service cannot be reached." });
  const abort = new DOMException("stopped", "AbortError");
  globalThis.fetch = async () => { throw abort; };
  await assert.rejects(getJson("https://example.org"), (error) => isAbort(error));
  globalThis.fetch = async () => ({ ok: true, json: async () => { throw abort; } });
  await assert.rejects(getJson("https://example.org"), (error) => isAbort(error));
  assert.deepEqual([messageOf(new Error("a")), messageOf("b"), messageOf(new Error(""))], ["a", "b", "Error"]);
});
