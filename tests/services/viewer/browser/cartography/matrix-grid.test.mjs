import assert from "node:assert/strict";
import { test } from "node:test";

import { MatrixGrid, tileUrl } from "../../../../../services/viewer/browser/cartography/matrix-grid.js";

const matrix = (id, cellSize, fields = {}) => ({
  id, cellSize, pointOfOrigin: [-180, 90], tileWidth: 256, tileHeight: 256, matrixWidth: 2, matrixHeight: 1, ...fields,
});
const WORLD = { tileMatrices: [matrix("1", 0.3515625, { matrixWidth: 4, matrixHeight: 2 }), matrix("0", 0.703125)] };

test("matrices are in order, origins in x and y, whatever the axes", () => {
  const grid = new MatrixGrid(WORLD);
  assert.deepEqual(grid.matrices.map(({ id }) => id), ["0", "1"]);
  assert.deepEqual(grid.extent(), [-180, -90, 180, 90]);
  const swapped = new MatrixGrid({ orderedAxes: ["Lat", "Lon"], tileMatrices: [matrix("0", 0.703125, { pointOfOrigin: [90, -180] })] });
  assert.deepEqual(swapped.extent(), [-180, -90, 180, 90]);
  // around matrices that do not cover each other
  const apart = [matrix("0", 0.703125, { pointOfOrigin: [-200, 80] }), matrix("1", 0.3515625)];
  assert.deepEqual(new MatrixGrid({ tileMatrices: apart }).extent(), [-200, -100, 160, 90]);
  assert.deepEqual(swapped.options().origins, [[-180, 90]]);
});

test("the options are those of a tile grid", () => {
  assert.deepEqual(new MatrixGrid(WORLD).options(), {
    extent: [-180, -90, 180, 90],
    resolutions: [0.703125, 0.3515625],
    origins: [[-180, 90], [-180, 90]],
    sizes: [[2, 1], [4, 2]],
    tileSizes: [[256, 256], [256, 256]],
  });
});

test("bounds leave out matrices", () => {
  assert.deepEqual(new MatrixGrid(WORLD, { minzoom: 1 }).matrices.map(({ id }) => id), ["1"]);
  assert.deepEqual(new MatrixGrid(WORLD, { maxzoom: 0 }).matrices.map(({ id }) => id), ["0"]);
});

test("resolutions suit a screen", () => {
  const grid = new MatrixGrid(WORLD);
  assert.equal(grid.maxResolution(), 1.40625);
  assert.equal(grid.viewResolution(), 1.40625);
  assert.equal(grid.minResolution(), 0.3515625 / 4);
  // tiles of a degree, ten pixels wide: many of them would be needed for the world
  const fine = new MatrixGrid({ tileMatrices: [matrix("-10", 0.1, { tileWidth: 10, tileHeight: 10, matrixWidth: 360, matrixHeight: 180 })] });
  assert.equal(fine.maxResolution(), 1 / 96);
  assert.equal(fine.viewResolution(), 360 / 512);
});

test("columns that make one tile have its address", () => {
  const wide = matrix("0", 1, { matrixWidth: 8, matrixHeight: 4, variableMatrixWidths: [{ coalesce: 4, minTileRow: 0, maxTileRow: 0 }] });
  const grid = new MatrixGrid({ tileMatrices: [wide] });
  assert.deepEqual(grid.tile([0, 6, 0]), { id: "0", column: 4, row: 0, coalesce: 4, within: 2 });
  assert.deepEqual(grid.tile([0, 6, 1]), { id: "0", column: 6, row: 1, coalesce: 1, within: 0 });
  for (const outside of [[1, 0, 0], [0, -1, 0], [0, 0, -1], [0, 8, 0], [0, 0, 4]]) assert.equal(grid.tile(outside), null);
  assert.equal(tileUrl("/tiles/{z}/{y}/{x}", { id: "-3", column: 4, row: 7 }), "/tiles/-3/7/4");
});
