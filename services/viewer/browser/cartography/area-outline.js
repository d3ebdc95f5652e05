// An area as it is drawn: a closed ring, its box. Positions are [longitude, latitude] in degrees.

import geodesic from "geographiclib-geodesic";

import { beside } from "./longitudes.js";

/** @import { Area, Box, Position } from "../types.d.ts" */

const STEP = 1; // degrees between the vertices of an edge, which is straight in longitude and latitude
const VERTICES = 180; // of a circle
const QUARTER = 10_000; // kilometres from a pole to the equator, nearly

/**
 * The closed ring around an area; longitudes run on beyond ±180°. Around a pole the ring runs along the edge of the world.
 * @param {Area} area
 * @returns {Position[]}
 */
export function areaOutline(area) {
  if (area.kind === "circle") return circle(area.center, area.kilometres);
  if (area.kind === "polygon") return straight([...area.ring, area.ring[0]]);
  const [west, south, east, north] = unbroken(area.box);
  return straight([[west, south], [east, south], [east, north], [west, north], [west, south]]);
}

/** @param {Box} box */
const unbroken = ([west, south, east, north]) => [west, south, east < west ? east + 360 : east, north];

/**
 * Edges that are straight in longitude and latitude, with vertices so that they bend in a projection.
 * @param {Position[]} ring
 * @returns {Position[]}
 */
function straight(ring) {
  const line = ring.slice(0, 1);
  for (let at = 1; at < ring.length; at++) {
    const [from, to] = [ring[at - 1], ring[at]];
    const pieces = Math.max(1, Math.ceil(Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1])) / STEP));
    for (let piece = 1; piece <= pieces; piece++) {
      line.push([from[0] + ((to[0] - from[0]) * piece) / pieces, from[1] + ((to[1] - from[1]) * piece) / pieces]);
    }
  }
  return line;
}

/**
 * @param {Position} center
 * @param {number} kilometres
 * @returns {Position[]}
 */
function circle([longitude, latitude], kilometres) {
  /** @type {Position[]} */
  const ring = [];
  for (let at = 0; at <= VERTICES; at++) {
    const { lon2 = longitude, lat2 = latitude } = geodesic.Geodesic.WGS84.Direct(latitude, longitude, (360 * at) / VERTICES, kilometres * 1000);
    ring.push([beside(lon2, ring.length ? ring[ring.length - 1][0] : longitude), lat2]);
  }
  const turned = Math.round((ring[VERTICES][0] - ring[0][0]) / 360);
  if (!turned) return ring;
  const pole = latitude + (kilometres / QUARTER) * 90 > 90 ? 90 : -90;
  return [...ring, [ring[VERTICES][0], pole], [ring[0][0], pole], ring[0]];
}

/**
 * The box around an area; where it reaches around the world, all longitudes.
 * @param {Area} area
 * @returns {Box}
 */
export function areaBox(area) {
  const ring = areaOutline(area);
  const [longitudes, latitudes] = [ring.map(([x]) => x), ring.map(([, y]) => y)];
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)];
  if (east - west >= 360) return [-180, south, 180, north];
  const turn = west < -180 ? 360 : 0;
  return [west + turn, south, east + turn, north];
}
