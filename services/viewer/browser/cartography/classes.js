// The classes of a style document's legend: which one a feature falls in, and how those without a class look.

import { dataLayers } from "./style-document.js";

/**
 * @import { Facet } from "../service/api.js"
 * @import { LegendClass, LegendEntry, Properties, Style, Theme } from "../types.d.ts"
 * @typedef {{ entry: LegendEntry, label: string, color: string, properties: string[] }} Unclassed
 */

const MOST_VALUES = 100;

/**
 * The legend of a style document, empty where it has none.
 * @param {Style} style
 * @returns {LegendEntry[]}
 */
export const legendEntries = (style) => style.metadata?.["dams:legend"] ?? [];

/**
 * The class of a feature's properties, or null. `position` is that of the class in its scale.
 * @param {Style} style
 * @param {Properties} properties
 * @returns {(LegendClass & { title: string | undefined, position: number }) | null}
 */
export function classOf(style, properties) {
  for (const entry of legendEntries(style)) {
    const name = entry.properties.find((key) => properties[key] !== null && properties[key] !== undefined);
    if (!entry.classes || name === undefined) continue;
    const value = properties[name];
    const found = entry.classes[0]?.values
      ? entry.classes.find((item) => item.values?.includes(String(value)))
      : entry.classes.findLast((item) => item.from !== undefined && Number(value) >= item.from);
    if (found) return { ...found, title: entry.title, position: entry.classes.indexOf(found) };
  }
  return null;
}

/**
 * The position of a feature's class in its scale, or -1.
 * @param {Style} style
 * @param {Properties} properties
 */
export const classPosition = (style, properties) => classOf(style, properties)?.position ?? -1;

/**
 * How a style draws features that have a value for none of `properties`. Null if it has no colour for them.
 * @param {Style} style
 * @returns {Unclassed | null}
 */
export function unclassedOf(style) {
  const entry = legendEntries(style).find(({ classes }) => classes?.[0]?.values);
  if (!entry) return null;
  for (const { paint = {} } of dataLayers(style)) {
    const match = Object.values(paint).find((value) => isMatchOn(value, entry.properties));
    const color = lastColor(match);
    if (!color || entry.classes?.some((item) => item.color === color)) continue;
    const title = entry.title?.replace(/\s*\(.*\)$/, "").split(" ").at(-1)?.toLowerCase() ?? "value";
    return { entry, label: `no ${title}`, color, properties: [...new Set(namesIn(match))] };
  }
  return null;
}

/**
 * Whether an expression chooses by one of these properties.
 * @param {unknown} value
 * @param {string[]} names
 */
const isMatchOn = (value, names) =>
  Array.isArray(value) && value[0] === "match" && namesIn(value[1]).some((name) => names.includes(name));

/**
 * The facet to request in order to learn which classes of a legend entry occur; null if no facet can show that.
 * @param {LegendEntry} entry
 * @returns {{ name: string, facet: string } | null}
 */
export function classFacet({ properties, classes = [] }) {
  const [name, ...others] = properties;
  if (!name || others.length || classes.length < 2) return null;
  if (classes[0].values) return { name, facet: `${name}:term:${MOST_VALUES}` };
  return { name, facet: `${name}:edges:${classes.slice(1).map(({ from }) => from).join("/")}` };
}

/**
 * The classes of an entry that have no feature, according to the facet of `classFacet`; empty if the facet cannot show
 * that.
 * @param {LegendEntry} entry
 * @param {Facet} facet
 * @param {boolean} otherwise whether features that have none of the values may be in a class by another property
 */
export function absentClasses({ classes = [] }, { buckets, more, nulls }, otherwise) {
  if (more || (otherwise && nulls)) return [];
  const present = new Set();
  for (const { value, min, count } of buckets) {
    if (!count) continue;
    const found = classes[0]?.values
      ? classes.find(({ values }) => values?.includes(String(value)))
      : classes.findLast(({ from }, at) => at === 0 || (min !== undefined && from !== undefined && from <= min));
    if (!found && otherwise) return [];
    if (found) present.add(found);
  }
  return present.size ? classes.filter((item) => !present.has(item)) : [];
}

/**
 * The properties that an expression reads.
 * @param {unknown} expression
 * @returns {string[]}
 */
function namesIn(expression) {
  if (!Array.isArray(expression)) return [];
  return expression[0] === "get" ? [String(expression[1])] : expression.flatMap(namesIn);
}

/**
 * The value of an expression if none of its cases matches.
 * @param {unknown} expression
 * @returns {string | null}
 */
function lastColor(expression) {
  if (Array.isArray(expression)) return lastColor(expression.at(-1));
  return typeof expression === "string" && expression.startsWith("#") ? expression : null;
}

/**
 * A key that is equal for two legends that look the same.
 * @param {Style} style
 */
export function legendKey(style) {
  return legendEntries(style).map(({ title, unit, classes, sizes }) => [
    title,
    unit,
    (classes ?? sizes ?? []).map(({ label, color }) => [label, color]),
  ]);
}

/**
 * The colour of a class in a theme.
 * @param {{ color: string, dark?: string }} item
 * @param {Theme} theme
 */
export const colorIn = ({ color, dark }, theme) => (theme === "dark" && dark ? dark : color);

/**
 * The colour of a class in a style sheet: that of the theme of the page.
 * @param {{ color: string, dark?: string }} item
 */
export const cssColor = ({ color, dark }) => (dark && dark !== color ? `light-dark(${color}, ${dark})` : color);

/**
 * Black or white, whichever contrasts more with `color` (`#rrggbb`): at least 4.58:1 by the relative luminance of WCAG 2.
 * @param {string} color
 */
export function inkOn(color) {
  const channels = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = channels.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}
