// Features on an edge, and layers above and below the data.

import assert from "node:assert/strict";
import { test } from "node:test";

import { tilesOver } from "../../../../../services/viewer/browser/cartography/basemap-grid.js";
import { absentClasses, classOf, inkOn, legendKey, unclassedOf } from "../../../../../services/viewer/browser/cartography/classes.js";
import { clipped } from "../../../../../services/viewer/browser/cartography/clip.js";
import { anchor } from "../../../../../services/viewer/browser/cartography/geometry.js";
import { MatrixGrid } from "../../../../../services/viewer/browser/cartography/matrix-grid.js";
import { casingColor, overlayColors, sketchFeatures, withVersion } from "../../../../../services/viewer/browser/cartography/style-document.js";
import { boxAround, gridOver } from "../../../../../services/viewer/browser/cartography/view-box.js";

const BOX = [0, 0, 10, 10];

test("what lies on a side of the box is inside", () => {
  for (const coordinates of [[0, 5], [10, 5], [5, 0], [5, 10]]) assert.deepEqual(clipped({ type: "Point", coordinates }, BOX), { type: "Point", coordinates });
  const along = [[0, 0], [0, 10], [10, 10], [10, 0]];
  assert.equal(clipped({ type: "LineString", coordinates: along }, BOX).coordinates.length, 16);
  assert.equal(clipped({ type: "LineString", coordinates: [[-1, 5], [5, 5], [11, 5]] }, BOX), null, "one position is no line");
});

test("an area is cut on each side alike", () => {
  const square = (x, y) => ({ type: "Polygon", coordinates: [[[x, y], [x + 10, y], [x + 10, y + 10], [x, y + 10], [x, y]]] });
  for (const [[x, y], expected] of [[[-5, 2], [0, 2, 5, 10]], [[5, 2], [5, 2, 10, 10]], [[2, -5], [2, 0, 10, 5]], [[2, 5], [2, 5, 10, 10]]]) {
    const { coordinates: [ring] } = clipped(square(x, y), BOX);
    const [xs, ys] = [ring.map(([each]) => each), ring.map(([, each]) => each)];
    assert.deepEqual([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)], expected);
    assert.deepEqual(ring[0], ring.at(-1));
    // vertices are at most two degrees apart, on the edges
    for (let at = 1; at < ring.length; at++) assert.ok(Math.max(Math.abs(ring[at][0] - ring[at - 1][0]), Math.abs(ring[at][1] - ring[at - 1][1])) <= 2);
  }
  // an edge that is crossed at a slope
  const slope = { type: "Polygon", coordinates: [[[8, 4], [16, 8], [8, 8], [8, 4]]] };
  assert.ok(clipped(slope, BOX).coordinates[0].some(([x, y]) => x === 10 && y === 5));
});

test("what touches the box in a corner alone, or has no room, is gone", () => {
  assert.equal(clipped({ type: "Polygon", coordinates: [[[10.5, 10.5], [12, 10.5], [12, 12], [10.5, 10.5]]] }, BOX), null);
  assert.deepEqual(clipped({ type: "Point", coordinates: [-179, 5] }, [150, 0, 180, 10]), null, "a box up to 180 degrees ends there");
});

test("a grid tile knows where it is", () => {
  const [tile] = tilesOver([121, 23, 122, 24], 5, 5);
  assert.deepEqual([tile.name, tile.zoom, tile.row, tile.column], ["5/11/53", 5, 11, 53]);
  assert.equal(tilesOver([-180, -90, 180, 90], 2, 5).length, 32);
});

test("a legend may have sizes alone, or nothing at all", () => {
  const style = (entry) => ({ metadata: { "dams:legend": [entry] }, layers: [] });
  assert.deepEqual(legendKey(style({ title: "Magnitude", unit: "M", properties: [], sizes: [{ label: "5", diameter: 9 }] })), [["Magnitude", "M", [["5", undefined]]]]);
  assert.deepEqual(legendKey(style({ properties: [] })), [[undefined, undefined, []]]);
  assert.equal(classOf(style({ properties: ["a"], classes: [] }), { a: 1 }), null);
});

test("a class without a beginning has what lies below the others", () => {
  const classes = [{ label: "low" }, { label: "high", from: 5 }];
  const absent = (buckets) => absentClasses({ classes }, { buckets, more: false, nulls: 0 }, false).map(({ label }) => label);
  assert.deepEqual([absent([{ max: 5, count: 1 }]), absent([{ min: 5, count: 1 }]), absent([{ min: 4, count: 1 }])], [["high"], ["low"], ["high"]]);
});

