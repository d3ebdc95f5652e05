// Which tiles of WorldCRS84Quad a view is drawn from.

/** @import { Box } from "../types.d.ts" */
/** @typedef {{ name: string, zoom: number, column: number, row: number, box: Box }} GridTile */

const MOST = 48; // tiles at a time: at the poles, where all meridians are near, coarser ones are taken

/**
 * The tiles over a box, which lies west to east and may reach beyond ±180°: those of the zoom at which they are about as
 * wide as in Web Mercator, `last` at most.
 * @param {Box} box
 * @param {number} zoom as of Web Mercator with tiles of 512 pixels
 * @param {number} last
 * @returns {GridTile[]}
 */
export function tilesOver(box, zoom, last) {
  for (let level = Math.max(0, Math.min(last, Math.floor(zoom))); ; level--) {
    const tiles = tilesAt(box, level);
    if (tiles.length <= MOST || level === 0) return tiles;
  }
}

/**
 * @param {Box} box
 * @param {number} zoom
 * @returns {GridTile[]}
 */
function tilesAt([west, south, east, north], zoom) {
  const side = 180 / 2 ** zoom;
  const [columns, rows] = [2 ** (zoom + 1), 2 ** zoom];
  /** @param {number} row */
  const within = (row) => Math.max(0, Math.min(rows - 1, row));
  const first = Math.floor((west + 180) / side);
  const width = Math.min(columns, Math.max(first + 1, Math.ceil((east + 180) / side)) - first);
  const tiles = [];
  for (let row = within(Math.floor((90 - north) / side)); row <= within(Math.ceil((90 - south) / side) - 1); row++) {
    for (let at = first; at < first + width; at++) {
      const column = ((at % columns) + columns) % columns;
      const [left, top] = [column * side - 180, 90 - row * side];
      tiles.push({ name: `${zoom}/${row}/${column}`, zoom, column, row, box: /** @type {Box} */ ([left, top - side, left + side, top]) });
    }
  }
  return tiles;
}
