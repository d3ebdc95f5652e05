import assert from "node:assert/strict";
import { test } from "node:test";

import { tilesOver } from "../../../../../services/viewer/browser/cartography/basemap-grid.js";

const names = (box, zoom) => tilesOver(box, zoom, 5).map(({ name }) => name);

test("a view is drawn from the tiles that it touches", () => {
  assert.deepEqual(names([-180, -90, 180, 90], 0.4), ["0/0/0", "0/0/1"]);
  assert.deepEqual(names([1, 1, 80, 80], 1), ["1/0/2"]);
  assert.deepEqual(names([-1, -1, 1, 1], 1.9), ["1/0/1", "1/0/2", "1/1/1", "1/1/2"]);
  // its last zoom is enlarged
  assert.deepEqual(names([121, 23, 122, 24], 11), ["5/11/53"]);
});

test("a tile knows its box", () => {
  const [tile] = tilesOver([121, 23, 122, 24], 5, 5);
  assert.deepEqual(tile.box, [118.125, 22.5, 123.75, 28.125]);
});

test("columns go on beyond the antimeridian, each once", () => {
  assert.deepEqual(names([170, 10, 190, 20], 2), ["2/1/7", "2/1/0"]);
  assert.deepEqual(names([140, -65, 206, -10], 0), ["0/0/1", "0/0/0"]);
  assert.deepEqual(names([-180, 80, 180, 90], 1), ["1/0/0", "1/0/1", "1/0/2", "1/0/3"]);
});

test("at the poles coarser tiles are taken before they are too many", () => {
  const tiles = tilesOver([-180, 60, 180, 90], 5, 5);
  assert.ok(tiles.length <= 48);
  assert.equal(tiles[0].zoom, 3);
  // as many as may be taken: three rows around the whole Earth
  assert.deepEqual([...new Set(names([-180, 30, 180, 90], 3).map((name) => name.split("/")[0]))], ["3"]);
  assert.equal(names([-180, 30, 180, 90], 3).length, 48);
});

test("zooms below the first have the tiles of the first", () => {
  assert.equal(names([-180, -90, 180, 90], -2).length, 2);
});
