// The legend of one style, made from what the style document says about its classes.

import { legendEntries } from "../cartography/classes.js";
import { element } from "../page/dom.js";

/** @import { Unclassed } from "../cartography/classes.js" */
/** @import { LegendClass, LegendEntry, Style } from "../types.d.ts" */

/**
 * Elements of a style's legend; `unclassed` says how features without a class look, where there are any.
 * @param {Style} style
 * @param {Unclassed | null} [unclassed]
 */
export function legendOf(style, unclassed = null) {
  return legendEntries(style).map((entry) =>
    element(
      "div",
      { class: "legend-entry" },
      entry.title && element("h3", { text: entry.unit ? `${entry.title} (${entry.unit})` : entry.title }),
      classes(entry),
      unclassed?.entry === entry && swatches(entry, [unclassed]),
    ),
  );
}

/** @param {LegendEntry} entry */
function classes(entry) {
  if (entry.sizes) return sizes(entry.sizes);
  const items = entry.classes ?? [];
  return items.length > 3 ? ramp(items) : swatches(entry, items);
}

/** @param {NonNullable<LegendEntry["sizes"]>} list */
function sizes(list) {
  return element(
    "div",
    { class: "legend-sizes" },
    ...list.map(({ label, diameter }) =>
      element(
        "span",
        {},
        element("i", { style: { width: `${diameter}px`, height: `${diameter}px` }, "aria-hidden": "true" }),
        label,
      ),
    ),
  );
}

/** @param {LegendClass[]} items */
function ramp(items) {
  return element(
    "div",
    { class: "legend-ramp" },
    ...items.map(({ label, color }) =>
      element("span", {}, element("i", { style: { "background-color": color }, "aria-hidden": "true" }), label),
    ),
  );
}

/**
 * @param {LegendEntry} entry
 * @param {Pick<LegendClass, "label" | "color" | "shape">[]} items
 */
function swatches({ symbol, provisional }, items) {
  return element(
    "div",
    { class: "legend-swatches" },
    ...items.map(({ label, color, shape }) =>
      element(
        "span",
        {},
        shape && element("i", { class: "shape", style: { "--class-color": color }, "aria-hidden": "true", text: shape }),
        !shape && element("i", {
          class: `symbol-${symbol}${provisional ? " provisional" : ""}`,
          style: { "--class-color": color },
          "aria-hidden": "true",
        }),
        label,
      ),
    ),
  );
}
