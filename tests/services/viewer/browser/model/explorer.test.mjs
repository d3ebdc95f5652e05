import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Explorer } from "../../../../../services/viewer/browser/model/explorer.js";
import { collection } from "../collections.mjs";

const EVENT = { eventKey: "event_id" };
let explorer, calls, heard, answers;

/** An engine that records its calls; it has no tiles to wait for. */
const engine = (own = { asked: undefined }) =>
  new Proxy(own, { get: (_, name) => (name in own ? own[name] : (...values) => calls.push([name, ...values.filter((value) => typeof value !== "function")])) });

beforeEach(() => {
  calls = [];
  heard = [];
  answers = [];
  globalThis.fetch = async (url) => {
    answers.push(decodeURIComponent(String(url)));
    const body = url.includes("style.json") ? { metadata: { "dams:collection": "x" }, layers: [] } : { features: [], numberMatched: 7 };
    return url.includes("refused") ? new Response('{"detail": "no"}', { status: 422 }) : new Response(JSON.stringify(body));
  };
  explorer = new Explorer({
    collections: [
      collection("floods", { ...EVENT, time: { column: "at", lasts: true } }),
      collection("gauges", { ...EVENT, time: { column: "seen", lasts: false } }),
      collection("other", { ...EVENT, group: "Storms" }),
      collection("plain"),
    ],
    tileMatrixSet: "WebMercatorQuad",
    styleParameters: (id) => (id === "floods" ? { minzoom: 2 } : {}),
  });
  explorer.attach(engine());
  for (const name of ["shown", "subject", "query", "data"]) explorer.addEventListener(name, () => heard.push(name));
  calls.length = 0;
});

test("features that last are asked for without a column of time", () => {
  explorer.setDatetime("2020-01-01/2020-01-02");
  assert.deepEqual(explorer.parameters("floods"), { datetime: "2020-01-01/2020-01-02", "datetime-column": null, filter: null });
  assert.deepEqual(explorer.parameters("gauges"), { datetime: "2020-01-01/2020-01-02", "datetime-column": "seen", filter: null });
  assert.deepEqual(explorer.parameters("plain"), { datetime: null, "datetime-column": null, filter: null });
});

test("a past time is asked of the collections that recorded it", async () => {
  const recorded = explorer.collection("floods");
  recorded.history = { since: "2026-01-01T00:00:00Z" };
  await explorer.show("floods");
  await explorer.show("plain");
  heard.length = calls.length = 0;
  explorer.setAsOf("2026-01-02T00:00:00Z");
  explorer.setAsOf("2026-01-02T00:00:00Z");
  assert.deepEqual(heard, ["data", "query"]);
  assert.deepEqual(calls.map(([, id, { asOf }]) => [id, asOf]), [["floods", "2026-01-02T00:00:00Z"], ["plain", undefined]]);
  assert.equal(explorer.isPlain("floods"), false);
  explorer.setAsOf("2025-12-31T00:00:00Z");
  assert.equal(explorer.pastOf("floods"), null, "before the record");
  explorer.setAsOf(null);
  assert.deepEqual([explorer.parameters("floods").asOf, explorer.isPlain("gauges")], [undefined, true]);
});

test("a search narrows what is drawn as a filter does, and is no filter", async () => {
  await explorer.show("floods");
  explorer.setFilter("floods", "a = 1");
  explorer.setSearch("floods", "b = 2 OR c = 3");
  assert.deepEqual(calls.at(-1), ["setParameters", "floods", { datetime: null, "datetime-column": null, filter: "(a = 1) AND (b = 2 OR c = 3)" }]);
  assert.equal(explorer.parameters("floods", { searched: false }).filter, "a = 1");
  assert.deepEqual([...explorer.filters], [["floods", "a = 1"]]);
  explorer.setFilter("floods", null);
  assert.equal(explorer.parameters("floods").filter, "b = 2 OR c = 3");
  explorer.hide("floods");
  assert.equal(explorer.parameters("floods").filter, null);
});

test("an area selects of all collections that have a geometry, by the column of each", async () => {
  explorer.collection("floods").geometryColumn = "geom";
  explorer.collection("gauges").geometryColumn = "the place";
  explorer.setFilter("floods", "a = 1 OR b = 2");
  await explorer.show("floods");
  heard.length = 0;
  explorer.setArea({ kind: "box", box: [1, 2, 3, 4] });
  explorer.setArea({ kind: "box", box: [1, 2, 3, 4] });
  assert.deepEqual(heard, ["query"]);
  assert.equal(calls.at(-1)[2].filter, "(a = 1 OR b = 2) AND (S_INTERSECTS(geom, BBOX(1, 2, 3, 4)))");
  assert.equal(explorer.parameters("gauges").filter, 'S_INTERSECTS("the place", BBOX(1, 2, 3, 4))');
  assert.equal(explorer.parameters("plain").filter, null);
  explorer.setArea(null);
  assert.equal(calls.at(-1)[2].filter, "a = 1 OR b = 2");
});

