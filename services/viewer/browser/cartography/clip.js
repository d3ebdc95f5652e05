// Cutting GeoJSON to a box of longitudes and latitudes, and adding vertices so that edges bend in a projection.

/** @import { Geometry, Position } from "geojson" */
/** @import { Box } from "../types.d.ts" */

const STEP = 2; // degrees between vertices

/**
 * The part of a geometry inside the box, with vertices at most two degrees apart; null if it is outside. A box with
 * east > 180 also includes features just east of the antimeridian.
 * @param {Geometry} geometry
 * @param {Box} box
 * @returns {Geometry | null}
 */
export function clipped(geometry, box) {
  const copies = box[2] > 180 ? [0, 360] : [0];
  const parts = copies.flatMap((shift) => clippedCopy(geometry, box, shift));
  if (!parts.length) return null;
  const kind = geometry.type.replace("Multi", "");
  const one = parts.length === 1;
  return /** @type {Geometry} */ ({ type: one ? kind : `Multi${kind}`, coordinates: one ? parts[0] : parts });
}

/**
 * Coordinates of the parts that are left of a geometry which is moved east by `shift` degrees.
 * @param {Geometry} geometry
 * @param {Box} box
 * @param {number} shift
 * @returns {unknown[]}
 */
function clippedCopy(geometry, box, shift) {
  /** @param {Position[]} line */
  const moved = (line) => (shift ? line.map(([x, y]) => [x + shift, y]) : line);
  switch (geometry.type) {
    case "Point": {
      const [x, y] = [geometry.coordinates[0] + shift, geometry.coordinates[1]];
      return x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3] ? [[x, y]] : [];
    }
    case "LineString":
      return clippedLine(moved(geometry.coordinates), box).map(densified);
    case "MultiLineString":
      return geometry.coordinates.flatMap((line) => clippedLine(moved(line), box).map(densified));
    case "Polygon": {
      const rings = geometry.coordinates.map((ring) => clippedRing(moved(ring), box)).filter((ring) => ring.length > 3);
      return rings.length ? [rings.map(densified)] : [];
    }
    case "MultiPolygon":
      return geometry.coordinates.flatMap((polygon) => clippedCopy({ type: "Polygon", coordinates: polygon }, box, shift));
    default:
      return [];
  }
}

/**
 * By Sutherland and Hodgman, one side of the box after the other; edges along the box are harmless in a fill.
 * @param {Position[]} ring
 * @param {Box} box
 */
function clippedRing(ring, [west, south, east, north]) {
  const sides = [
    [0, west, 1],
    [0, east, -1],
    [1, south, 1],
    [1, north, -1],
  ];
  let inner = ring;
  for (const [axis, limit, sign] of sides) {
    /** @param {Position} position */
    const inside = (position) => sign * (position[axis] - limit) >= 0;
    const next = [];
    for (let at = 0; at < inner.length - 1; at++) {
      const [from, to] = [inner[at], inner[at + 1]];
      if (inside(from)) next.push(from);
      if (inside(from) !== inside(to)) next.push(crossing(from, to, axis, limit));
    }
    if (next.length) next.push(next[0]);
    inner = next;
  }
  return inner;
}

/**
 * @param {Position[]} line
 * @param {Box} box
 */
function clippedLine(line, [west, south, east, north]) {
  const lines = [];
  /** @type {Position[]} */
  let current = [];
  /** @param {Position} position */
  const inside = ([x, y]) => x >= west && x <= east && y >= south && y <= north;
  for (const position of line) {
    if (inside(position)) current.push(position);
    else if (current.length) {
      lines.push(current);
      current = [];
    }
  }
  if (current.length) lines.push(current);
  return lines.filter((part) => part.length > 1);
}

/**
 * Where the edge crosses a side of the box.
 * @param {Position} from
 * @param {Position} to
 * @param {number} axis
 * @param {number} limit
 */
function crossing(from, to, axis, limit) {
  const part = (limit - from[axis]) / (to[axis] - from[axis]);
  const other = 1 - axis;
  const position = [0, 0];
  position[axis] = limit;
  position[other] = from[other] + part * (to[other] - from[other]);
  return position;
}

/** @param {Position[]} line */
function densified(line) {
  const dense = [line[0]];
  for (let at = 1; at < line.length; at++) {
    const [x0, y0] = line[at - 1];
    const [x1, y1] = line[at];
    const pieces = Math.ceil(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)) / STEP);
    for (let piece = 1; piece < pieces; piece++) {
      dense.push([x0 + ((x1 - x0) * piece) / pieces, y0 + ((y1 - y0) * piece) / pieces]);
    }
    dense.push(line[at]);
  }
  return dense;
}
