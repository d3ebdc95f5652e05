// The input of the drawing libraries, and the features that they find under a click, without a map.

import assert from "node:assert/strict";
import { test } from "node:test";

import { flattened } from "../../../../../services/viewer/browser/engines/flattened.js";
import { hitsAt } from "../../../../../services/viewer/browser/engines/maplibre/hits.js";
import { addOverlays, drawHighlight, drawOutline, drawSketch, isOverlay, setOverlayTheme } from "../../../../../services/viewer/browser/engines/maplibre/overlays.js";
import { basemapStyle, liesBelow, togetherSource, withTextAttribution } from "../../../../../services/viewer/browser/engines/maplibre/sources.js";
import { addStorm, drawStorm, isStorm, setStormTheme, veil } from "../../../../../services/viewer/browser/engines/maplibre/storm-layers.js";
import { hitsAt as hitsOfOpenLayers } from "../../../../../services/viewer/browser/engines/openlayers/hits.js";
import { openPage } from "../open-page.mjs";

test("an attribution is text", () => {
  assert.deepEqual(withTextAttribution({ type: "vector", attribution: "<b>" }), { type: "vector", attribution: "&#60;b&#62;" });
  const none = { type: "vector" };
  assert.equal(withTextAttribution(none), none);
});

test("a source of several has what all of them have", () => {
  const one = { bounds: [-10, 0, 10, 20], minzoom: 2, maxzoom: 8, attribution: "USGS" };
  const two = { bounds: [0, -30, 40, 10], minzoom: 4, maxzoom: 12, attribution: "USGS, NOAA" };
  assert.deepEqual(togetherSource([one, two, { ...one, attribution: "GDACS" }], "/t"), {
    type: "vector", tiles: ["/t"], minzoom: 2, maxzoom: 12, bounds: [-10, -30, 40, 20], attribution: "USGS, NOAA | GDACS",
  });
  assert.deepEqual(togetherSource([{ ...one, attribution: undefined }, {}], "/t"), { type: "vector", tiles: ["/t"], minzoom: 0, maxzoom: 22 });
  assert.equal(togetherSource([two, two], "/t").attribution, "USGS, NOAA");
});

test("a map begins with the basemap alone", () => {
  const sea = { id: "sea", type: "background", paint: { a: 1 }, metadata: { "dams:dark": { a: 2 } } };
  const style = {
    version: 8, metadata: { "dams:collection": "q" }, "font-faces": {}, sources: { base: { attribution: "&" }, q: {} },
    layers: [sea, { id: "q", type: "circle", metadata: { "dams:collection": "q" } }],
  };
  const made = basemapStyle(style, "dark", true);
  assert.deepEqual([made.sources, made.layers.map(({ id, paint }) => [id, paint]), made.projection, made.version, "font-faces" in made], [{ base: { attribution: "&#38;" } }, [["sea", { a: 2 }]], { type: "globe" }, 8, false]);
  assert.deepEqual([basemapStyle(style, "light", false).projection, basemapStyle(style, "light", false).layers[0].paint], [{ type: "mercator" }, { a: 1 }]);
});

test("areas lie below lines, lines below points, data below labels, storms and what is drawn by hand", () => {
  const data = (type, id = type) => ({ id, type, metadata: { "dams:collection": "q" } });
  const below = (type, other) => liesBelow(data(type), other);
  assert.deepEqual(["line", "circle", "symbol"].map((other) => below("fill", data(other))), [true, true, true]);
  assert.deepEqual(["fill", "line"].map((other) => below("line", data(other))), [false, false]);
  assert.deepEqual([below("circle", { id: "names", type: "symbol" }), below("circle", { id: "sea", type: "fill" })], [true, false]);
  assert.deepEqual(["fill", "circle", "symbol"].map((type) => below(type, { id: "dams-storm:track-line", type: "line" })), [true, true, true]);
  const overlay = (type) => ({ id: "dams-highlight:x", type });
  assert.deepEqual(["fill", "line", "circle", "symbol"].map((type) => below(type, overlay("line"))), [true, true, false, false], "nodes are seen on the outline of a line");
  assert.deepEqual(["circle", "symbol"].map((type) => below(type, overlay("circle"))), [true, true]);
  assert.deepEqual(["dams-sketch:line", "dams-area:line", "dams-areas", "dams-storm:x"].map((id) => isOverlay({ id })), [true, true, false, false]);
  assert.deepEqual(["dams-storm:veil", "storm"].map((id) => isStorm({ id })), [true, false]);
});

