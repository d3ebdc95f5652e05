// The legend, made from what the style document says about its classes.

import { element } from "../page/dom.js";
import { dataLayers } from "../cartography/style-document.js";

/**
 * Elements for the `dams:legend` of one style; `unclassed` is what unclassedOf found of it, where there are such
 * features.
 */
export function legendOf(style, unclassed = null) {
  return (style.metadata?.["dams:legend"] ?? []).map((entry) =>
    element(
      "div",
      { class: "legend-entry" },
      entry.title && element("h3", { text: entry.unit ? `${entry.title} (${entry.unit})` : entry.title }),
      entry.sizes ? sizes(entry.sizes) : entry.classes.length > 3 ? ramp(entry) : swatches(entry),
      unclassed?.entry === entry && swatches({ ...entry, classes: [unclassed] }),
    ),
  );
}

/**
 * How features look whose value is missing: `{entry, label, color, properties}`, where none of the properties may be
 * given; null where the style has no colour for them.
 */
export function unclassedOf(style) {
  const entry = style.metadata?.["dams:legend"]?.find(({ classes }) => classes?.[0].values);
  if (!entry) return null;
  for (const { paint = {} } of dataLayers(style)) {
    const match = Object.values(paint).find((value) => value?.[0] === "match" && namesIn(value[1]).some((name) => entry.properties.includes(name)));
    const color = match && lastColor(match);
    if (!color || entry.classes.some((item) => item.color === color)) continue;
    const title = entry.title?.replace(/\s*\(.*\)$/, "").split(" ").at(-1).toLowerCase() ?? "value";
    return { entry, label: `no ${title}`, color, properties: [...new Set(namesIn(match))] };
  }
  return null;
}

/** The properties that an expression reads. */
function namesIn(expression) {
  if (!Array.isArray(expression)) return [];
  return expression[0] === "get" ? [expression[1]] : expression.flatMap(namesIn);
}

/** What an expression gives where nothing matches. */
function lastColor(expression) {
  if (Array.isArray(expression)) return lastColor(expression.at(-1));
  return typeof expression === "string" && expression.startsWith("#") ? expression : null;
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
