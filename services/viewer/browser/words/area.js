// An area in words, and what people type to say one.

import { formatPosition } from "./coordinates.js";
import { formatNumber } from "./format.js";

/** @import { Area } from "../types.d.ts" */

/** @type {[RegExp, number][]} */
const UNITS = [
  [/^(km|kms|kilomet(er|re)s?)$/, 1],
  [/^(mi|miles?|statute miles?)$/, 1.609344],
  [/^(nm|nmi|nautical miles?)$/, 1.852],
  [/^(m|met(er|re)s?)$/, 0.001],
];
const NEARNESS = /^(?:with)?(?:in\s+)?(\d+(?:[.,]\d+)?)\s*(statute miles?|nautical miles?|[a-z]+)\s+(?:of|from|around|to|near)\s+(\S.*)$/i;

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
  if (area.kind === "circle") return `within ${formatNumber(area.kilometres)} km of ${area.name || formatPosition(area.center)}`;
  if (area.kind === "polygon") return `in a polygon of ${area.ring.length} corners`;
  const [west, south, east, north] = area.box;
  return `in the box ${formatPosition([west, south])} to ${formatPosition([east, north])}`;
}
