import assert from "node:assert/strict";
import { test } from "node:test";

import { pathLength, ringArea, shortestLine } from "../../../../../services/viewer/browser/cartography/geodesic.js";

const near = (actual, expected, tolerance) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not within ${tolerance} of ${expected}`);

test("lengths are those of the ellipsoid", () => {
  // quarter of the meridian and of the equator of WGS 84, in metres
  near(pathLength([[0, 0], [0, 90]]), 10_001_965.729, 0.01);
  near(pathLength([[0, 0], [45, 0], [90, 0]]), 10_018_754.171, 0.01);
  near(pathLength([[179, 0], [-179, 0]]), 222_638.98, 0.1);
  assert.equal(pathLength([[1, 2]]), 0);
});

for (const ring of [[[0, 0], [90, 0], [0, 90]], [[0, 90], [90, 0], [0, 0]], [[135, 0], [-135, 0], [0, 90]]]) {
  test(`areas are those of the ellipsoid: ${JSON.stringify(ring)}`, () => {
    // an eighth of the surface of WGS 84, in square metres
    const eighth = 510_065_621_724_088 / 8;
    near(ringArea(ring), eighth, eighth * 1e-9);
  });
}

test("lines run on across the antimeridian", () => {
  const line = shortestLine([[170, 10], [-170, 10]]);
  assert.deepEqual(line[0], [170, 10]);
  near(line.at(-1)[0], 190, 1e-9);
  near(line.at(-1)[1], 10, 1e-9);
  for (let at = 1; at < line.length; at++) {
    assert.ok(Math.abs(line[at][0] - line[at - 1][0]) < 1);
    near(pathLength([line[at - 1], line[at]]), 49_000, 1_000);
  }
  // the shortest way bends towards the pole
  assert.ok(Math.max(...line.map(([, latitude]) => latitude)) > 10.1);
});

test("lines run on westwards, too", () => {
  near(shortestLine([[-170, 10], [170, 10]]).at(-1)[0], -190, 1e-9);
  assert.equal(shortestLine([[1, 2], [1, 2]]).length, 2);
});

test("a line passes all of its positions", () => {
  const line = shortestLine([[0, 0], [1, 0], [1, 1]]);
  assert.ok(line.some(([x, y]) => Math.abs(x - 1) < 1e-9 && Math.abs(y) < 1e-9));
  assert.deepEqual(line.at(-1).map((value) => Number(value.toFixed(6))), [1, 1]);
});