/** A map that keeps what it is given. */
function mapOf(layers = []) {
  const map = {
    layers: [...layers], data: {}, painted: [], laid: [], orders: [],
    getStyle: () => ({ layers: map.layers }),
    getLayer: (id) => map.layers.find((each) => each.id === id),
    addSource: (id, { data }) => (map.data[id] = data),
    addLayer: (layer, before) => (map.layers.push(layer), map.orders.push([layer.id, before])),
    getSource: (id) => (id in map.data ? { setData: (data) => (map.data[id] = data) } : undefined),
    setPaintProperty: (...values) => map.painted.push(values),
    setLayoutProperty: (...values) => map.laid.push(values),
  };
  return map;
}

test("what is drawn over the data is of the theme, and drawn and taken away", () => {
  const map = mapOf();
  drawSketch(map, null);
  addOverlays(map, "light");
  assert.ok(map.layers.every(isOverlay) && map.layers.length > 10);
  for (const { id, source, filter } of map.layers) assert.ok(id.startsWith(`${source}:`) && filter[1][0] === "geometry-type", id);
  setOverlayTheme(map, "light");
  // the theme sets what the layers began with
  for (const [id, name, value] of map.painted) assert.deepEqual(map.getLayer(id).paint[name], value, `${id} ${name}`);
  const before = map.painted.splice(0);
  setOverlayTheme(map, "dark");
  map.painted.forEach(([id, name, value], at) => assert.ok(id === before[at][0] && name === before[at][1] && value !== before[at][2]));
  assert.deepEqual(new Set(map.painted.map(([id]) => id)), new Set(map.layers.map(({ id }) => id).filter((id) => id !== "dams-highlight:line")));
  const geometry = { type: "Point", coordinates: [1, 2] };
  drawHighlight(map, { geometry }, "#112233");
  drawSketch(map, { line: [[0, 0], [1, 1]], points: [[0, 0]], closed: false });
  drawOutline(map, { line: [[0, 0], [1, 1], [0, 0]], points: [], closed: true });
  assert.deepEqual(map.data["dams-highlight"], { type: "Feature", geometry, properties: { color: "#112233" } });
  assert.deepEqual([map.data["dams-sketch"], map.data["dams-area"]].map(({ features }) => features.map((each) => each.geometry.type)), [["LineString", "Point"], ["Polygon", "LineString"]]);
  drawHighlight(map, { geometry: null }, null);
  drawSketch(map, null);
  drawOutline(map, null);
  for (const data of Object.values(map.data)) assert.deepEqual(data, { type: "FeatureCollection", features: [] });
});

test("a storm lies below the labels, its points and words above them", () => {
  const map = mapOf([{ id: "sea", type: "background" }, { id: "names", type: "symbol" }]);
  addStorm(map, "light");
  const own = map.layers.slice(2);
  assert.ok(own.every(isStorm));
  for (const { id, type } of own) assert.equal(map.orders.find(([name]) => name === id)[1], ["circle", "symbol"].includes(type) ? undefined : "names", id);
  // each layer draws its own role
  const roles = own.filter(({ filter }) => filter).map(({ id, filter }) => [id.slice("dams-storm:".length), (filter[0] === "all" ? filter[1] : filter)[2]]);
  for (const [name, role] of roles) assert.ok(name === role || name.startsWith(`${role}-`), name);
  assert.deepEqual([...new Set(roles.map(([, role]) => role))].sort(), ["expected-now", "expected-step", "expected-track", "expected-zone", "landfall", "now", "step", "time", "track", "zone"]);
  assert.deepEqual(own.find(({ id }) => id === "dams-storm:time-words").filter[2], [">=", ["zoom"], ["get", "zoom"]]);
  veil(map, true);
  veil(map, false);
  assert.deepEqual([own[0].layout.visibility, map.laid], ["none", [["dams-storm:veil", "visibility", "visible"], ["dams-storm:veil", "visibility", "none"]]]);
  setStormTheme(map, "light");
  for (const [id, name, value] of map.painted) assert.deepEqual(map.getLayer(id).paint[name], value, `${id} ${name}`);
  drawStorm(map, { type: "FeatureCollection", features: [1] });
  assert.deepEqual(map.data["dams-storm"].features, [1]);
  drawStorm(map, null);
  assert.deepEqual(map.data["dams-storm"].features, []);
  // once
  addStorm(map, "light");
  assert.equal(map.layers.length, own.length + 2);
});

