// An area in words, and what people type to say one.

import { formatPosition } from "./coordinates.js";
import { say } from "./say.js";

/** @import { Area } from "../types.d.ts" */

/** @type {[RegExp, number][]} */
const UNITS = [
  [/^(km|kms|kilomet(er|re)s?|kilomètres?|kilómetros?|كم|كيلومتر|كيلومترات)$/, 1],
  [/^(mi|miles?|statute miles?)$/, 1.609344],
  [/^(nm|nmi|nautical miles?)$/, 1.852],
  [/^(m|met(er|re)s?)$/, 0.001],
];
// in all languages of the pages, as users may read one language and write another
const WITHIN = "within|in|à moins de|dans un rayon de|a menos de|en un radio de|ضمن|في نطاق|على بعد";
const OF = "of|from|around|to|near|de|d'|autour de|alrededor de|من|حول";
const NEARNESS = new RegExp(`^(?:(?:${WITHIN})\\s+)?(\\d+(?:[.,]\\d+)?)\\s*(statute miles?|nautical miles?|\\p{L}+)\\s+(?:${OF})(?:(?<=')|\\s+)(\\S.*)$`, "iu");

/**
 * `within 300 km of Taipei`, `50 nmi around 25N 121E` as kilometres and what follows; null where a text is none.
 * @param {string} text
 * @returns {{ kilometres: number, place: string } | null}
 */
export function parseNearness(text) {
  const match = NEARNESS.exec(text.trim());
  if (!match) return null;
  const [, number, word, place] = match;
  const unit = UNITS.find(([names]) => names.test(word.toLowerCase()));
  return unit ? { kilometres: Number((Number(number.replace(",", ".")) * unit[1]).toFixed(3)), place } : null;
}

/**
 * `within 300 km of Taipei`, `in the box …`.
 * @param {Area} area
 */
export function areaWords(area) {
  if (area.kind === "circle") return say("within {number} km of {place}", { number: area.kilometres, place: area.name || formatPosition(area.center) });
  if (area.kind === "polygon") return say("in a polygon of {number} corners", { number: area.ring.length });
  const [west, south, east, north] = area.box;
  return say("in the box {first} to {last}", { first: formatPosition([west, south]), last: formatPosition([east, north]) });
}
