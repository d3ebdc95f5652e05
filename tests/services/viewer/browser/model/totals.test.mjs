import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Totals } from "../../../../../services/viewer/browser/model/totals.js";
import { collection } from "../collections.mjs";

const SOURCE = { name: "source", type: "string" };
const CATEGORY = { name: "category", type: "string" };
const COLOR = ["match", ["get", "category"], "C1", "#ff0000", "#8d99a5"];
const C2 = { label: "C2", color: "#00ff00", values: ["C2"] };
const STYLE = {
  metadata: { "dams:legend": [{ title: "Category", properties: ["category"], classes: [{ label: "C1", color: "#ff0000", values: ["C1"] }, C2] }] },
  layers: [{ id: "x", type: "line", metadata: { "dams:collection": "storms" }, paint: { "line-color": COLOR } }],
};
let asked, facets;

beforeEach(() => {
  asked = [];
  facets = { source: { buckets: [{ value: "IBTrACS", count: 5 }, { value: "simulated", count: 2 }], more: false, nulls: 0 }, category: { buckets: [{ value: "C1", count: 4 }], more: false, nulls: 3 } };
  globalThis.fetch = async (url) => {
    asked.push(decodeURIComponent(String(url)));
    if (!url.includes("/facets")) return new Response(JSON.stringify({ features: [], numberMatched: url.includes("source=") ? 4 : 9 }));
    return facets ? new Response(JSON.stringify({ numberMatched: 7, facets })) : new Response('{"detail": "no"}', { status: 503 });
  };
});

test("one request tells number, simulated ones, classes and those without one, until the data change", async () => {
  const totals = new Totals();
  const storms = collection("storms", { columns: [SOURCE, CATEGORY] });
  const [first, again] = await Promise.all([totals.of(storms, STYLE), totals.of(storms, STYLE)]);
  assert.deepEqual(first, { features: 7, simulated: 2, absent: [C2], unclassed: true });
  assert.equal(first, again);
  assert.deepEqual(asked, ["/collections/storms/facets?facets=category:term:100,source:100&f=json"]);
  totals.forget("storms");
  facets.source.buckets.pop();
  facets.category.nulls = 0;
  assert.deepEqual(await totals.of(storms, STYLE), { features: 7, simulated: 0, absent: [C2], unclassed: false });
});

test("of several properties one that is never empty tells that nothing is without a class", async () => {
  const style = structuredClone(STYLE);
  style.layers[0].paint["line-color"][1] = ["coalesce", ["get", "category"], ["get", "wind"]];
  const storms = collection("storms", { columns: [CATEGORY, { name: "wind", type: "number" }] });
  facets.wind = { buckets: [], more: false, nulls: 0 };
  assert.deepEqual(await new Totals().of(storms, style), { features: 7, simulated: 0, absent: [], unclassed: false });
  assert.deepEqual(asked, ["/collections/storms/facets?facets=category:term:100,wind:1&f=json"]);
  facets.wind.nulls = 2;
  asked.length = 0;
  assert.equal((await new Totals().of(storms, style)).unclassed, true);
  assert.match(asked[1], /filter=category\+IS\+NULL\+AND\+wind\+IS\+NULL/);
});

test("among more sources than are listed the simulated ones are counted by themselves", async () => {
  facets.source = { buckets: [{ value: "IBTrACS", count: 5 }], more: true, nulls: 0 };
  assert.equal((await new Totals().of(collection("storms", { columns: [SOURCE] }), STYLE)).simulated, 4);
});

test("where nothing can be told by facets, features are counted", async () => {
  assert.deepEqual(await new Totals().of(collection("plain"), undefined), { features: 9, simulated: 0, absent: [], unclassed: false });
  // a number may be called so, too
  assert.equal((await new Totals().of(collection("numbers", { columns: [{ ...SOURCE, type: "number" }] }), undefined)).simulated, 0);
  facets = null;
  assert.deepEqual(await new Totals().of(collection("storms", { columns: [SOURCE] }), STYLE), { features: 9, simulated: 4, absent: [], unclassed: false });
});

test("what failed is asked for again", async () => {
  const totals = new Totals();
  const answer = globalThis.fetch;
  globalThis.fetch = async () => new Response("", { status: 503 });
  await assert.rejects(totals.of(collection("plain"), undefined), /503/);
  globalThis.fetch = answer;
  assert.equal((await totals.of(collection("plain"), undefined)).features, 9);
});
