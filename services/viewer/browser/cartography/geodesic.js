// Lengths and areas on the WGS 84 ellipsoid. Positions are [longitude, latitude] in degrees.

import geodesic from "geographiclib-geodesic";

import { beside } from "./longitudes.js";

/** @import { Position } from "../types.d.ts" */

const wgs84 = geodesic.Geodesic.WGS84;
const STEP = 50_000; // metres between the vertices of a line that is to look right in any projection

/**
 * Metres along the shortest lines between the positions.
 * @param {Position[]} positions
 */
export function pathLength(positions) {
  let sum = 0;
  for (let at = 1; at < positions.length; at++) sum += inverse(positions[at - 1], positions[at]).length;
  return sum;
}

/**
 * Square metres inside the ring of the positions, whichever way round it runs.
 * @param {Position[]} positions
 */
export function ringArea(positions) {
  const ring = wgs84.Polygon(false);
  for (const [longitude, latitude] of positions) ring.AddPoint(latitude, longitude);
  return Math.abs(ring.Compute(false, true).area ?? 0);
}

/**
 * The shortest lines between the positions as a GeoJSON line; longitudes run on beyond ±180°.
 * @param {Position[]} positions
 * @returns {Position[]}
 */
export function shortestLine(positions) {
  const line = positions.slice(0, 1);
  for (let at = 1; at < positions.length; at++) {
    const { length, azimuth } = inverse(positions[at - 1], positions[at]);
    const [longitude, latitude] = positions[at - 1];
    const pieces = Math.max(1, Math.min(400, Math.ceil(length / STEP)));
    for (let piece = 1; piece <= pieces; piece++) {
      const { lon2 = longitude, lat2 = latitude } = wgs84.Direct(latitude, longitude, azimuth, (length * piece) / pieces);
      line.push([beside(lon2, line[line.length - 1][0]), lat2]);
    }
  }
  return line;
}

/**
 * Metres between two positions, and the azimuth at the first in degrees.
 * @param {Position} from
 * @param {Position} to
 */
function inverse([lon1, lat1], [lon2, lat2]) {
  const { s12 = NaN, azi1 = NaN } = wgs84.Inverse(lat1, lon1, lat2, lon2);
  return { length: s12, azimuth: azi1 };
}
