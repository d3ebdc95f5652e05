// What an explorer draws and forgets, its requests for styles and tiles of several collections, and pale features.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { drawnArea, POINTS } from "../../../../../services/viewer/browser/model/area-drawing.js";
import { boxOf, circleOf, parseArea, polygonOf } from "../../../../../services/viewer/browser/model/area.js";
import { Explorer } from "../../../../../services/viewer/browser/model/explorer.js";
import { faded } from "../../../../../services/viewer/browser/model/faded.js";
import { forecastsAround } from "../../../../../services/viewer/browser/model/forecasts.js";
import { idsText, Styles } from "../../../../../services/viewer/browser/model/styles.js";
import { Together } from "../../../../../services/viewer/browser/model/together.js";
import { Versions } from "../../../../../services/viewer/browser/model/versions.js";
import { collection } from "../collections.mjs";

let asked, calls, explorer;
const engine = () => new Proxy({ asked: undefined }, { get: (own, name) => (name in own ? own[name] : (...values) => calls.push([name, ...values])) });

beforeEach(() => {
  [asked, calls] = [[], []];
  globalThis.fetch = async (url) => {
    asked.push(decodeURIComponent(url));
    const body = url.includes("style.json") ? { metadata: { "dams:collection": "x" }, layers: [] } : { features: [], numberMatched: 7, tiles: ["/t?v=1"] };
    return new Response(JSON.stringify(body));
  };
  const event = { eventKey: "event_id" };
  explorer = new Explorer({ collections: [collection("a", event), collection("b", event), collection("c")], tileMatrixSet: "X", styleParameters: (id) => (id === "a" ? { "geom-column": "centre" } : {}) });
  explorer.attach(engine());
  calls.length = 0;
});

test("at first time stands still, and nothing is chosen", () => {
  assert.deepEqual([explorer.playing, explorer.subject, explorer.datetime, explorer.area], [false, null, null, null]);
});

test("a view that moves is told", () => {
  let move, moves = 0;
  explorer.attach(new Proxy({}, { get: (_, name) => (listener) => name === "onMove" && (move = listener) }));
  explorer.addEventListener("move", () => (moves += 1));
  move();
  assert.equal(moves, 1);
});

test("a search that is the same, or was none, changes nothing", async () => {
  await explorer.show("c");
  let queries = 0;
  explorer.addEventListener("query", () => (queries += 1));
  calls.length = 0;
  explorer.setSearch("c", null);
  explorer.setSearch("c", "x = 1");
  explorer.setSearch("c", "x = 1");
  explorer.setSearch("b", "x = 1");
  assert.deepEqual([queries, calls.map(([name, id]) => [name, id])], [2, [["setParameters", "c"]]]);
  explorer.setSearch("c", null);
  assert.deepEqual([explorer.searches.has("c"), explorer.parameters("c").filter], [false, null]);
});

test("an event is drawn anew where it is shown", async () => {
  await explorer.show("b");
  calls.length = 0;
  explorer.setEvents("a", ["E1"]);
  assert.deepEqual(calls.map(([name, id, { event_id: event }]) => [name, id, event]), [["setParameters", "b", "E1"]]);
});

test("an area selects by the geometry that the page is about", () => {
  explorer.setArea({ kind: "box", box: [1, 2, 3, 4] });
  assert.equal(explorer.parameters("a").filter, "S_INTERSECTS(centre, BBOX(1, 2, 3, 4))");
});

test("what is known of all features is asked for once, until the data change", async () => {
  const first = await explorer.total("c");
  assert.equal(await explorer.total("c"), first);
  explorer.renew(new Map([["c", "2"]]));
  assert.notEqual(await explorer.total("c"), first);
});

test("totals are requested after the first tile of data", async () => {
  let drawn;
  const tile = new Promise((resolve) => (drawn = resolve));
  explorer.attach(new Proxy({}, { get: (_, name) => () => (name === "asked" ? tile : undefined) }));
  const total = explorer.total("c");
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(asked, []);
  drawn();
  await total;
  assert.notDeepEqual(asked, []);
});

test("a style is the same whenever it is asked for", () => assert.equal(explorer.style("a"), explorer.style("a")));

test("a change of the data of what has tiles of its own leaves the tiles of the others", async () => {
  explorer.renew(new Map([["c", "2"]]));
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([asked, calls], [[], []]);
});

