// Rings of polygons, not closed; positions are [longitude, latitude] in degrees, and longitudes may run on beyond ±180°.

/** @import { Position } from "../types.d.ts" */

const EDGE = 180;

/**
 * Whether two edges of the ring cross or touch where they do not follow each other.
 * @param {Position[]} ring
 */
export function crossesItself(ring) {
  const number = ring.length;
  for (let one = 0; one < number; one++) {
    for (let other = one + 2; other < number; other++) {
      if (one === 0 && other === number - 1) continue;
      if (meet(ring[one], ring[one + 1], ring[other], ring[(other + 1) % number])) return true;
    }
  }
  return false;
}

/**
 * @param {Position} a
 * @param {Position} b
 * @param {Position} c
 * @param {Position} d
 */
function meet(a, b, c, d) {
  const [one, two, three, four] = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)];
  if (one * two < 0 && three * four < 0) return true;
  return (one === 0 && isBetween(a, b, c)) || (two === 0 && isBetween(a, b, d)) || (three === 0 && isBetween(c, d, a)) || (four === 0 && isBetween(c, d, b));
}

/**
 * Positive where the third position lies to the left of the way from the first to the second.
 * @param {Position} a
 * @param {Position} b
 * @param {Position} c
 */
export const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

/**
 * Whether a position on the line through two others lies between them.
 * @param {Position} a
 * @param {Position} b
 * @param {Position} c
 */
const isBetween = (a, b, c) => [0, 1].every((at) => Math.min(a[at], b[at]) <= c[at] && c[at] <= Math.max(a[at], b[at]));

/**
 * The parts of a ring on either side of the antimeridian, with longitudes from -180 to 180; null where it is cut so often
 * that a part would touch itself.
 * @param {Position[]} ring
 * @returns {Position[][] | null}
 */
export function cutAtAntimeridian(ring) {
  const parts = [0, -360, 360]
    .map((shift) => ring.map(([x, y]) => /** @type {Position} */ ([x + shift, y])))
    .map((moved) => half(half(moved, 1), -1))
    .filter((part) => part.some((position) => turn(part[0], part[1], position) !== 0));
  return parts.some((part) => edgesAlong(part, EDGE) > 1 || edgesAlong(part, -EDGE) > 1) ? null : parts;
}

/**
 * The part of a ring west of 180° (`side` 1) or east of -180° (`side` -1), by the algorithm of Sutherland and Hodgman.
 * @param {Position[]} ring
 * @param {1 | -1} side
 */
function half(ring, side) {
  return ring.flatMap((to, at) => {
    const from = ring[(at + ring.length - 1) % ring.length];
    const [before, after] = [side * from[0] - EDGE, side * to[0] - EDGE];
    /** @type {Position[]} */
    const kept = before * after < 0 ? [[side * EDGE, from[1] + ((to[1] - from[1]) * before) / (before - after)]] : [];
    return after <= 0 ? [...kept, to] : kept;
  });
}

/**
 * @param {Position[]} ring
 * @param {number} longitude
 */
const edgesAlong = (ring, longitude) =>
  ring.filter(([x], at) => x === longitude && ring[(at + 1) % ring.length][0] === longitude).length;