test("what is shown is drawn once, with what selects it", async () => {
  explorer.setFilter("floods", "a = 1");
  await Promise.all([explorer.show("floods"), explorer.show("floods")]);
  await explorer.show("floods");
  assert.deepEqual(calls.map(([name, , parameters]) => [name, parameters]), [["add", { datetime: null, "datetime-column": null, filter: "a = 1" }]]);
  assert.deepEqual(answers, ["/collections/floods/tiles/WebMercatorQuad/style.json?minzoom=2"]);
  assert.deepEqual(heard, ["query", "subject", "shown"]);
  assert.equal(explorer.subject, "floods");
});

test("what is hidden loses its filter, and another is the subject", async () => {
  await explorer.show("floods");
  await explorer.show("gauges");
  explorer.setFilter("floods", "a = 1");
  explorer.hide("floods");
  assert.deepEqual([explorer.subject, explorer.filters.size, [...explorer.shown.keys()]], ["gauges", 0, ["gauges"]]);
  assert.deepEqual(calls.at(-1), ["remove", "floods"]);
  explorer.hide("gauges");
  assert.equal(explorer.subject, null);
  heard.length = 0;
  explorer.hide("gauges");
  assert.deepEqual(heard, []);
});

test("a change that is none is not announced", async () => {
  await explorer.show("floods");
  heard.length = calls.length = 0;
  explorer.setDatetime(null);
  explorer.setFilter("floods", null);
  explorer.setSubject("floods");
  assert.deepEqual([heard, calls], [[], []]);
  explorer.setDatetime("2020-01-01/..");
  explorer.setFilter("floods", "a = 1");
  explorer.setFilter("plain", "a = 1");
  assert.deepEqual(heard, ["query", "query", "query"]);
  assert.deepEqual(calls.map(([name, id]) => [name, id]), [["setParameters", "floods"], ["setParameters", "floods"]]);
});

test("a filter is taken once the service has taken it", async () => {
  assert.equal(await explorer.filter("plain", "a = 1"), 7);
  assert.equal(explorer.filters.get("plain"), "a = 1");
  assert.match(answers[0], /^\/collections\/plain\/items\?limit=0&filter=a\+=\+1&f=geojson$/);
  await assert.rejects(explorer.filter("plain", "refused"), /^Error: no$/);
  assert.equal(explorer.filters.get("plain"), "a = 1");
});

test("an event is that of all collections about it", () => {
  assert.deepEqual(explorer.siblings("floods").map(({ id }) => id), ["gauges"]);
  assert.deepEqual(explorer.siblings("plain"), []);
  explorer.setEvents("floods", ["F1"]);
  assert.equal(explorer.parameters("gauges").event_id, "F1");
  assert.equal("event_id" in explorer.parameters("other"), false);
  explorer.setEvents("floods", ["F1", "it's"]);
  assert.deepEqual([explorer.parameters("gauges").filter, "event_id" in explorer.parameters("gauges")], ["event_id IN ('F1','it''s')", false]);
  explorer.setEvents("gauges", []);
  assert.equal(explorer.events.size, 0);
});

test("a style is asked for once, and what is shown already is not asked for again", async () => {
  await Promise.all([explorer.style("floods"), explorer.style("floods")]);
  await explorer.showAll(["floods"]);
  await explorer.showAll(["floods"]);
  assert.deepEqual([answers.length, calls.map(([name]) => name), heard], [1, ["add"], ["subject", "shown"]]);
});

test("a style that failed is asked for again", async () => {
  globalThis.fetch = async () => new Response("", { status: 503 });
  await assert.rejects(explorer.style("floods"), /status 503/);
  globalThis.fetch = async () => new Response('{"layers": [], "metadata": {}}');
  assert.deepEqual(await explorer.style("floods"), { layers: [], metadata: {} });
});

test("of which version of the data a style is, is remembered", async () => {
  globalThis.fetch = async () => new Response('{"layers": [], "metadata": {"dams:version": "7"}}');
  await explorer.style("gauges");
  assert.deepEqual([...explorer.styles.versions], [["gauges", "7"]]);
});

test("changed data are drawn anew where they are shown", async () => {
  await explorer.show("floods");
  calls.length = heard.length = 0;
  let detail = null;
  explorer.on("data", (id) => (detail = id));
  explorer.renew(new Map([["floods", "2"], ["plain", undefined]]));
  assert.deepEqual([calls, heard, detail], [[["renew", "floods", "2"]], ["data", "data"], "plain"]);
});

