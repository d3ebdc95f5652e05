import assert from "node:assert/strict";
import { test } from "node:test";

import { areaBox, areaOutline } from "../../../../../services/viewer/browser/cartography/area-outline.js";
import { beside } from "../../../../../services/viewer/browser/cartography/longitudes.js";
import { crossesItself, cutAtAntimeridian, turn } from "../../../../../services/viewer/browser/cartography/rings.js";

const at = (points) => points.split(" ").map((point) => point.split(",").map(Number));

for (const [ring, crosses, what] of [
  ["0,0 4,0 4,4 0,4", false, "a square"],
  ["0,0 4,4 4,0 0,4", true, "a bow"],
  ["0,0 4,0 4,4 2,0", true, "a corner on another edge"],
  ["0,0 4,0 4,4 2,-1", true, "a corner beyond another edge"],
  ["0,0 4,0 4,4 2,1", false, "a corner before another edge"],
  ["4,4 2,0 0,0 4,0", true, "a corner that touches the edge after the next"],
  ["0,0 2,0 2,2 0,2 0,1 1,1 1,0", true, "a last corner on the first edge"],
  ["0,0 6,0 6,1 4,1 2,1 0,1", false, "edges on a line, one after the other"],
  ["0,0 6,0 6,2 2,2 2,4 4,4 4,2 0,2", true, "edges that lie on each other"],
  ["0,0 10,0 10,10 6,10 6,5 4,5 4,10 0,10", false, "edges on the same line that do not meet"],
  ["0,0 0,10 10,10 10,6 5,6 5,4 10,4 10,0", false, "the same upright"],
  ["0,0 3,0 3,3", false, "a triangle"],
]) {
  test(`a ring crosses or touches itself, or not: ${what}`, () => {
    // from whichever corner and whichever way round
    const corners = at(ring);
    for (let first = 0; first < corners.length; first++) {
      const turned = [...corners.slice(first), ...corners.slice(0, first)];
      assert.deepEqual([crossesItself(turned), crossesItself([...turned].reverse())], [crosses, crosses], `from ${first}`);
    }
  });
}

test("left is positive", () => {
  assert.deepEqual([turn([0, 0], [2, 0], [1, 3]), turn([0, 0], [2, 0], [1, -3]), turn([1, 1], [3, 3], [7, 7])], [6, -6, 0]);
});

test("a ring is cut where it crosses the antimeridian, on either side of the world", () => {
  const parts = (ring) => cutAtAntimeridian(at(ring))?.map((part) => part.map((position) => position.join()).join(" ")) ?? null;
  assert.deepEqual(parts("170,0 179,0 179,10"), ["170,0 179,0 179,10"]);
  assert.deepEqual(parts("170,0 190,0 190,10 170,10"), ["170,0 180,0 180,10 170,10", "-180,0 -170,0 -170,10 -180,10"]);
  assert.deepEqual(parts("-190,0 -170,0 -170,20"), ["-180,10 -180,0 -170,0 -170,20", "180,10 170,0 180,0"]);
  // an edge along the antimeridian is not cut
  assert.deepEqual(parts("170,0 180,0 180,10"), ["170,0 180,0 180,10"]);
  // a part that would touch itself there is none
  assert.equal(parts("170,0 190,0 190,10 175,10 175,20 190,20 190,30 170,30"), null);
  assert.equal(parts("-170,0 -190,0 -190,10 -175,10 -175,20 -190,20 -190,30 -170,30"), null);
});

test("the same longitude is taken beside another", () => {
  assert.deepEqual([beside(170, -170), beside(-170, 170), beside(10, 20), beside(725, 0), beside(-725, 0), beside(0, 720), beside(180, 0)], [-190, 190, 10, 5, -5, 720, -180]);
});

test("edges of an outline have a vertex for each degree, so that they bend in a projection", () => {
  const ring = areaOutline({ kind: "polygon", ring: at("10,10 13,10 13,7.5") });
  assert.deepEqual(ring.slice(0, 4), at("10,10 11,10 12,10 13,10"));
  assert.deepEqual(ring.slice(4, 7).map(([x, y]) => [x, Number(y.toFixed(3))]), [[13, 9.167], [13, 8.333], [13, 7.5]]);
  assert.deepEqual([ring.length, ring.at(-1)], [10, [10, 10]]);
  assert.equal(areaOutline({ kind: "box", box: [1, 2, 1.5, 2.5] }).length, 5);
});

test("around a pole an outline runs along the edge of the world", () => {
  const north = areaOutline({ kind: "circle", center: [10, 85], kilometres: 1000, name: "" });
  const [before, first, second, last] = north.slice(-4);
  assert.deepEqual([first, second, last], [[before[0], 90], [north[0][0], 90], north[0]]);
  assert.equal(Math.round(Math.abs(before[0] - north[0][0])), 360);
  const south = areaOutline({ kind: "circle", center: [10, -85], kilometres: 1000, name: "" });
  assert.deepEqual(south.slice(-3, -1).map(([, y]) => y), [-90, -90]);
  // 111.7 kilometres are a degree of latitude there
  assert.deepEqual(areaBox({ kind: "circle", center: [10, 80], kilometres: 1000, name: "" }).filter((_, side) => side % 2).map((value) => Number(value.toFixed(1))), [71, 89]);
});

test("the box of an area has its longitudes from the west of the world on", () => {
  assert.deepEqual(areaBox({ kind: "box", box: [-180, -10, 180, 10] }), [-180, -10, 180, 10]);
  assert.deepEqual(areaBox({ kind: "polygon", ring: at("-190,0 -175,0 -175,5") }), [170, 0, 185, 5]);
  assert.deepEqual(areaBox({ kind: "polygon", ring: at("-180,0 -175,0 -175,5") }), [-180, 0, -175, 5]);
});
