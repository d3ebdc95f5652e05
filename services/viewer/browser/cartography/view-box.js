// The box of longitudes and latitudes that a view shows.

/** @import { Box, Position } from "../types.d.ts" */

/** Zoom level that fitting a box goes to at most, unless a caller says otherwise. */
export const NEAREST = 14;

/**
 * Whether a box is a single position.
 * @param {Box} box
 */
export const isPosition = ([west, south, east, north]) => west === east && south === north;

/**
 * South-west and north-east corner as Web Mercator shows them: to 80° south and 84° north, the east right of the west.
 * @param {Box} box
 * @returns {[Position, Position]}
 */
export function mercatorBounds([west, south, east, north]) {
  return [[west, Math.max(south, -80)], [east < west ? east + 360 : east, Math.min(north, 84)]];
}

/**
 * A longitude between -180 and 180.
 * @param {number} longitude
 */
export const wrapped = (longitude) => ((((longitude + 180) % 360) + 360) % 360) - 180;

/**
 * A box with longitudes between -180 and 180; west > east across ±180°, and the whole world if it goes around it.
 * @param {Box} box degrees, east right of west
 * @returns {Box}
 */
export function wrappedBox([west, south, east, north]) {
  const [bottom, top] = [Math.max(-90, south), Math.min(90, north)];
  return east - west >= 360 ? [-180, bottom, 180, top] : [wrapped(west), bottom, wrapped(east), top];
}

/**
 * The box around positions of a view, its longitudes outside their widest gap; `pole` is the latitude of a pole that
 * the view shows.
 * @param {Position[]} positions
 * @param {number} [pole]
 * @returns {Box}
 */
export function boxAround(positions, pole) {
  const latitudes = positions.map(([, y]) => y);
  const south = pole === -90 ? -90 : Math.min(...latitudes);
  const north = pole === 90 ? 90 : Math.max(...latitudes);
  if (pole !== undefined) return [-180, south, 180, north];
  const sorted = positions.map(([x]) => x).sort((a, b) => a - b);
  const [first, last] = [sorted[0], sorted[sorted.length - 1]];
  let widest = first + 360 - last;
  /** @type {Box} */
  let box = [first, south, last, north];
  for (let at = 1; at < sorted.length; at++) {
    if (sorted[at] - sorted[at - 1] <= Math.max(widest, 60)) continue;
    widest = sorted[at] - sorted[at - 1];
    box = [sorted[at], south, sorted[at - 1], north];
  }
  return box;
}

/**
 * The part of a box (west > east across ±180°) that lies in the area of a projection; null where they do not meet.
 * @param {Box} box
 * @param {Box} area
 * @returns {Box | null}
 */
export function shared([west, south, east, north], [left, bottom, right, top]) {
  const end = east < west ? east + 360 : east;
  /** @type {Box} */
  const box = [Math.max(west, left), Math.max(south, bottom), Math.min(end, right), Math.min(north, top)];
  return box[0] <= box[2] && box[1] <= box[3] ? box : null;
}

/**
 * Positions of a grid over a box, `steps` + 1 in each direction.
 * @param {number[]} box
 * @param {number} steps
 * @returns {Position[]}
 */
export function gridOver([left, bottom, right, top], steps) {
  const along = Array.from({ length: steps + 1 }, (_, at) => at / steps);
  return along.flatMap((x) =>
    along.map((y) => /** @type {Position} */ ([left + (right - left) * x, bottom + (top - bottom) * y])),
  );
}
