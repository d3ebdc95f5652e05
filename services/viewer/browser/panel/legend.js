// The legend of one style, made from what the style document says about its classes.

import { cssColor } from "../cartography/classes.js";
import { element } from "../page/dom.js";
import { isolated, say } from "../words/say.js";

/**
 * @import { LegendClass, LegendEntry } from "../types.d.ts"
 * @import { Entry } from "./legends.js"
 */

/**
 * Elements of a style's legend.
 * @param {Entry[]} entries
 */
export function legendOf(entries) {
  return entries.map((entry) =>
    element(
      "div",
      { class: "legend-entry" },
      entry.title && element("h3", { text: legendTitle(entry) }),
      classes(entry),
      entry.unclassed && swatches(entry, [entry.unclassed]),
    ),
  );
}

/**
 * The title of a part of a legend, such as `Depth (km)`.
 * @param {Pick<LegendEntry, "title" | "unit">} entry
 */
export const legendTitle = ({ title = "", unit }) => (unit ? `${say(title)} (${isolated(unit)})` : say(title));

/** @param {Entry} entry */
function classes(entry) {
  if (entry.sizes) return sizes(entry.sizes);
  const items = entry.classes ?? [];
  return entry.ramp ? ramp(items) : swatches(entry, items);
}

/** @param {NonNullable<LegendEntry["sizes"]>} list */
function sizes(list) {
  return element(
    "div",
    { class: "legend-sizes" },
    ...list.map(({ label, diameter, color, dark }) =>
      element(
        "span",
        {},
        element("i", {
          style: { width: `${diameter}px`, height: `${diameter}px`, ...(color && { "background-color": cssColor({ color, dark }) }) },
          "aria-hidden": "true",
        }),
        isolated(say(label)),
      ),
    ),
  );
}

/** @param {LegendClass[]} items */
function ramp(items) {
  return element(
    "div",
    { class: "legend-ramp" },
    ...items.map((item) =>
      element("span", {}, element("i", { style: { "background-color": cssColor(item) }, "aria-hidden": "true" }), isolated(say(item.label))),
    ),
  );
}

/**
 * @param {LegendEntry} entry
 * @param {Pick<LegendClass, "label" | "color" | "dark" | "shape">[]} items
 */
function swatches({ symbol, provisional }, items) {
  return element(
    "div",
    { class: "legend-swatches" },
    ...items.map(({ label, color, dark, shape }) =>
      element(
        "span",
        {},
        shape && element("i", { class: "shape", style: { "--class-color": cssColor({ color, dark }) }, "aria-hidden": "true", text: shape }),
        !shape && element("i", {
          class: `symbol-${symbol}${provisional ? " provisional" : ""}`,
          style: { "--class-color": cssColor({ color, dark }) },
          "aria-hidden": "true",
        }),
        isolated(say(label)),
      ),
    ),
  );
}