/** A style of several collections, as the service has it; each has a layer. */
function severalStyles(ids) {
  const layer = (id) => ({ id: `${id}:fill`, type: "fill", source: "dataset", metadata: { "dams:collection": id } });
  return {
    metadata: {
      "dams:styles": ids.map((id) => ({
        metadata: { "dams:collection": id, "dams:version": `${id}-1` },
        source: { tiles: [`/${id}/{z}?v=1`] },
      })),
    },
    sources: { basemap: {}, dataset: { tiles: [`/several?collections=${ids}&v=1`] } },
    layers: [{ id: "sea", type: "background" }, ...ids.map(layer), { id: "names", type: "symbol" }],
  };
}

test("legend, list and timeline hear of collections when their first tiles have been asked for", async () => {
  let ask;
  const asked = new Promise((resolve) => (ask = resolve));
  explorer.attach(engine({ asked: () => asked }));
  const showing = explorer.showAll(["floods"]);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([calls.at(-1)[0], heard, explorer.subject], ["add", [], null]);
  ask();
  await showing;
  assert.deepEqual([heard, explorer.subject], [["subject", "shown"], "floods"]);
});

test("the styles of several collections are one request, which tells their tiles and versions, too", async () => {
  globalThis.fetch = async (url) => {
    answers.push(decodeURIComponent(String(url)));
    return new Response(JSON.stringify(severalStyles(["gauges", "other", "plain"])));
  };
  for (const id of ["gauges", "other", "plain"]) explorer.collection(id).geometryType = "Polygon";
  await explorer.showAll(["gauges", "other", "plain"]);
  assert.deepEqual(answers, ["/tiles/WebMercatorQuad/style.json?collections=gauges,other,plain"]);
  const style = await explorer.style("other");
  assert.deepEqual(style.metadata, { "dams:collection": "other", "dams:version": "other-1" });
  assert.deepEqual(style.sources, { basemap: {}, other: { tiles: ["/other/{z}?v=1"] } });
  assert.deepEqual(style.layers.map(({ id, source }) => [id, source]), [["sea", undefined], ["other:fill", "other"], ["names", undefined]]);
  assert.deepEqual(calls.map(([name, , template]) => [name, template]), [["addTogether", "/several?collections=gauges,other,plain&v=1&style-only=true"]]);
  assert.equal(explorer.styles.templateOf(["gauges", "other", "plain"]), "/several?collections=gauges,other,plain&v=1");
  explorer.renew(new Map([["other", "other-2"]]));
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(explorer.styles.templateOf(["gauges", "other", "plain"]), null);
  assert.deepEqual([...explorer.styles.versions], [["gauges", "gauges-1"], ["other", "other-1"], ["plain", "plain-1"]]);
});

/**
 * Answers with styles of one collection with versions, and with TileJSON whose template names the requested
 * collections.
 */
function answerWithTiles() {
  let edition = 0;
  globalThis.fetch = async (url) => {
    answers.push(decodeURIComponent(String(url)));
    if (url.includes("/tiles/WebMercatorQuad/style.json?collections=")) return new Response("", { status: 503 });
    const [, id] = /collections\/(\w+)\//.exec(url) ?? [];
    if (id) return new Response(JSON.stringify({ metadata: { "dams:collection": id }, layers: [], sources: { [id]: { tiles: [`/${id}/{z}?v=1`] } } }));
    return new Response(JSON.stringify({ tiles: [`/tiles?${decodeURIComponent(String(url)).split("?")[1]}&v=${(edition += 1)}`] }));
  };
}

test("collections that are asked for alike are drawn from the same tiles", async () => {
  answerWithTiles();
  explorer.setFilter("other", "a = 1");
  await explorer.showAll(["floods", "gauges", "other", "plain"]);
  // floods has parameters of its own on this page, gauges and plain differ in nothing
  assert.deepEqual(calls.map(([name, of]) => [name, Array.isArray(of) ? of.map((style) => style.metadata["dams:collection"]) : of.metadata["dams:collection"]]), [
    ["addTogether", ["gauges", "plain"]],
    ["add", "floods"],
    ["add", "other"],
  ]);
  assert.equal(calls[0][2], "/tiles?collections=gauges,plain&v=1&style-only=true");
  assert.deepEqual([[...explorer.shown.keys()], explorer.subject], [["floods", "gauges", "other", "plain"], "floods"]);
  calls.length = 0;
  // after a change of one collection, it is drawn from its own tiles, and the others still share theirs
  explorer.setFilter("plain", "b = 2");
  assert.deepEqual(calls.map(([name, of]) => [name, typeof of === "string" ? of : of.metadata["dams:collection"]]), [["remove", "plain"], ["add", "plain"]]);
  assert.deepEqual(explorer.together.ids, ["gauges"]);
});

