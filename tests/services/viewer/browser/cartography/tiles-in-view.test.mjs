import assert from "node:assert/strict";
import { test } from "node:test";

import { frameAround, frameOf, tilesInView } from "../../../../../services/viewer/browser/cartography/tiles-in-view.js";

const NONE = { left: 0, right: 0, top: 0, bottom: 0 };
const WORLD = { zoom: 1, center: [0, 0] };
const names = (tiles) => tiles.map((tile) => tile.join("/"));

test("a view needs the tiles that it shows, those near its middle first", () => {
  const wide = { width: 1440, height: 900 };
  assert.deepEqual(names(tilesInView(frameOf(WORLD), wide, {})).sort(), ["1/0/0", "1/0/1", "1/1/0", "1/1/1"]);
  const taipei = names(tilesInView(frameOf({ zoom: 6.4, center: [121.5, 25] }), { width: 900, height: 500 }, {}));
  assert.equal(taipei[0], "6/53/27");
  assert.deepEqual(taipei.sort(), ["6/52/27", "6/53/27", "6/54/27"]);
});

test("a map that is higher than the world shows it enlarged", () => {
  assert.deepEqual(names(tilesInView(frameOf({ zoom: 0, center: [10, 70] }), { width: 390, height: 844 }, {})), ["0/0/0"]);
  assert.deepEqual(tilesInView(frameOf({ zoom: 0, center: [0, 0] }), { width: 500, height: 1100 }, {})[0][0], 1);
  // a window smaller than a tile, in which the world would fit
  const small = { width: 390, height: 420 };
  assert.deepEqual(names(tilesInView(frameAround([-170, -56, 190, 72], { ...NONE, left: 8, right: 8 }, small), small, {})), ["0/0/0"]);
});

test("across the antimeridian the tiles of both sides are needed, each once", () => {
  const fiji = names(tilesInView(frameOf({ zoom: 5, center: [180, -17] }), { width: 400, height: 300 }, {}));
  assert.deepEqual(fiji.sort(), ["5/0/17", "5/31/17"]);
  assert.equal(names(tilesInView(frameOf({ zoom: 1, center: [170, 0] }), { width: 3000, height: 900 }, {})).length, 4);
});

test("a source has tiles within its zooms and its bounds", () => {
  const size = { width: 1440, height: 900 };
  assert.deepEqual(tilesInView(frameOf(WORLD), size, { minzoom: 2 }), []);
  assert.deepEqual(names(tilesInView(frameOf({ zoom: 9, center: [121.5, 25] }), { width: 300, height: 300 }, { maxzoom: 6 })), ["6/53/27"]);
  assert.deepEqual(names(tilesInView(frameOf(WORLD), size, { bounds: [100, 10, 130, 40] })), ["1/1/0"]);
  assert.deepEqual(names(tilesInView(frameOf(WORLD), size, { bounds: [-30, 10, 130, 40] })).sort(), ["1/0/0", "1/1/0"]);
});

test("a box is shown within the padding", () => {
  const { zoom, middle } = frameAround([-180, -80, 180, 80], NONE, { width: 1024, height: 1024 });
  assert.deepEqual([Number(zoom.toFixed(6)), middle], [1, [0.5, 0.5]]);
  const beside = frameAround([0, -10, 90, 10], { ...NONE, left: 512 }, { width: 1024, height: 1024 });
  assert.deepEqual([Number(beside.zoom.toFixed(6)), beside.middle[0], Number(beside.middle[1].toFixed(6))], [2, 0.5, 0.5]);
  // no closer than the map goes
  assert.equal(frameAround([10, 20, 10, 20], NONE, { width: 400, height: 400 }).zoom, 14);
  // a window that is smaller than the padding shows something
  assert.ok(Number.isFinite(frameAround([0, 0, 1, 1], { ...NONE, left: 500 }, { width: 300, height: 300 }).zoom));
});
