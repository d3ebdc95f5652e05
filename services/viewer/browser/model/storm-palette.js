// The colours of a storm that is followed: those that the legends of its collections name.

import { classOf } from "../cartography/classes.js";

/**
 * @import { Style } from "../types.d.ts"
 * @import { Explorer } from "./explorer.js"
 * @import { StormCollections } from "./storm-collections.js"
 * @import { Palette } from "./storm-drawing.js"
 */

const UNKNOWN = "#5b6b7b";

/**
 * Throws ApiError where a style cannot be had.
 * @param {Explorer} explorer
 * @param {StormCollections} collections
 * @returns {Promise<Palette>}
 */
export async function stormPalette(explorer, { steps, zones }) {
  /** @type {(Style | null)[]} */
  const [ofSteps, ofZones] = await Promise.all([steps, zones].map((each) => each && explorer.style(each.id)));
  return {
    step: (properties) => (ofSteps && classOf(ofSteps, properties)?.color) ?? UNKNOWN,
    zone: (wind) => (ofZones && classOf(ofZones, { wind_speed_kt: wind })?.color) ?? UNKNOWN,
  };
}
