import assert from "node:assert/strict";
import { test } from "node:test";

import { clipped } from "../../../../../services/viewer/browser/cartography/clip.js";

const BOX = [0, 0, 10, 10];

test("points are inside, on the edge, or gone", () => {
  const at = (x, y, box = BOX) => clipped({ type: "Point", coordinates: [x, y] }, box)?.coordinates ?? null;
  assert.deepEqual(at(5, 5), [5, 5]);
  assert.deepEqual(at(0, 10), [0, 10]);
  for (const [x, y] of [[-0.1, 5], [10.1, 5], [5, -0.1], [5, 10.1]]) assert.equal(at(x, y), null);
  // just east of the antimeridian
  assert.deepEqual(at(-175, 5, [140, 0, 206, 10]), [185, 5]);
  assert.deepEqual(at(150, 5, [140, 0, 206, 10]), [150, 5]);
});

test("a line is what of it is inside, in pieces where it leaves", () => {
  const line = [[1, 1], [2, 2], [20, 2], [9, 3], [9, 4]];
  assert.deepEqual(clipped({ type: "LineString", coordinates: line }, BOX), {
    type: "MultiLineString",
    coordinates: [[[1, 1], [2, 2]], [[9, 3], [9, 4]]],
  });
  assert.deepEqual(clipped({ type: "MultiLineString", coordinates: [[[1, 1], [2, 2]], [[20, 1], [21, 1]]] }, BOX), {
    type: "LineString",
    coordinates: [[1, 1], [2, 2]],
  });
  for (const [x, y] of [[20, 1], [-1, 1], [1, 11], [1, -1]]) assert.equal(clipped({ type: "LineString", coordinates: [[1, 1], [x, y]] }, BOX), null);
});

test("a line just east of the antimeridian is caught as well", () => {
  const found = clipped({ type: "LineString", coordinates: [[-175, 5], [-174, 6]] }, [140, 0, 206, 10]);
  assert.deepEqual(found.coordinates, [[185, 5], [186, 6]]);
});

test("edges bend: there is a vertex at least every two degrees", () => {
  const { coordinates } = clipped({ type: "LineString", coordinates: [[0, 0], [5, 0]] }, BOX);
  assert.deepEqual(coordinates.map(([x]) => Number(x.toFixed(6))), [0, 1.666667, 3.333333, 5]);
});

test("the vertices between lie on the edge", () => {
  const { coordinates } = clipped({ type: "LineString", coordinates: [[0, 9], [6, 0]] }, BOX);
  assert.equal(coordinates.length, 6);
  for (const [x, y] of coordinates) assert.ok(Math.abs(y - (9 - 1.5 * x)) < 1e-9);
});

test("an area is cut along the sides of the box", () => {
  const square = { type: "Polygon", coordinates: [[[-5, -5], [5, -5], [5, 5], [-5, 5], [-5, -5]]] };
  const { type, coordinates: [ring] } = clipped(square, BOX);
  assert.equal(type, "Polygon");
  assert.deepEqual(ring[0], ring.at(-1));
  const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)];
  assert.deepEqual([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)], [0, 0, 5, 5]);
  // half of the square's edge, where it crosses the side
  const triangle = { type: "Polygon", coordinates: [[[-5, 0], [5, 0], [5, 10], [-5, 0]]] };
  assert.ok(clipped(triangle, BOX).coordinates[0].some(([x, y]) => x === 0 && y === 5));
  assert.equal(clipped({ type: "Polygon", coordinates: [[[20, 20], [30, 20], [30, 30], [20, 20]]] }, BOX), null);
});

test("holes and parts that are left out leave nothing behind", () => {
  const part = (x) => [[[x, 1], [x + 1, 1], [x + 1, 2], [x, 1]]];
  assert.equal(clipped({ type: "MultiPolygon", coordinates: [part(1), part(30)] }, BOX).type, "Polygon");
  assert.equal(clipped({ type: "MultiPolygon", coordinates: [part(1), part(5)] }, BOX).type, "MultiPolygon");
  const holed = [[[1, 1], [9, 1], [9, 9], [1, 1]], [[3, 2], [4, 2], [4, 3], [3, 2]]];
  assert.equal(clipped({ type: "Polygon", coordinates: holed }, BOX).coordinates.length, 2);
  assert.equal(clipped({ type: "GeometryCollection", geometries: [] }, BOX), null);
});
