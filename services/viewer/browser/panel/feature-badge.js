// A feature in one line: its title, its class in colour, its time.

import { classOf, colorIn, cssColor, inkOn } from "../cartography/classes.js";
import { overSince } from "../model/in-force.js";
import { element } from "../page/dom.js";
import { featureName } from "../words/feature-name.js";
import { say } from "../words/say.js";
import { ageWords } from "../words/time.js";

/** @import { Collection, Item, Properties, Style } from "../types.d.ts" */

const NO_CLASS = "#5b6b7b";

/**
 * The text that names a feature beside its badge, which says the magnitude already.
 * @param {Collection} collection
 * @param {Item} feature
 */
export function featureTitle(collection, feature) {
  const name = featureName(collection, feature);
  if (typeof feature.properties?.magnitude !== "number") return name;
  return name.replace(/^M\s*-?[\d.]+\s*[-–]?\s*/, "") || String(feature.properties.place ?? name);
}

/**
 * The coloured word for its class: `M 6.1`, `C5`, `Orange`; null where the collection has none.
 * @param {Style} style
 * @param {Properties} properties
 */
export function featureBadge(style, properties) {
  const found = classOf(style, properties);
  const { magnitude } = properties;
  const strength = typeof magnitude === "number" ? `M ${magnitude.toFixed(1)}` : null;
  const text = strength ?? (found && [found.shape, say(found.label)].filter(Boolean).join(" "));
  if (!text) return null;
  const { color, dark = color } = found ?? { color: NO_CLASS };
  const title = strength ? say("Magnitude") : found?.title && say(found.title);
  const ink = cssColor({ color: inkOn(color), dark: inkOn(dark) });
  return element("span", { class: "badge", text, title, style: { "background-color": cssColor({ color, dark }), color: ink } });
}

/**
 * The colour of a feature's class in the theme of now, or null.
 * @param {Style} style
 * @param {Properties} properties
 */
export const featureColor = (style, properties) => {
  const found = classOf(style, properties);
  return found && colorIn(found, globalThis.document?.documentElement.dataset.theme === "dark" ? "dark" : "light");
};

/**
 * When it happened, as ISO 8601, or null.
 * @param {Collection} collection
 * @param {Properties} properties
 */
export function featureTime({ time }, properties) {
  const value = time && properties[time.column];
  return typeof value === "string" ? value : null;
}

/**
 * How new it is in words, and whether it is over.
 * @param {Collection} collection
 * @param {Properties} properties
 * @param {number} [now] milliseconds since 1970
 */
export function featureAge({ time }, properties, now = Date.now()) {
  const over = overSince(time, properties, now);
  const times = {
    moment: time ? momentOf(properties[time.column]) : null,
    issued: time?.issuedColumn ? momentOf(properties[time.issuedColumn]) : null,
    over,
    withdrawn: typeof properties.withdrawn === "string",
  };
  return { words: ageWords(times, now), over: over !== null };
}

/** @param {unknown} value */
function momentOf(value) {
  const moment = typeof value === "string" ? Date.parse(value) : NaN;
  return Number.isFinite(moment) ? moment : null;
}
