// The gazetteer: where a place is, by its name.

import { address, getJson } from "./api.js";

/**
 * @import { Box, Position } from "../types.d.ts"
 * @typedef {{ name: string, kind: string, province: string | null, country: string | null, people: number | null }} Named
 * @typedef {{ bbox?: Box, geometry: { coordinates: Position }, properties: Named }} Place
 */

/**
 * Places of that name, the most important first. Throws ApiError.
 * @param {string} text
 * @param {number} limit
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<Place[]>}
 */
export const findPlaces = async (text, limit, options) => (await getJson(address("/places", { q: text, limit }), options)).features;

/**
 * Where a place lies, in words: `Yilan, Taiwan`.
 * @param {Named} place
 */
export const surroundings = ({ name, province, country }) =>
  [...new Set([province, country])].filter((each) => each && each !== name).join(", ");

/**
 * `Taipei, Taiwan`.
 * @param {Named} place
 */
export const fullName = (place) => [place.name, surroundings(place)].filter(Boolean).join(", ");
