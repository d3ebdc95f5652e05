// The tiles of a Web Mercator view before a library draws it, with which they can be requested while it loads.

import { mercatorBounds, NEAREST } from "./view-box.js";

/** @import { Box, Padding, Position, View } from "../types.d.ts" */
/** @typedef {{ zoom: number, middle: Position }} Frame the middle in the square world: 0 to 1 from its north-west */
/** @typedef {{ width: number, height: number }} Size in pixels */
/** @typedef {{ minzoom?: number, maxzoom?: number, bounds?: Box }} Offer of a source */

const TILE = 512; // pixels of a tile at its own zoom
const EDGE = 85.051129; // latitude at which the world is a square

/**
 * @param {Position} position
 * @returns {Position}
 */
function projected([longitude, latitude]) {
  const sine = Math.sin((Math.max(-EDGE, Math.min(EDGE, latitude)) * Math.PI) / 180);
  return [longitude / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

/**
 * The part of the world that a map of this size has in a view.
 * @param {View} view
 * @returns {Frame}
 */
export const frameOf = ({ zoom, center }) => ({ zoom, middle: projected(center) });

/**
 * The same for the view that shows a box within the padding.
 * @param {Box} box
 * @param {Padding} padding
 * @param {Size} size
 * @returns {Frame}
 */
export function frameAround(box, { left, right, top, bottom }, { width, height }) {
  const [[west, south], [east, north]] = mercatorBounds(box).map(projected);
  const scale = Math.min((width - left - right) / (east - west), (height - top - bottom) / (south - north)) / TILE;
  const zoom = Math.min(Math.log2(Math.max(scale, 1e-6)), NEAREST);
  const world = TILE * 2 ** zoom;
  return { zoom, middle: [(west + east) / 2 - (left - right) / 2 / world, (north + south) / 2 - (top - bottom) / 2 / world] };
}

/**
 * The tiles `[zoom, x, y]` that a source has of a frame, those near its middle first. Above and below the world nothing
 * is shown, and no map is smaller than one tile.
 * @param {Frame} frame
 * @param {Size} size
 * @param {Offer} offer
 * @returns {[number, number, number][]}
 */
export function tilesInView({ zoom, middle: [x, y] }, { width, height }, { minzoom = 0, maxzoom = 22, bounds }) {
  const world = TILE * 2 ** Math.max(0, zoom, Math.log2(height / TILE));
  const [acrossHalf, downHalf] = [width / world / 2, height / world / 2];
  const level = Math.min(Math.floor(Math.log2(world / TILE)), maxzoom);
  if (level < minzoom) return [];
  const number = 2 ** level;
  const center = Math.max(downHalf, Math.min(1 - downHalf, y));
  const [west, north, east, south] = bounds ? [...projected([bounds[0], bounds[3]]), ...projected([bounds[2], bounds[1]])] : [0, 0, 1, 1];
  /** @type {Map<string, { tile: [number, number, number], far: number }>} */
  const found = new Map();
  for (let row = Math.max(0, Math.floor((center - downHalf) * number)); row < Math.min(number, (center + downHalf) * number); row++) {
    for (let at = Math.floor((x - acrossHalf) * number); at < (x + acrossHalf) * number; at++) {
      const column = ((at % number) + number) % number;
      const far = Math.hypot((at + 0.5) / number - x, (row + 0.5) / number - center);
      const has = column + 1 > west * number && column < east * number && row + 1 > north * number && row < south * number;
      const tile = /** @type {[number, number, number]} */ ([level, column, row]);
      if (has && (found.get(tile.join())?.far ?? Infinity) > far) found.set(tile.join(), { tile, far });
    }
  }
  return [...found.values()].sort((one, other) => one.far - other.far).map(({ tile }) => tile);
}
