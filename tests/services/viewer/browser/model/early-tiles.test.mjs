// The first tiles, which are requested before the library is there.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { earlyAddresses, requestEarly } from "../../../../../services/viewer/browser/model/early-tiles.js";
import { Explorer } from "../../../../../services/viewer/browser/model/explorer.js";
import { collection } from "../collections.mjs";

const TIMED = { time: { column: "at", lasts: true } };
const BASEMAP = { type: "vector", tiles: ["/basemap/{z}/{y}/{x}.mvt"] };
const PART = (id) => ({ metadata: { "dams:collection": id }, source: { type: "vector", tiles: [`/${id}/{z}/{x}/{y}?v=1`] } });
const LAYER = (id, source) => ({ id: `${id}:points`, type: "circle", source, metadata: { "dams:collection": id } });
const inView = () => [[3, 5, 2]];
let explorer, asked, answer;

beforeEach(() => {
  asked = [];
  answer = async () => new Response("");
  globalThis.fetch = async (url) => {
    asked.push(String(url));
    if (!String(url).includes("style.json")) return answer(url);
    const several = new URL(url, "http://map.example").searchParams.has("collections");
    const style = several
      ? {
          metadata: { "dams:styles": [PART("floods"), PART("alerts")] },
          sources: { basemap: BASEMAP, dataset: { type: "vector", tiles: ["/tiles/{z}/{x}/{y}?v=9"] } },
          layers: [LAYER("floods", "dataset"), LAYER("alerts", "dataset")],
        }
      : { ...PART("floods"), sources: { basemap: BASEMAP, floods: PART("floods").source }, layers: [LAYER("floods", "floods")] };
    return new Response(JSON.stringify(style));
  };
  explorer = new Explorer({
    collections: [collection("floods", TIMED), collection("alerts", TIMED), collection("table", { geometryType: null })],
    tileMatrixSet: "WebMercatorQuad",
    styleParameters: () => ({}),
  });
});

const addresses = async (state, ids) => {
  explorer.prepare(ids);
  return (await earlyAddresses(explorer, state, ids, inView)).map(decodeURIComponent);
};

test("collections that are drawn together have one tile for a place, before that of the basemap", async () => {
  assert.deepEqual(await addresses({ c: "floods,alerts", t: "2026-10-30/..", theme: "dark" }, ["floods", "alerts"]), [
    "/tiles/3/5/2?v=9&datetime=2026-10-30/..&style-only=true",
    "/basemap/3/2/5.mvt",
  ]);
});

test("a filtered collection has its own tiles", async () => {
  assert.deepEqual(await addresses({ "f.floods": "severity > 1" }, ["floods", "alerts", "table"]), [
    "/floods/3/5/2?v=1&filter=severity > 1&style-only=true",
    "/alerts/3/5/2?v=1&style-only=true",
    "/basemap/3/2/5.mvt",
  ]);
});

test("they are the tiles that the map requests", async () => {
  const drawn = [];
  explorer.attach(new Proxy({ asked: undefined }, { get: (own, name) => (name in own ? own[name] : (...values) => drawn.push([name, ...values])) }));
  const early = await addresses({ t: "2026-10-30/.." }, ["floods", "alerts"]);
  explorer.setDatetime("2026-10-30/..");
  await explorer.showAll(["floods", "alerts"]);
  const [, , template] = drawn.find(([name]) => name === "addTogether");
  assert.equal(early[0], decodeURIComponent(template.replace("{z}", "3").replace("{x}", "5").replace("{y}", "2")));
});

test("a state that says more than a style tells requests none, and a faulty time is no time", async () => {
  for (const name of ["a", "e", "id", "q", "follow", "p"]) assert.deepEqual(await addresses({ [name]: "x" }, ["floods"]), []);
  assert.deepEqual((await addresses({ t: "nonsense" }, ["floods"]))[0], "/floods/3/5/2?v=1&style-only=true");
});

test("what fails is requested again by the map itself", async () => {
  const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
  answer = async (url) => (url.startsWith("/basemap/") ? Promise.reject(new TypeError("offline")) : new Response(""));
  const early = requestEarly(explorer, {}, ["floods"], inView);
  await settled();
  assert.deepEqual([...early], ["/floods/3/5/2?v=1&style-only=true"]);
  assert.equal(asked.filter((url) => url.startsWith("/basemap/")).length, 1);
  globalThis.fetch = async () => new Response("{}", { status: 503 });
  const none = requestEarly(new Explorer({ collections: [collection("floods")], tileMatrixSet: "X", styleParameters: () => ({}) }), {}, ["floods"], inView);
  await settled();
  assert.deepEqual([...none], []);
});
