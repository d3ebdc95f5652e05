import assert from "node:assert/strict";
import { test } from "node:test";

import { firstBox } from "../../../../../services/viewer/browser/cartography/first-view.js";
import { anchor, bboxOf } from "../../../../../services/viewer/browser/cartography/geometry.js";
import { globeZoom } from "../../../../../services/viewer/browser/cartography/globe.js";
import { boxAround, gridOver, mercatorBounds, shared, wrapped, wrappedBox } from "../../../../../services/viewer/browser/cartography/view-box.js";

test("a view has the box around what it shows", () => {
  assert.deepEqual(boxAround([[1, 2], [-3, 8], [5, 4]]), [-3, 2, 5, 8]);
  // across the antimeridian
  assert.deepEqual(boxAround([[170, 0], [175, 1], [-170, 2]]), [170, 0, -170, 2]);
  // the widest gap, not the last that is wide
  assert.deepEqual(boxAround([[-170, 0], [-20, 0], [60, 0], [170, 0]]), [-20, 0, -170, 0]);
  assert.deepEqual(boxAround([[-100, 60], [20, 70], [140, 80]], 90), [-180, 60, 180, 90]);
  assert.deepEqual(boxAround([[-100, -60], [20, -70]], -90), [-180, -90, 180, -60]);
  // gaps of sixty degrees are those between samples
  assert.deepEqual(boxAround([[-150, 0], [-90, 0], [-30, 0], [30, 0], [90, 0], [150, 0]]), [-150, 0, 150, 0]);
});

test("a box is shared with the area of a projection", () => {
  assert.deepEqual(shared([-10, -20, 30, 40], [0, 0, 50, 20]), [0, 0, 30, 20]);
  assert.deepEqual(shared([170, -50, -170, -30], [140, -65, 206, -10]), [170, -50, 190, -30]);
  // a box across the antimeridian, and an area that ends there
  assert.deepEqual(shared([170, -50, -170, -30], [-180, -90, 180, 0]), [170, -50, 180, -30]);
  // a point is a box, too
  assert.deepEqual(shared([1, 2, 1, 2], [0, 0, 50, 20]), [1, 2, 1, 2]);
  assert.equal(shared([-10, -20, -5, 40], [0, 0, 50, 20]), null);
  assert.equal(shared([10, -20, 20, -5], [0, 0, 50, 20]), null);
});

test("a grid covers a box with its edges", () => {
  assert.deepEqual(gridOver([0, 10, 2, 20], 1), [[0, 10], [0, 20], [2, 10], [2, 20]]);
  assert.equal(gridOver([0, 0, 1, 1], 12).length, 169);
});

test("longitudes are wrapped", () => {
  assert.deepEqual([0, 190, -190, 540, -180, 180].map(wrapped), [0, -170, 170, -180, -180, -180]);
});

test("the box of a geometry holds all of it", () => {
  const line = { type: "LineString", coordinates: [[1, 5], [-2, 3, 100], [4, 9]] };
  assert.deepEqual(bboxOf(line), [-2, 3, 4, 9]);
  const area = { type: "MultiPolygon", coordinates: [[[[0, 0], [1, 0], [1, 1], [0, 0]]], [[[7, 7], [8, 7], [8, 9], [7, 7]]]] };
  assert.deepEqual(bboxOf(area), [0, 0, 8, 9]);
  assert.deepEqual(bboxOf({ type: "GeometryCollection", geometries: [line, area] }), [-2, 0, 8, 9]);
});

test("a popup points to a place on the geometry", () => {
  assert.deepEqual(anchor({ type: "Point", coordinates: [1, 2, 3] }), [1, 2]);
  assert.deepEqual(anchor({ type: "LineString", coordinates: [[0, 0], [1, 5], [9, 9]] }), [1, 5]);
  assert.deepEqual(anchor({ type: "MultiLineString", coordinates: [[[0, 0], [1, 5]], [[7, 7], [8, 8], [9, 9]]] }), [8, 8]);
  assert.deepEqual(anchor({ type: "Polygon", coordinates: [[[0, 0], [4, 0], [4, 2], [0, 0]]] }), [2, 1]);
  assert.deepEqual(anchor({ type: "GeometryCollection", geometries: [{ type: "Point", coordinates: [3, 4] }] }), [3, 4]);
  assert.equal(anchor(null), null);
  assert.equal(anchor({ type: "GeometryCollection", geometries: [] }), null);
});

test("what is seen first is the projection's home, the collection, or the inhabited world", () => {
  const world = [-170, -56, 190, 72];
  const boxOf = (...boxes) => firstBox(boxes.map((bbox) => ({ bbox })));
  assert.deepEqual(firstBox([{ bbox: [1, 2, 3, 4] }], [5, 6, 7, 8]), [5, 6, 7, 8]);
  assert.deepEqual(boxOf([1, 2, 3, 4]), [1, 2, 3, 4]);
  assert.deepEqual(boxOf([1, 2, 3, 4], null, [2, -5, 9, 3]), [1, -5, 9, 4]);
  assert.deepEqual(boxOf([170, -10, -170, 10]), [170, -10, -170, 10]);
  for (const boxes of [[], [null], [[-180, -10, 180, 10]], [[-121, 0, 120, 1]], [[-121, 0, -100, 1], [100, 0, 120, 1]]]) assert.deepEqual(boxOf(...boxes), world);
});

test("a globe fills the height beside the panel", () => {
  const radius = ({ zoom, latitude, height }) => (2 ** zoom * 512) / (2 * Math.PI * Math.cos((latitude * Math.PI) / 180)) / height;
  // as seen from a distance of one and a half heights of the map
  const seen = (map) => {
    const sphere = radius({ zoom: globeZoom(map), ...map });
    return (1.5 * sphere) / Math.sqrt((1.5 + sphere) ** 2 - sphere ** 2);
  };
  const wide = { width: 2000, height: 800, beside: 352, latitude: 0 };
  assert.ok(Math.abs(seen(wide) - 0.45) < 1e-6);
  assert.ok(Math.abs(seen({ ...wide, latitude: 60 }) - 0.45) < 1e-6);
  assert.ok(Math.abs(seen({ ...wide, width: 1200 }) - (1200 - 704) / 2 / 800) < 1e-6);
  assert.ok(Math.abs(seen({ ...wide, width: 390, height: 800, beside: 8 }) - 374 / 2 / 800) < 1e-6);
  assert.ok(Math.abs(seen({ ...wide, width: 800 }) - 480 / 2 / 800) < 1e-6);
});

test("a box of a view is wrapped, and one for Web Mercator ends before the poles", () => {
  assert.deepEqual(wrappedBox([170, -95, 190, 10]), [170, -90, -170, 10]);
  assert.deepEqual(wrappedBox([-200, -10, 200, 95]), [-180, -10, 180, 90]);
  assert.deepEqual(mercatorBounds([170, -90, -170, 90]), [[170, -80], [190, 84]]);
});
