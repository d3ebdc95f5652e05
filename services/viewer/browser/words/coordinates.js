// Coordinates as people write them.

import { say } from "./say.js";


/** @import { Position } from "../types.d.ts" */

const NUMBER = String.raw`[-+]?\d+(?:\.\d+)?`;
// degrees, and minutes and seconds where their signs are there
const ANGLE = String.raw`(${NUMBER})\s*°?(?:\s*(\d+(?:\.\d+)?)\s*')?(?:\s*(\d+(?:\.\d+)?)\s*")?`;
const BETWEEN = String.raw`\s*[,;/\s]\s*`;
const AFTER = new RegExp(String.raw`^${ANGLE}\s*([NSEW])(?:${BETWEEN}|)${ANGLE}\s*([NSEW])$`);
const BEFORE = new RegExp(String.raw`^([NSEW])\s*${ANGLE}(?:${BETWEEN}|)([NSEW])\s*${ANGLE}$`);
const PLAIN = new RegExp(String.raw`^${ANGLE}${BETWEEN}${ANGLE}$`);
const ISOLATES = /[\u2066-\u2069]/g;
/** The names of the directions in the language of the page, and the letters that these expressions recognize. */
const SIDES = ["N", "S", "E", "W"].map((side) => [say(side).toUpperCase(), side]).filter(([said, side]) => said !== side);

/**
 * Longitude and latitude of `25°N 121.5°E`, `25.03, 121.56`, `N25 E121`, `25°02'30"N 121°33'E`, `geo:25,121` and the like, in
 * either order where the directions are said; numbers alone are latitude and longitude. Null where a text is none.
 * @param {string} text
 * @returns {Position | null}
 */
export function parseCoordinates(text) {
  let plain = text
    .toUpperCase()
    .replace(/^\s*GEO:/, "")
    .replace(/[−–]/g, "-")
    .replace(/[º˚]|DEG(?:REES?)?/g, "°")
    .replace(/[′’‘]/g, "'")
    .replace(/''|[″“”]/g, '"')
    .replace(ISOLATES, "")
    .trim();
  for (const [said, side] of SIDES) plain = plain.replaceAll(said, side);
  const after = AFTER.exec(plain);
  if (after) return position([after[4], after.slice(1, 4)], [after[8], after.slice(5, 8)]);
  const before = BEFORE.exec(plain);
  if (before) return position([before[1], before.slice(2, 5)], [before[5], before.slice(6, 9)]);
  const numbers = PLAIN.exec(plain);
  return numbers && position(["N", numbers.slice(1, 4)], ["E", numbers.slice(4, 7)]);
}

/**
 * @param {[string, string[]]} first direction, and degrees, minutes and seconds
 * @param {[string, string[]]} second
 * @returns {Position | null}
 */
function position(first, second) {
  const [north, east] = /[NS]/.test(first[0]) ? [first, second] : [second, first];
  if (!/[NS]/.test(north[0]) || !/[EW]/.test(east[0])) return null;
  const [latitude, longitude] = [degrees(...north), degrees(...east)];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [longitude, latitude] : null;
}

/**
 * @param {string} direction
 * @param {(string | undefined)[]} parts
 */
function degrees(direction, [whole = "0", minutes = "0", seconds = "0"]) {
  const size = Math.abs(Number(whole)) + Number(minutes) / 60 + Number(seconds) / 3600;
  return (whole.startsWith("-") ? -1 : 1) * (/[SW]/.test(direction) ? -1 : 1) * size;
}

/**
 * `25.03°N 121.56°E`.
 * @param {Position} position
 */
export function formatPosition([longitude, latitude]) {
  /**
   * @param {number} value
   * @param {string} directions
   */
  const part = (value, directions) => say("{degrees}{side}", { degrees: `${Number(Math.abs(value).toFixed(3))}°`, side: say(directions[value < 0 ? 1 : 0]) });
  return `${part(latitude, "NS")} ${part(longitude, "EW")}`;
}
