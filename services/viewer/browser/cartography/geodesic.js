// Lengths and areas on the WGS 84 ellipsoid. Positions are [longitude, latitude] in degrees.

import geodesic from "geographiclib-geodesic";

const wgs84 = geodesic.Geodesic.WGS84;
const STEP = 50_000; // metres between the vertices of a line that is to look right in any projection

/** Metres along the shortest lines between the positions. */
export function pathLength(positions) {
  let sum = 0;
  for (let at = 1; at < positions.length; at++) sum += inverse(positions[at - 1], positions[at]).s12;
  return sum;
}

/** Square metres inside the ring of the positions, whichever way round it runs. */
export function ringArea(positions) {
  const ring = wgs84.Polygon(false);
  for (const [longitude, latitude] of positions) ring.AddPoint(latitude, longitude);
  return Math.abs(ring.Compute(false, true).area);
}

/** The shortest lines between the positions as a GeoJSON line; longitudes run on beyond ±180°. */
export function shortestLine(positions) {
  const line = positions.slice(0, 1);
  for (let at = 1; at < positions.length; at++) {
    const { s12, azi1 } = inverse(positions[at - 1], positions[at]);
    const [longitude, latitude] = positions[at - 1];
    const pieces = Math.max(1, Math.min(400, Math.ceil(s12 / STEP)));
    for (let piece = 1; piece <= pieces; piece++) {
      const { lon2, lat2 } = wgs84.Direct(latitude, longitude, azi1, (s12 * piece) / pieces);
      const before = line.at(-1)[0];
      line.push([before + ((((lon2 - before + 180) % 360) + 360) % 360) - 180, lat2]);
    }
  }
  return line;
}

const inverse = ([lon1, lat1], [lon2, lat2]) => wgs84.Inverse(lat1, lon1, lat2, lon2);
