import assert from "node:assert/strict";
import { test } from "node:test";

import {
  casingColor,
  collectionOf,
  dataLayers,
  drawingOrder,
  escapedAttribution,
  isBasemap,
  isLabel,
  sketchFeatures,
  themeChanges,
  themedLayer,
  tilesAddress,
  withPlaceNames,
} from "../../../../../services/viewer/browser/cartography/style-document.js";

const SEA = { id: "sea", type: "background", paint: { "background-color": "#fff", x: 1 }, metadata: { "dams:dark": { "background-color": "#000" } } };
const NAMES = { id: "names", type: "symbol" };
const DATA = { id: "data", type: "circle", metadata: { "dams:collection": "a" } };
const STYLE = { metadata: { "dams:collection": "a" }, layers: [SEA, NAMES, DATA] };

test("a theme replaces paint properties", () => {
  assert.deepEqual(themedLayer(SEA, "dark").paint, { "background-color": "#000", x: 1 });
  assert.equal(themedLayer(SEA, "light"), SEA);
  assert.equal(themedLayer(NAMES, "dark"), NAMES);
  assert.deepEqual([...themeChanges(STYLE, "dark")], [["sea", "background-color", "#000"]]);
  assert.deepEqual([...themeChanges(STYLE, "light")], [["sea", "background-color", "#fff"]]);
});

test("layers are distinguished", () => {
  assert.deepEqual(STYLE.layers.map(isBasemap), [true, true, false]);
  assert.deepEqual(STYLE.layers.map(isLabel), [false, true, false]);
  assert.deepEqual(dataLayers(STYLE), [DATA]);
  assert.equal(collectionOf(STYLE), "a");
  assert.deepEqual(["fill", "line", "circle", "symbol", "other"].map((type) => drawingOrder({ type })), [0, 1, 2, 3, 1]);
  assert.deepEqual([{ "text-offset": [0, 1.1] }, { "symbol-placement": "line" }].map((layout) => drawingOrder({ type: "symbol", layout })), [4, 3], "names of points are on top");
});

test("an attribution is text", () => {
  assert.equal(escapedAttribution(`<a href="x">'&'</a>`), "&#60;a href=&#34;x&#34;&#62;&#39;&#38;&#39;&#60;/a&#62;");
});

test("tiles are asked for with what is chosen", () => {
  assert.equal(tilesAddress("/t/{z}", {}), "/t/{z}?style-only=true");
  assert.equal(tilesAddress("/t/{z}", { filter: "a > 1 & b", datetime: null, x: "", y: undefined }), "/t/{z}?filter=a%20%3E%201%20%26%20b&style-only=true");
  assert.equal(tilesAddress("/t/{z}?v=1", { n: 0, m: 2 }), "/t/{z}?v=1&n=0&m=2&style-only=true");
});

test("a sketch is area, line and points, in this order", () => {
  const kinds = (sketch) => sketchFeatures(sketch).features.map(({ geometry }) => geometry.type);
  assert.deepEqual(kinds({ line: [[0, 0], [1, 1], [0, 0]], points: [[0, 0], [1, 1]], closed: true }), ["Polygon", "LineString", "Point", "Point"]);
  assert.deepEqual(kinds({ line: [[0, 0], [1, 1]], points: [[0, 0]], closed: false }), ["LineString", "Point"]);
  assert.deepEqual(kinds({ line: [], points: [[0, 0]], closed: false }), ["Point"]);
});

test("tracks of storms have an edge that stands out in each theme", () => {
  const luminance = (/** @type {string} */ color) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, weight, at) => {
      const part = parseInt(color.slice(1 + 2 * at, 3 + 2 * at), 16) / 255;
      return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    }, 0);
  for (const theme of /** @type {const} */ (["light", "dark"])) {
    // colours of tropical depressions and of category 1 (services/tiles/styling/palette.py)
    for (const color of theme === "light" ? ["#daba17", "#de7e00"] : ["#857101", "#d1740d"]) {
      const [dark, bright] = [luminance(casingColor(theme)), luminance(color)].sort();
      assert.ok((bright + 0.05) / (dark + 0.05) > 3, `${theme} ${color}`);
    }
  }
});

test("countries, seas and towns are labelled in the language of the page, and other labels as before", () => {
  const field = ["get", "name"];
  const fields = { country: field, sea: field, town: ["concat", "•\n", field], province: field };
  const style = { layers: Object.entries(fields).map(([kind, text]) => ({ id: `basemap-labels-${kind}`, layout: { "text-field": text, "text-size": 9 } })) };
  const shown = withPlaceNames(style, { Germany: "Allemagne" }, "fr");
  assert.deepEqual(shown.layers[0].layout, { "text-field": ["coalesce", ["get", field, ["literal", { Germany: "Allemagne" }]], field], "text-size": 9 });
  assert.deepEqual(shown.layers[1].layout, shown.layers[0].layout);
  assert.deepEqual(shown.layers[2].layout["text-field"], ["concat", "•\n", ["coalesce", ["get", "fr"], field]]);
  assert.deepEqual(shown.layers[3], style.layers[3]);
  assert.equal(withPlaceNames(style, null, "en"), style);
  const spaced = { layers: [{ id: "basemap-labels-sea", layout: { "text-field": field, "text-letter-spacing": 0.12 } }] };
  const spacing = (tag) => withPlaceNames(spaced, {}, tag).layers[0].layout["text-letter-spacing"];
  assert.deepEqual([spacing("fr"), spacing("ar")], [0.12, 0]);
});
