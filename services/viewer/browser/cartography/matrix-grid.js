// From an OGC TileMatrixSet resource to an OpenLayers tile grid and back to the addresses of tiles.

/** @import { TileMatrix, TileMatrixSet } from "../types.d.ts" */
/** @typedef {{ id: string, column: number, row: number, coalesce: number, within: number }} Tile */

const SMALLEST_TILE = 96; // pixels on the screen, where a matrix set is to be seen from afar
const NARROWEST = 512; // pixels

export class MatrixGrid {
  /**
   * `minzoom` and `maxzoom` bound the matrix ids that have tiles.
   * @param {TileMatrixSet} tileMatrixSet
   * @param {{ minzoom?: number, maxzoom?: number }} [bounds]
   */
  constructor(tileMatrixSet, { minzoom = -Infinity, maxzoom = Infinity } = {}) {
    this.matrices = tileMatrixSet.tileMatrices
      .filter(({ id }) => Number(id) >= minzoom && Number(id) <= maxzoom)
      .sort((a, b) => b.cellSize - a.cellSize);
    // the coordinates of origins are in the axis order of the CRS
    this.swapped = /^(lat|y|n)/i.test(tileMatrixSet.orderedAxes?.[0] ?? "E");
  }

  /**
   * Left and top of a matrix.
   * @param {TileMatrix} matrix
   */
  origin({ pointOfOrigin: [a, b] }) {
    return this.swapped ? [b, a] : [a, b];
  }

  /** Left, bottom, right, top of everything that has tiles. */
  extent() {
    const boxes = this.matrices.map((matrix) => {
      const [left, top] = this.origin(matrix);
      const { cellSize, tileWidth, tileHeight, matrixWidth, matrixHeight } = matrix;
      return [left, top - cellSize * tileHeight * matrixHeight, left + cellSize * tileWidth * matrixWidth, top];
    });
    return [0, 1, 2, 3].map((side) => (side < 2 ? Math.min : Math.max)(...boxes.map((box) => box[side])));
  }

  /** Resolution beyond which a screen would need hundreds of tiles (CDB has one-degree tiles at every scale above). */
  maxResolution() {
    const { cellSize, tileWidth } = this.matrices[0];
    return Math.min(cellSize * 2, (cellSize * tileWidth) / SMALLEST_TILE);
  }

  /** Resolution at which all of the matrix set fits a small screen, or its coarsest tiles have a sensible size. */
  viewResolution() {
    const [left, , right] = this.extent();
    return Math.max(this.maxResolution(), (right - left) / NARROWEST);
  }

  minResolution() {
    return this.matrices[this.matrices.length - 1].cellSize / 4;
  }

  /** Options of ol/tilegrid/TileGrid. */
  options() {
    return {
      extent: this.extent(),
      resolutions: this.matrices.map(({ cellSize }) => cellSize),
      origins: this.matrices.map((matrix) => this.origin(matrix)),
      sizes: this.matrices.map(({ matrixWidth, matrixHeight }) => [matrixWidth, matrixHeight]),
      tileSizes: this.matrices.map(({ tileWidth, tileHeight }) => [tileWidth, tileHeight]),
    };
  }

  /**
   * The tile at [index of the matrix, column, row], null outside. `coalesce` columns make one tile there, and the column
   * asked for is `within` columns east of its first.
   * @param {number[]} coordinate
   * @returns {Tile | null}
   */
  tile([index, column, row]) {
    const matrix = this.matrices[index];
    if (!matrix || column < 0 || row < 0 || column >= matrix.matrixWidth || row >= matrix.matrixHeight) return null;
    const wide = (matrix.variableMatrixWidths ?? []).find(({ minTileRow, maxTileRow }) => row >= minTileRow && row <= maxTileRow);
    const coalesce = wide?.coalesce ?? 1;
    return { id: matrix.id, column: column - (column % coalesce), row, coalesce, within: column % coalesce };
  }
}

/**
 * The address of a tile in a template with {z}, {x} and {y}.
 * @param {string} template
 * @param {Pick<Tile, "id" | "column" | "row">} tile
 */
export const tileUrl = (template, { id, column, row }) =>
  template.replace("{z}", id).replace("{x}", String(column)).replace("{y}", String(row));
