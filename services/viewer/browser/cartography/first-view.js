// The view of a map before the user moves it.

/** @import { Box, Collection } from "../types.d.ts" */

/** @type {Box} */
const INHABITED = [-170, -56, 190, 72];

/**
 * The home area of the projection, else the extent of the collection, else the inhabited world.
 * @param {Collection | undefined} collection
 * @param {Box | undefined} home
 * @returns {Box}
 */
export function firstBox(collection, home) {
  const box = collection?.bbox;
  if (home) return home;
  return !box || box[2] - box[0] > 240 || box[2] < box[0] ? INHABITED : box;
}
