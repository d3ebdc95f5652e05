// The view of a map before the user moves it.

import { wrapped } from "./view-box.js";

/** @import { Box, Collection } from "../types.d.ts" */

/** @type {Box} */
const INHABITED = [-170, -56, 190, 72];

/**
 * The home area of the projection, else the extent of the collections, else the inhabited world.
 * @param {Pick<Collection, "bbox">[]} collections
 * @param {Box | undefined} home
 * @returns {Box}
 */
export function firstBox(collections, home) {
  if (home) return home;
  const boxes = collections.flatMap(({ bbox }) => (bbox ? [bbox] : []));
  // a box across the antimeridian goes on beyond 180°
  const east = boxes.map(([west, , right]) => (right < west ? right + 360 : right));
  const [left, right] = [Math.min(...boxes.map(([west]) => west)), Math.max(...east)];
  if (!boxes.length || right - left > 240) return INHABITED;
  return [left, Math.min(...boxes.map(([, south]) => south)), wrapped(right), Math.max(...boxes.map(([, , , north]) => north))];
}