test("a storm that is followed later lies below the overlays; before, there is nothing to draw it with", () => {
  const map = mapOf([{ id: "names", type: "symbol" }]);
  addOverlays(map, "light");
  const [first] = map.layers.slice(1);
  veil(map, true);
  setStormTheme(map, "dark");
  drawStorm(map, null);
  assert.deepEqual([map.laid, map.painted], [[], []]);
  addStorm(map, "light");
  const points = map.layers.filter((layer) => isStorm(layer) && ["circle", "symbol"].includes(layer.type));
  for (const { id } of points) assert.equal(map.orders.find(([name]) => name === id)[1], first.id, id);
});

test("under a click lies each feature once, the nearest point first, lines and areas behind", () => {
  let asked;
  const at = (x) => ({ type: "Point", coordinates: [x, 0] });
  const found = [
    { sourceLayer: "areas", id: 1, properties: {}, geometry: { type: "Polygon" } }, { sourceLayer: "quakes", id: 1, properties: { a: 1 }, geometry: at(4) }, { sourceLayer: "quakes", id: 1, properties: {}, geometry: at(4) },
    { sourceLayer: "quakes", id: 2, properties: {}, geometry: at(-1) }, { sourceLayer: "quakes", properties: { b: 1 }, geometry: at(2) }, { sourceLayer: "quakes", properties: { b: 2 }, geometry: at(3) },
  ];
  const map = { getLayer: (id) => id !== "gone", project: ([x, y]) => ({ x: 100 + x, y: 50 + y }), queryRenderedFeatures: (...values) => ((asked = values), found) };
  const hits = hitsAt(map, { x: 100, y: 50 }, ["quakes", "gone"]);
  assert.deepEqual(asked, [[[95, 45], [105, 55]], { layers: ["quakes"] }]);
  assert.deepEqual(hits.map(({ collection, id, properties }) => [collection, id ?? `b is ${properties.b}`]), [["quakes", 2], ["quakes", "b is 1"], ["quakes", "b is 2"], ["quakes", 1], ["areas", 1]]);
  assert.deepEqual([hits[3].properties, hits[3].geometry], [{ a: 1 }, at(4)]);
});

test("under a click on the map of OpenLayers lie the features of collections", () => {
  const feature = (id) => ({ getId: () => id, getProperties: () => ({ of: id }) });
  const layer = (collection) => ({ get: (name) => (name === "collection" ? collection : undefined) });
  let how;
  const map = {
    forEachFeatureAtPixel: (pixel, each, options) => {
      how = { pixel, ...options };
      for (const [id, of] of [[1, "a"], [1, "a"], [1, "b"], [2, undefined]]) each(feature(id), layer(of));
      each(feature(3), null);
    },
  };
  assert.deepEqual(hitsOfOpenLayers(map, [5, 6]), [{ collection: "a", id: 1, properties: { of: 1 }, geometry: null }, { collection: "b", id: 1, properties: { of: 1 }, geometry: null }]);
  assert.deepEqual([how.pixel, how.hitTolerance, how.layerFilter(layer("a")), how.layerFilter(layer(undefined))], [[5, 6], 6, true, false]);
});

test("the canvases of a map are one picture, each where it is seen", () => {
  const page = openPage({ markup: '<div id="map"><div class="ol-layers"><canvas></canvas><canvas></canvas></div><canvas class="maplibregl-canvas"></canvas><canvas></canvas></div>' });
  const map = page.querySelector("#map");
  const canvases = [...map.querySelectorAll("canvas")];
  canvases.forEach((canvas, at) => Object.assign(canvas, { width: at === 1 ? 0 : 10, height: 20, getBoundingClientRect: () => ({ left: 30 + at, top: 50, width: 5, height: 6 }) }));
  map.getBoundingClientRect = () => ({ left: 10, top: 20, width: 100, height: 80 });
  globalThis.getComputedStyle = (of) => ({ backgroundColor: `ground of ${of.id}`, opacity: of.localName === "canvas" ? "0.5" : of.id ? "1" : "0.8" });
  const drawn = [];
  const context = { scale: () => {}, fillRect: (...values) => drawn.push([context.fillStyle, ...values]), drawImage: (canvas, ...values) => drawn.push([canvases.indexOf(canvas), context.globalAlpha, ...values]) };
  const createElement = page.createElement.bind(page);
  page.createElement = (name) => Object.assign(createElement(name), { getContext: () => context });
  const copy = flattened(map);
  assert.deepEqual([copy.width, copy.height], [200, 160]);
  assert.deepEqual(drawn, [["ground of map", 0, 0, 100, 80], [0, 0.4, 20, 30, 5, 6], [2, 0.5, 22, 30, 5, 6]]);
});
