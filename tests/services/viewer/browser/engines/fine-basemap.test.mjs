import assert from "node:assert/strict";
import { test } from "node:test";

import { cellsIn } from "../../../../../services/viewer/browser/engines/fine-basemap.js";

const INDEX = { size: 10, cells: ["0_0", "10_0", "0_10", "170_-40", "-180_-40"] };

test("the cells of a view are those that it touches", () => {
  assert.deepEqual(cellsIn(INDEX, [1, 1, 9, 9]), ["0_0"]);
  assert.deepEqual(cellsIn(INDEX, [9, 1, 11, 9]), ["0_0", "10_0"]);
  assert.deepEqual(cellsIn(INDEX, [1, 11, 2, 12]), ["0_10"]);
  assert.deepEqual(cellsIn(INDEX, [50, 50, 60, 60]), []);
  // across the antimeridian
  assert.deepEqual(cellsIn(INDEX, [175, -35, -175, -34]), ["170_-40", "-180_-40"]);
});