test("features without a class have the colour of the paint that chooses by its property", () => {
  const entry = { title: "Level", properties: ["level"], classes: [{ label: "a", color: "#111111", values: ["a"] }] };
  const match = (color) => ["match", ["get", "level"], "a", "#111111", color];
  const layer = (paint) => ({ id: "x", type: "circle", metadata: { "dams:collection": "a" }, paint });
  const found = (...paints) => unclassedOf({ metadata: { "dams:legend": [entry] }, layers: paints.map(layer) });
  assert.deepEqual(found({ "circle-radius": 4, "circle-color": match("#222222"), "circle-stroke-color": match("#333333") }).color, "#222222");
  assert.equal(found({ "circle-color": "#222222" }, { "circle-color": match("#444444") }).color, "#444444");
  assert.equal(found({ "circle-color": match("#444444") }).label, "no level");
  assert.equal(found({ "circle-color": match(5) }), null);
  assert.equal(found({}), null);
  assert.equal(found(undefined), null);
});

test("ink is told by the luminance of each part of a colour", () => {
  // just below and above the luminance at which black and white text are equally readable
  const white = ["#757575", "#e00000", "#0000ff", "#008800", "#0a0a0a"];
  const black = ["#767676", "#f00000", "#e000ff", "#008a00"];
  assert.deepEqual([...white, ...black].map(inkOn), [...white.map(() => "#ffffff"), ...black.map(() => "#000000")]);
});

test("a geometry without positions has no anchor", () => {
  assert.equal(anchor({ type: "Point", coordinates: [] }), null);
  assert.equal(anchor({ type: "LineString", coordinates: [] }), null);
  assert.equal(anchor({ type: "GeometryCollection", geometries: [{ type: "GeometryCollection", geometries: [] }] }), null);
});

test("a matrix set reaches as far as its tiles", () => {
  const matrix = { id: "0", cellSize: 2, pointOfOrigin: [-100, 50], tileWidth: 10, tileHeight: 5, matrixWidth: 4, matrixHeight: 3 };
  assert.deepEqual(new MatrixGrid({ tileMatrices: [matrix, { ...matrix, id: "1", cellSize: 1, matrixWidth: 9 }] }).extent(), [-100, 20, -10, 50]);
});

test("of rows of wide tiles each has its own width", () => {
  const matrix = {
    id: "0", cellSize: 1, pointOfOrigin: [-180, 90], tileWidth: 10, tileHeight: 10, matrixWidth: 8, matrixHeight: 4,
    variableMatrixWidths: [{ coalesce: 4, minTileRow: 0, maxTileRow: 0 }, { coalesce: 2, minTileRow: 1, maxTileRow: 2 }],
  };
  const grid = new MatrixGrid({ tileMatrices: [matrix] });
  assert.deepEqual([0, 1, 2, 3].map((row) => grid.tile([0, 5, row]).coalesce), [4, 2, 2, 1]);
});

test("colours over the data stand out on both themes", () => {
  const luminance = (color) => [1, 3, 5].reduce((sum, at) => sum + parseInt(color.slice(at, at + 2), 16), 0);
  for (const [theme, isInkLight] of [["dark", true], ["light", false]]) {
    const [ink, halo] = overlayColors(theme).map(luminance);
    assert.equal(ink > halo + 500, isInkLight);
    assert.equal(halo > ink + 500, !isInkLight);
  }
  assert.notEqual(casingColor("dark"), casingColor("light"));
});

test("a sketch has the positions that were drawn, as features", () => {
  const { type, features } = sketchFeatures({ line: [[0, 0], [1, 1], [0, 0]], points: [[2, 2]], closed: true });
  assert.deepEqual([type, features.map((each) => each.type)], ["FeatureCollection", ["Feature", "Feature", "Feature"]]);
  assert.deepEqual(features.map(({ geometry }) => geometry.coordinates), [[[[0, 0], [1, 1], [0, 0]]], [[0, 0], [1, 1], [0, 0]], [2, 2]]);
  assert.equal(sketchFeatures({ line: [[0, 0]], points: [], closed: false }).features.length, 0, "one position is no line");
});

test("tiles of another version have another address, where they have versions", () => {
  assert.equal(withVersion("/t/{z}?v=1&f=mvt", "a&b"), "/t/{z}?v=a%26b&f=mvt");
  assert.equal(withVersion("/t/{z}?f=mvt&v=1", "2"), "/t/{z}?f=mvt&v=2");
  assert.equal(withVersion("/t/{z}?v=1", undefined), "/t/{z}?v=1");
  assert.equal(withVersion("/t/{z}?rev=1", "2"), "/t/{z}?rev=1");
});

test("the widest gap of a view is outside its box, also where that is around the antimeridian", () => {
  assert.deepEqual(boxAround([[-100, 0], [100, 0]]), [100, 0, -100, 0]);
  assert.deepEqual(boxAround([[-60, 0], [60, 0]]), [-60, 0, 60, 0]);
  assert.deepEqual(gridOver([10, 20, 14, 30], 2), [[10, 20], [10, 25], [10, 30], [12, 20], [12, 25], [12, 30], [14, 20], [14, 25], [14, 30]]);
});
