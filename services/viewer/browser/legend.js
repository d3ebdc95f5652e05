// The legend, made from what the style document says about its classes.

import { element } from "./dom.js";

/** Elements for the `dams:legend` of one style. */
export function legendOf(style) {
  return (style.metadata?.["dams:legend"] ?? []).map((entry) =>
    element(
      "div",
      { class: "legend-entry" },
      entry.title && element("h3", { text: entry.unit ? `${entry.title} (${entry.unit})` : entry.title }),
      entry.sizes ? sizes(entry.sizes) : entry.classes.length > 3 ? ramp(entry) : swatches(entry),
    ),
  );
}

/** What makes two legends look alike. */
export function legendKey(style) {
  return (style.metadata?.["dams:legend"] ?? []).map(({ title, unit, classes, sizes }) => [
    title,
    unit,
    (classes ?? sizes).map(({ label, color }) => [label, color]),
  ]);
}

/** The class of a feature's properties: `{label, color}`, or null. */
export function classOf(style, properties) {
  for (const entry of style.metadata?.["dams:legend"] ?? []) {
    const name = entry.properties.find((key) => properties[key] !== null && properties[key] !== undefined);
    if (!entry.classes || name === undefined) continue;
    const value = properties[name];
    const found = entry.classes[0].values
      ? entry.classes.find((item) => item.values.includes(String(value)))
      : entry.classes.findLast((item) => Number(value) >= item.from);
    if (found) return { ...found, title: entry.title, position: entry.classes.indexOf(found) };
  }
  return null;
}

/** The position of a feature's class in its scale, or -1. */
export function classIndex(style, properties) {
  const found = classOf(style, properties);
  return found ? found.position : -1;
}

/** Black or white, whichever can be read on `color` (`#rrggbb`). */
export function inkOn(color) {
  const channels = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = channels.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#10171e" : "#ffffff";
}

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

function ramp({ classes }) {
  return element(
    "div",
    { class: "legend-ramp" },
    ...classes.map(({ label, color }) =>
      element("span", {}, element("i", { style: { "background-color": color }, "aria-hidden": "true" }), label),
    ),
  );
}

function swatches({ classes, symbol, provisional }) {
  return element(
    "div",
    { class: "legend-swatches" },
    ...classes.map(({ label, color }) =>
      element(
        "span",
        {},
        element("i", {
          class: `symbol-${symbol}${provisional ? " provisional" : ""}`,
          style: { "--class-color": color },
          "aria-hidden": "true",
        }),
        label,
      ),
    ),
  );
}
