// The area of the filter, as the parameter `a` of a link: `box/118,21,123,26`, `circle/121.5319,25.0478,300/Taipei` (in
// kilometres) or `polygon/118,21,123,21,123,26`; longitudes before latitudes, in degrees.

import { beside } from "../cartography/longitudes.js";
import { crossesItself, cutAtAntimeridian, turn } from "../cartography/rings.js";
import { say } from "../words/say.js";

/** @import { Area, Position } from "../types.d.ts" */

const DIGITS = 4; // eleven metres
const MOST_CORNERS = 100;
/** Kilometres: half the way around the earth. */
export const FARTHEST = 20_000;

/**
 * Parses the text of an area. Throws an error whose message says in one sentence what is wrong.
 * @param {string} text
 * @returns {Area}
 */
export function parseArea(text) {
  const [kind, numbers = "", ...name] = text.split("/");
  const values = numbers.split(",").map((each) => (each.trim() === "" ? NaN : Number(each)));
  if (!["box", "circle", "polygon"].includes(kind)) throw new Error(say("An area is a box, a circle or a polygon"));
  if (!values.every(Number.isFinite)) throw new Error(say("An area is made of numbers, with commas between them"));
  if (kind === "box") return boxOf(values);
  return kind === "circle" ? circleOf(values, name.join("/")) : polygonOf(values);
}

/**
 * @param {number[]} values west, south, east, north
 * @returns {Area}
 */
export function boxOf(values) {
  if (values.length !== 4) throw new Error(say("A box has four edges: west, south, east, north"));
  const [west, south, east, north] = values.map(rounded);
  checkLongitudes([west, east], 180);
  checkLatitudes([south, north]);
  if (south >= north) throw new Error(say("The north of a box is greater than its south"));
  if (west === east) throw new Error(say("A box has a width: its west and its east differ"));
  return { kind: "box", box: [west, south, east, north] };
}

/**
 * @param {number[]} values longitude, latitude, kilometres
 * @param {string} [name] of the place at the centre
 * @returns {Area}
 */
export function circleOf(values, name = "") {
  if (values.length !== 3) throw new Error("A circle has a longitude, a latitude and a distance in kilometres");
  const [longitude, latitude, kilometres] = [...values.slice(0, 2).map(rounded), Number(values[2].toFixed(3))];
  checkLongitudes([longitude], 180);
  checkLatitudes([latitude]);
  if (!(kilometres > 0 && kilometres <= FARTHEST)) throw new Error(say("The distance is more than 0 and at most {number} kilometres", { number: FARTHEST }));
  return { kind: "circle", center: [longitude, latitude], kilometres, name: name.trim() };
}

/**
 * @param {number[]} values longitude and latitude of each corner
 * @returns {Area}
 */
export function polygonOf(values) {
  if (values.length % 2) throw new Error("A polygon has a latitude for each longitude");
  if (values.length < 6) throw new Error("A polygon has three corners at least");
  if (values.length > 2 * MOST_CORNERS) throw new Error(say("A polygon has {number} corners at most", { number: MOST_CORNERS }));
  checkLatitudes(values.filter((_, at) => at % 2 === 1));
  checkLongitudes(values.filter((_, at) => at % 2 === 0), 360);
  /** @type {Position[]} */
  const ring = [];
  for (let at = 0; at < values.length; at += 2) {
    // an edge goes the shorter way, also over the antimeridian
    const longitude = ring.length ? beside(values[at], ring[ring.length - 1][0]) : beside(values[at], 0);
    ring.push([rounded(longitude), rounded(values[at + 1])]);
  }
  if (ring.every(([x, y]) => turn(ring[0], ring[1], [x, y]) === 0)) throw new Error(say("The corners of a polygon lie not all on a line"));
  if (crossesItself(ring)) throw new Error(say("The edges of a polygon do not cross or touch each other"));
  if (!cutAtAntimeridian(ring)) throw new Error("A polygon crosses the antimeridian once, there and back");
  return { kind: "polygon", ring };
}

/** @param {number} value */
const rounded = (value) => Number(value.toFixed(DIGITS));

/** @param {number[]} latitudes */
function checkLatitudes(latitudes) {
  if (latitudes.some((each) => Math.abs(each) > 90)) throw new Error(say("Latitudes are from -90 to 90"));
}

/**
 * @param {number[]} longitudes
 * @param {number} most
 */
function checkLongitudes(longitudes, most) {
  if (longitudes.some((each) => Math.abs(each) > most)) throw new Error(say("Longitudes are from {least} to {most}", { least: String(-most), most: String(most) }));
}

/**
 * The inverse of parseArea.
 * @param {Area} area
 */
export function areaText(area) {
  if (area.kind === "box") return `box/${area.box.join()}`;
  if (area.kind === "polygon") return `polygon/${area.ring.join()}`;
  return `circle/${area.center.join()},${area.kilometres}${area.name ? `/${area.name}` : ""}`;
}
