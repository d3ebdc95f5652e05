// What a popup and a view need to know of a GeoJSON geometry.

/** @import { Geometry, Position as Coordinates } from "geojson" */
/** @import { Box, Position } from "../types.d.ts" */

/**
 * The box around a geometry.
 * @param {Geometry} geometry
 * @returns {Box}
 */
export function bboxOf(geometry) {
  /** @type {Box} */
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of positionsOf(geometry)) {
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  }
  return box;
}

/**
 * A position on a point or line, or the middle of an area's box, for the tip of a popup; null where there is none.
 * @param {Geometry | null} geometry
 * @returns {Position | null}
 */
export function anchor(geometry) {
  if (!geometry) return null;
  if (geometry.type === "GeometryCollection") return anchor(geometry.geometries[0] ?? null);
  if (geometry.type.endsWith("Polygon")) {
    const [west, south, east, north] = bboxOf(geometry);
    return [(west + east) / 2, (south + north) / 2];
  }
  /** @type {unknown} */
  let coordinates = geometry.coordinates;
  while (Array.isArray(coordinates) && typeof coordinates[0] !== "number") {
    // the middle one of a line is on it, which the middle of its box need not be
    coordinates = coordinates[Math.floor(coordinates.length / 2)];
  }
  const [x, y] = /** @type {Coordinates} */ (coordinates ?? []);
  return x === undefined ? null : [x, y];
}

/**
 * @param {Geometry} geometry
 * @returns {Generator<Coordinates>}
 */
function* positionsOf(geometry) {
  if (geometry.type === "GeometryCollection") for (const part of geometry.geometries) yield* positionsOf(part);
  else yield* positionsIn(geometry.coordinates);
}

/**
 * @param {unknown[]} coordinates
 * @returns {Generator<Coordinates>}
 */
function* positionsIn(coordinates) {
  if (typeof coordinates[0] === "number") yield /** @type {Coordinates} */ (coordinates);
  else for (const part of coordinates) yield* positionsIn(/** @type {unknown[]} */ (part));
}