test("detail is heard of events that have one", () => {
  const heard = [];
  explorer.on("fault", (detail) => heard.push(detail));
  explorer.emit("fault");
  explorer.dispatchEvent(new Event("fault"));
  explorer.emit("fault", "a");
  assert.deepEqual(heard, ["a"]);
});

test("collections are named with commas between them, which their ids may have, too", () => {
  assert.equal(idsText(["a.b", "c,d", "e%f"]), "a.b,c%2Cd,e%25f");
});

test("styles of several are asked for together where two of them are wanted as they are", async () => {
  const styles = new Styles("X", (id) => (id === "own" ? { minzoom: 1 } : {}));
  styles.prepare(["a", "own"]);
  assert.deepEqual(asked, []);
  styles.of("b").catch(() => {});
  styles.prepare(["a", "b"]);
  assert.deepEqual(asked, ["/collections/b/tiles/X/style.json"]);
  styles.prepare(["a", "c", "own", "b"]);
  assert.equal(asked[1], "/tiles/X/style.json?collections=a,c");
  assert.equal(styles.templateOf([]), null);
});

test("a style that is not among those of several is asked for by itself", async () => {
  globalThis.fetch = async (url) => {
    asked.push(url);
    const metadata = { "dams:collection": "a" };
    return new Response(JSON.stringify(url.startsWith("/tiles/") ? { metadata: { "dams:styles": [{ metadata, source: {} }] }, sources: {}, layers: [] } : { metadata: { of: "b" } }));
  };
  const styles = new Styles("X", () => ({}));
  styles.prepare(["a", "b"]);
  assert.deepEqual([(await styles.of("a")).metadata, (await styles.of("b")).metadata], [{ "dams:collection": "a" }, { of: "b" }]);
  assert.equal(styles.templateOf(["a", "b"]), null, "without a layer no tiles are known");
});

test("where none are drawn together their tiles are not asked for", async () => {
  await new Together({}, "X").renew();
  assert.deepEqual(asked, []);
});

test("tiles are shared by those whose tiles have versions, or by those without", async () => {
  const of = (id, version) => [id, { sources: version ? { [id]: { tiles: [`/${id}?${version}`] } } : undefined, metadata: {}, layers: [] }];
  const add = async (styles, own = {}) => {
    calls.length = 0;
    const together = new Together({ addTogether: (...values) => calls.push(values), ...own }, "X");
    return together.add(new Map(styles), () => ({ datetime: "2020" }), () => true);
  };
  assert.deepEqual(await add([of("a", "v=1"), of("b"), of("c", "f=x&v=2"), of("d", "rev=1")]), ["a", "c"]);
  assert.deepEqual(await add([of("a", "v=1"), of("b"), of("d", "rev=1")]), ["b", "d"]);
  assert.deepEqual([await add([of("a", "v=1"), of("b")]), calls], [[], []]);
  assert.deepEqual(await add([of("a"), of("b")], { addTogether: undefined }), []);
  const many = Array.from({ length: 40 }, (_, at) => of(`c${at}`));
  assert.deepEqual([(await add(many)).length, calls[0][0].length, calls[0][1]], [32, 32, "/t?v=1&datetime=2020&style-only=true"]);
});

test("once some are drawn together no others are", async () => {
  const together = new Together({ addTogether: () => {} }, "X");
  const styles = new Map(["a", "b"].map((id) => [id, { metadata: {}, layers: [] }]));
  const [first, second] = await Promise.all([together.add(styles, () => ({}), () => true), together.add(styles, () => ({}), () => true)]);
  assert.deepEqual([first, second, await together.add(styles, () => ({}), () => true), together.has("a"), together.has("c")], [["a", "b"], [], [], true, false]);
});

test("whether data have changed is asked of the service, not of the browser", async () => {
  let how;
  globalThis.fetch = async (_, options) => ((how = options), new Response(null, { status: 404 }));
  assert.equal((await new Versions("X", [["a", "1"]]).changed(["a"])).size, 0);
  assert.equal(how.cache, "no-store");
});

const NOW = Date.parse("2026-11-23T12:00:30Z");