test("time moves in one request for those that are drawn together, but for a column of time of one's own", async () => {
  answerWithTiles();
  for (const id of ["floods", "gauges", "other"]) explorer.collection(id).time = { column: "at", lasts: false, usual: id !== "gauges" };
  explorer.styleParameters = () => ({});
  await explorer.showAll(["floods", "gauges", "other", "plain"]);
  calls.length = 0;
  explorer.setDatetime("2020-01-01/..");
  assert.deepEqual(calls.map(([name, of]) => [name, of]), [
    ["remove", "gauges"],
    ["add", calls[1][1]],
    ["setTogether", "/tiles?collections=floods,gauges,other,plain&v=1&datetime=2020-01-01%2F..&style-only=true"],
  ]);
  assert.deepEqual(calls[1][2]["datetime-column"], "at");
  explorer.renew(new Map([["other", "9"]]));
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(calls.at(-1)[1], "/tiles?collections=floods,other,plain&v=2&datetime=2020-01-01%2F..&style-only=true");
});

test("a new version of one is one change of the tiles of all; a fault lets each go its own way", async () => {
  answerWithTiles();
  explorer.styleParameters = () => ({});
  await explorer.showAll(["floods", "gauges", "plain"]);
  calls.length = 0;
  // a change of one is enough, whatever else has changed
  explorer.renew(new Map([["floods", "9"], ["other", "9"]]));
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(calls, [["setTogether", "/tiles?collections=floods,gauges,plain&v=2&style-only=true", { keep: true }]]);
  assert.equal(explorer.shown.get("floods").sources.floods.tiles[0], "/floods/{z}?v=9");
  calls.length = 0;
  explorer.separate();
  assert.deepEqual(calls.map(([name]) => name), ["remove", "add", "remove", "add", "remove", "add"]);
  assert.deepEqual(explorer.together.ids, []);
});

test("where tiles of all cannot be had, each collection is drawn from its own", async () => {
  answerWithTiles();
  const answer = globalThis.fetch;
  globalThis.fetch = async (url) => (url.includes("tilejson") ? new Response("", { status: 503 }) : answer(url));
  await explorer.showAll(["gauges", "plain"]);
  assert.deepEqual([calls.map(([name]) => name), explorer.together.ids], [["add", "add"], []]);
});

test("what is known of all features follows from the style that is drawn, and the subject is a collection", async () => {
  assert.equal(explorer.subjectCollection(), null);
  explorer.collection("gauges").columns = [{ name: "level", type: "string" }];
  const match = ["match", ["get", "level"], "high", "#ff0000", "#8d99a5"];
  const legend = [{ title: "Level", properties: ["level"], classes: [{ label: "high", color: "#ff0000", values: ["high"] }] }];
  const layer = { id: "x", type: "circle", metadata: { "dams:collection": "gauges" }, paint: { "circle-color": match } };
  globalThis.fetch = async (url) => {
    answers.push(decodeURIComponent(String(url)));
    return new Response(JSON.stringify(url.includes("style.json")
      ? { metadata: { "dams:collection": "gauges", "dams:legend": legend }, layers: [layer] }
      : { numberMatched: 7, facets: { level: { buckets: [], more: false, nulls: 2 } } }));
  };
  await explorer.show("gauges");
  assert.equal(explorer.subjectCollection().id, "gauges");
  assert.deepEqual(await explorer.total("gauges"), { features: 7, simulated: 0, absent: [], unclassed: true });
});

test("in one request as many are asked for as the service gives, and none that has no geometry", async () => {
  const many = Array.from({ length: 40 }, (_, at) => `c${at}`);
  explorer = new Explorer({ collections: [...many, "table"].map((id) => collection(id, id === "table" ? { geometryType: null } : {})), tileMatrixSet: "X", styleParameters: () => ({}) });
  globalThis.fetch = async (url) => {
    answers.push(decodeURIComponent(String(url)));
    return new Response("", { status: 503 });
  };
  explorer.prepare(["table", ...many]);
  explorer.prepare(["table", "c39"]);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(answers.slice(0, 1), [`/tiles/X/style.json?collections=${many.slice(0, 32)}`]);
  assert.deepEqual(answers.slice(1).filter((url) => url.includes("collections=")), []);
});

test("of several collections what fails is said and the rest is shown", async () => {
  answerWithTiles();
  const answer = globalThis.fetch;
  globalThis.fetch = async (url) => (url.includes("gauges/") ? new Response("", { status: 503 }) : answer(url));
  let fault = null;
  explorer.on("fault", (sentence) => (fault = sentence));
  await explorer.showAll(["floods", "gauges", "plain"]);
  assert.deepEqual([...explorer.shown.keys()], ["floods", "plain"]);
  assert.match(fault, /503/);
});

test("there is no engine and no collection but those there are", () => {
  assert.throws(() => explorer.collection("none"), /no collection none/);
  assert.throws(() => new Explorer({ collections: [], tileMatrixSet: "", styleParameters: () => ({}) }).engine, /not there yet/);
});
