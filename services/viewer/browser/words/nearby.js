// Where a feature is, by the nearest place. services/features/pages/nearby.py says the same on pages; the cases of
// tests/services/nearby_words.json hold for both.

import { LOCALE, say, sayMany } from "./say.js";

/** @import { Properties } from "../types.d.ts" */

const FIGURES = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 2 });

/** The columns that the words tell. */
export const NEARBY = new Set(["nearest_place", "nearest_place_km", "nearest_place_bearing", "nearest_place_population"]);

/**
 * `22 km NNE of Hualien City (350,000 inhabitants)`; empty if the feature has no nearest place.
 * @param {Properties} properties
 */
export function nearbyWords({ nearest_place: place, nearest_place_km: km, nearest_place_bearing: bearing, nearest_place_population: people }) {
  if (typeof place !== "string" || !place) return "";
  const isAway = typeof km === "number" && typeof bearing === "string" && bearing;
  const where = isAway ? say("{km} km {bearing} of {place}", { km: Math.round(km), bearing: say(bearing), place }) : place;
  if (typeof people !== "number" || people <= 0) return where;
  return sayMany("{place} ({number} inhabitant)", "{place} ({number} inhabitants)", people, { place: where, number: FIGURES.format(people) });
}
