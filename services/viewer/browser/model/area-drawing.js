// An area as it is drawn on the map, point by point.

import { pathLength } from "../cartography/geodesic.js";
import { beside } from "../cartography/longitudes.js";
import { wrapped } from "../cartography/view-box.js";
import { boxOf, circleOf, FARTHEST, polygonOf } from "./area.js";

/** @import { Area, Position } from "../types.d.ts" */

/** How many points make the area; of a polygon, at least. @type {Record<Area["kind"], number>} */
export const POINTS = { box: 2, circle: 2, polygon: 3 };

/**
 * The area of the points: opposite corners of a box, middle and edge of a circle, corners of a polygon. null while there are
 * too few, or where they make none, as two at the same place.
 * @param {Area["kind"]} kind
 * @param {Position[]} points
 * @param {boolean} shorter whether a box goes the shorter way around the world, as where longitudes do not run on beyond ±180°
 * @returns {Area | null}
 */
export function drawnArea(kind, points, shorter) {
  if (points.length < POINTS[kind]) return null;
  try {
    if (kind === "polygon") return polygonOf(points.flat());
    const [first, second] = points;
    if (kind === "box") return drawnBox(first, second, shorter);
    const kilometres = Math.min(FARTHEST, pathLength([first, second]) / 1000);
    return circleOf([wrapped(first[0]), first[1], Number(kilometres.toPrecision(3))]);
  } catch {
    return null;
  }
}

/**
 * @param {Position} first
 * @param {Position} second
 * @param {boolean} shorter
 */
function drawnBox([x, y], [along, up], shorter) {
  const [west, east] = [x, shorter ? beside(along, x) : along].sort((a, b) => a - b);
  const longitudes = east - west >= 360 ? [-180, 180] : [wrapped(west), wrapped(east)];
  return boxOf([longitudes[0], Math.min(y, up), longitudes[1], Math.max(y, up)]);
}
