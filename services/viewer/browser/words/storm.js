// What is known of a storm at a moment, in words.

import { formatInstant } from "./format.js";
import { clockWords } from "./time.js";

/** @import { Properties } from "../types.d.ts" */

/** @type {Record<string, string>} */
const CATEGORIES = { TD: "depression", TS: "tropical storm", C1: "category 1", C2: "category 2", C3: "category 3", C4: "category 4", C5: "category 5" };

/** @param {{ moment: number, expected: boolean }} step */
export const timeWords = ({ moment, expected }) => `${clockWords(moment)}${expected ? ", expected" : ""}`;

/**
 * `160 kt · C5 · 914 hPa`, where there is little room.
 * @param {{ properties: Properties }} step
 */
export function strengthSigns({ properties: { wind_kt: wind, category, pressure_hpa: pressure } }) {
  return [typeof wind === "number" && `${wind} kt`, category, typeof pressure === "number" && `${pressure} hPa`].filter(Boolean).join(" · ");
}

/**
 * `160 kt, category 5, 914 hPa`.
 * @param {{ properties: Properties }} step
 */
export function strengthWords({ properties: { wind_kt: wind, category, pressure_hpa: pressure } }) {
  const parts = [
    typeof wind === "number" && `${wind} kt`,
    typeof category === "string" && (CATEGORIES[category] ?? category),
    typeof pressure === "number" && `${pressure} hPa`,
  ];
  return parts.filter(Boolean).join(", ") || "strength not known";
}

/** @type {Record<string, string>} */
const STATUSES = { DB: "disturbance", LO: "low", WV: "wave", EX: "extratropical", ET: "extratropical", SS: "subtropical", SD: "subtropical" };

/** What advisories call storms that have a category. */
const TROPICAL = new Set(["tropical depression", "tropical storm", "hurricane", "typhoon"]);

/**
 * What kind of storm it is, where the category does not say it; null where it does.
 * @param {{ properties: Properties }} step
 */
export function statusWords({ properties: { status, category } }) {
  if (typeof status !== "string") return null;
  if (status.length <= 2) return STATUSES[status] ?? null;
  const words = status.toLowerCase();
  return typeof category === "string" && TROPICAL.has(words) ? null : words;
}

/** @type {Record<number, string>} */
const FORCES = { 34: "gale force", 50: "storm force", 64: "hurricane force" };

/**
 * `64 kt, hurricane force`.
 * @param {number} wind kt
 */
export const forceWords = (wind) => [`${wind} kt`, FORCES[wind]].filter(Boolean).join(", ");

/**
 * Where the zone of a step is from.
 * @param {{ issued: string | null, expected: boolean }} winds
 */
export function zoneWords({ issued, expected }) {
  if (issued === null) return expected ? "As it is expected" : "As it was analysed";
  return `As the advisory of ${formatInstant(issued)} ${expected ? "expected" : "analysed"} it`;
}

/**
 * What an advisory is called among others: its time and number.
 * @param {{ number: number | null, issued: string }} advisory
 */
export const advisoryWords = ({ number, issued }) => `${formatInstant(issued)}${number === null ? "" : ` (${number})`}`;
