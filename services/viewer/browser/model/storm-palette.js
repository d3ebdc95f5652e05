// The colours of a storm that is followed: those that the legends of its collections name.

import { classOf, cssColor } from "../cartography/classes.js";

/**
 * @import { Properties, Style } from "../types.d.ts"
 * @import { Explorer } from "./explorer.js"
 * @import { StormCollections } from "./storm-collections.js"
 * @import { Palette } from "./storm-drawing.js"
 */

const UNKNOWN = "#5b6b7b";

/**
 * Throws ApiError where a style cannot be had. `colorOf` chooses the colour of a class: by default one for style sheets,
 * which follows the theme.
 * @param {Explorer} explorer
 * @param {StormCollections} collections
 * @param {(item: { color: string, dark?: string }) => string} [colorOf]
 * @returns {Promise<Palette>}
 */
export async function stormPalette(explorer, { steps, zones }, colorOf = cssColor) {
  /** @type {(Style | null)[]} */
  const [ofSteps, ofZones] = await Promise.all([steps, zones].map((each) => each && explorer.style(each.id)));
  /**
   * @param {Style | null} style
   * @param {Properties} properties
   */
  const color = (style, properties) => {
    const found = style && classOf(style, properties);
    return found ? colorOf(found) : UNKNOWN;
  };
  return {
    step: (properties) => color(ofSteps, properties),
    zone: (wind) => color(ofZones, { wind_speed_kt: wind }),
  };
}
