// How far winds reach around a position, from radii by quadrant. Positions are [longitude, latitude] in degrees.

import geodesic from "geographiclib-geodesic";

import { beside } from "./longitudes.js";

/** @import { Position } from "../types.d.ts" */

const METRES_PER_NAUTICAL_MILE = 1852;
const PER_QUADRANT = 9; // corners of a quadrant's arc, both ends included: as deploy/loader/geometry/wind_zones.py has them

/**
 * The closed ring around a centre, clockwise from the north; longitudes run on beyond ±180°. A radius of 0 leaves its
 * quadrant out.
 * @param {Position} center
 * @param {number[]} radii nautical miles to the north-east, south-east, south-west and north-west
 * @returns {Position[]}
 */
export function windZone([longitude, latitude], radii) {
  const ring = radii.flatMap((radius, quadrant) =>
    Array.from({ length: PER_QUADRANT }, (_, at) => {
      const azimuth = 90 * quadrant + (90 * at) / (PER_QUADRANT - 1);
      const { lon2 = longitude, lat2 = latitude } = geodesic.Geodesic.WGS84.Direct(latitude, longitude, azimuth, radius * METRES_PER_NAUTICAL_MILE);
      return /** @type {Position} */ ([beside(lon2, longitude), lat2]);
    }),
  );
  return [...ring, ring[0]];
}