test("what is pale keeps the rest of its paint, and is as opaque as it is where nothing is said", () => {
  const time = { column: "issued", endColumn: "expires", lasts: true, end: "2026-11-25T00:00:00Z" };
  const paint = { "circle-color": "#123456" };
  const layer = { id: "x", type: "circle", metadata: { "dams:collection": "a" }, paint, layout: {} };
  const [circle, line, other] = faded({ layers: [layer, { ...layer, type: "line" }, { ...layer, type: "heatmap" }] }, { time, columns: [] }, NOW).layers;
  const over = ["all", ["has", "expires"], ["<", ["to-string", ["get", "expires"]], "2026-11-23T12:00:30"]];
  const pale = ["case", over, ["*", 0.35, 1], 1];
  assert.deepEqual(circle.paint, { "circle-color": "#123456", "circle-opacity": pale, "circle-stroke-opacity": pale });
  assert.deepEqual(circle.layout, { "circle-sort-key": ["-", 0, ["case", over, 1e6, 0]] });
  assert.deepEqual([line.paint["line-opacity"], Object.keys(line.layout)], [pale, ["line-sort-key"]]);
  assert.deepEqual([other.paint, other.layout], [paint, {}]);
});

test("of forecasts around a feature the nearest by the ground are the first, some of each collection", async () => {
  let parameters;
  const point = (id, coordinates) => ({ type: "Feature", id, properties: { of: id }, geometry: coordinates && { type: "Point", coordinates } });
  globalThis.fetch = async (url) => {
    parameters = Object.fromEntries(new URLSearchParams(url.split("?")[1]));
    // at 60 degrees north a degree of longitude is half as long as one of latitude
    return new Response(JSON.stringify({ features: [point(1, null), point(2, [10, 60.4]), point(3, [10.6, 60]), point(4, [11, 60])] }));
  };
  const hits = await forecastsAround({ geometry: { type: "Point", coordinates: [10, 60] } }, [{ id: "g" }], { now: NOW });
  assert.deepEqual(hits.map(({ id }) => id), [3, 2, 4, 1]);
  assert.deepEqual(hits[0], { collection: "g", id: 3, properties: { of: 3 }, geometry: null });
  assert.deepEqual(parameters, { bbox: "9.5000,59.5000,10.5000,60.5000", datetime: "2026-11-23T12:00:00Z/..", limit: "10", "bbox-only": "true", numberMatched: "false", f: "geojson" });
  await forecastsAround({ geometry: { type: "Point", coordinates: [179.8, 89.8] } }, [{ id: "g" }], { now: NOW });
  assert.equal(parameters.bbox, "179.3000,89.3000,-179.7000,90.0000");
  await forecastsAround({ geometry: { type: "Point", coordinates: [0, -89.8] } }, [{ id: "g" }], { now: NOW });
  assert.equal(parameters.bbox, "-0.5000,-90.0000,0.5000,-89.3000");
  assert.deepEqual(await forecastsAround({ geometry: null }, [{ id: "g" }]), []);
});

test("the edges of an area are the last that are taken", () => {
  assert.deepEqual(POINTS, { box: 2, circle: 2, polygon: 3 });
  assert.equal(circleOf([0, 0, 20_000]).kilometres, 20_000);
  assert.deepEqual(circleOf([1.234567, 2.345678, 3.45678]), { kind: "circle", center: [1.2346, 2.3457], kilometres: 3.457, name: "" });
  assert.deepEqual([boxOf([-180, -90, 180, 90]).box, circleOf([180, 90, 1], " A ").name], [[-180, -90, 180, 90], "A"]);
  assert.deepEqual(parseArea("circle/1,2,3/ A/B").name, "A/B");
  const ring = (number) => Array.from({ length: number }, (_, at) => [50 * Math.cos((2 * Math.PI * at) / number), 50 * Math.sin((2 * Math.PI * at) / number)]).flat();
  assert.equal(polygonOf(ring(100)).ring.length, 100);
  assert.equal(polygonOf([359, 0, 360, 0, 360, 1]).ring[0][0], -1);
  assert.throws(() => polygonOf([360.5, 0, 361, 0, 361, 1]), /from -360 to 360/);
  assert.deepEqual(polygonOf([1.000049, 0, 2, 0, 2, 1]).ring[0], [1, 0]);
  // at most half of the Earth's circumference
  assert.equal(drawnArea("circle", [[0, 0], [180, 0]], false).kilometres, 20_000);
  assert.equal(drawnArea("polygon", [[1, 1], [2, 1]], false), null);
  assert.deepEqual(drawnArea("box", [[-180, 1], [180, 2]], false).box, [-180, 1, 180, 2]);
});
