// The description of a storm at a moment, in words.

import { formatInstant } from "./format.js";
import { inARow, say, withUnit } from "./say.js";
import { clockWords } from "./time.js";

/** @import { Properties } from "../types.d.ts" */

/** @type {Record<string, string>} */
const CATEGORIES = {
  TD: say("depression"),
  TS: say("tropical storm"),
  ...Object.fromEntries([1, 2, 3, 4, 5].map((number) => [`C${number}`, say("category {number}", { number })])),
};

/** @param {{ moment: number, expected: boolean }} step */
export const timeWords = ({ moment, expected }) => (expected ? say("{time}, expected", { time: clockWords(moment) }) : clockWords(moment));

/**
 * `160 kt · C5 · 914 hPa`, where there is little room.
 * @param {{ properties: Properties }} step
 */
export function strengthSigns({ properties: { wind_kt: wind, category, pressure_hpa: pressure } }) {
  return inARow([typeof wind === "number" && withUnit(wind, "kt"), String(category ?? ""), typeof pressure === "number" && withUnit(String(pressure), "hPa")]);
}

/**
 * `160 kt, category 5, 914 hPa`.
 * @param {{ properties: Properties }} step
 */
export const strengthWords = (step) => inARow(strengthParts(step), ", ") || say("strength not known");

/**
 * The first known measure of its strength, such as `160 kt`.
 * @param {{ properties: Properties }} step
 */
export const windWords = (step) => strengthParts(step)[0] ?? say("strength not known");

/** @param {{ properties: Properties }} step */
function strengthParts({ properties: { wind_kt: wind, category, pressure_hpa: pressure } }) {
  return [
    typeof wind === "number" ? withUnit(wind, "kt") : "",
    typeof category === "string" ? (CATEGORIES[category] ?? category) : "",
    typeof pressure === "number" ? withUnit(String(pressure), "hPa") : "",
  ].filter(Boolean);
}

/** @type {Record<string, string>} */
const STATUSES = {
  DB: say("disturbance"), LO: say("low"), WV: say("wave"), EX: say("extratropical"), ET: say("extratropical"), SS: say("subtropical"), SD: say("subtropical"),
};

/** The names that advisories use for storms with a category. */
const TROPICAL = new Set(["tropical depression", "tropical storm", "hurricane", "typhoon"]);

/**
 * The kind of storm; null if it is unknown or the category already says it.
 * @param {{ properties: Properties }} step
 */
export function statusWords({ properties: { status, category } }) {
  if (typeof status !== "string") return null;
  if (status.length <= 2) return STATUSES[status] ?? null;
  const words = status.toLowerCase();
  return typeof category === "string" && TROPICAL.has(words) ? null : words;
}

/** @type {Record<number, string>} */
const FORCES = { 34: say("gale force"), 50: say("storm force"), 64: say("hurricane force") };

/**
 * `64 kt, hurricane force`.
 * @param {number} wind kt
 */
export const forceWords = (wind) => inARow([withUnit(wind, "kt"), FORCES[wind]], ", ");

/**
 * Where the zone of a step is from.
 * @param {{ issued: string | null, expected: boolean }} winds
 */
export function zoneWords({ issued, expected }) {
  if (issued === null) return expected ? say("As it is expected") : say("As it was analysed");
  const time = formatInstant(issued);
  return expected ? say("As the advisory of {time} expected it", { time }) : say("As the advisory of {time} analysed it", { time });
}

/**
 * The label of an advisory in a list: its time and number.
 * @param {{ number: number | null, issued: string }} advisory
 */
export const advisoryWords = ({ number, issued }) => `${formatInstant(issued)}${number === null ? "" : ` (${number})`}`;
