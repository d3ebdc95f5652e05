// What a map shows before anybody has moved it.

/** @import { Box, Collection } from "../types.d.ts" */

/** @type {Box} */
const INHABITED = [-170, -56, 190, 72];

/**
 * Where the projection is at home, the collection, or the inhabited world.
 * @param {Collection | undefined} collection
 * @param {Box | undefined} home
 * @returns {Box}
 */
export function firstBox(collection, home) {
  const box = collection?.bbox;
  if (home) return home;
  return !box || box[2] - box[0] > 240 || box[2] < box[0] ? INHABITED : box;
}
