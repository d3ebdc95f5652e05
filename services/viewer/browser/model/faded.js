// A style that draws features that are over in pale colours, below those in force.

import { isBasemap } from "../cartography/style-document.js";
import { isLive } from "./in-force.js";

/** @import { Layer, Style, Time } from "../types.d.ts" */

const PALE = 0.35;
const BELOW = 1e6; // below every rank of a sort key
/** @type {Record<string, string[]>} */
const OPACITIES = {
  fill: ["fill-opacity"],
  line: ["line-opacity"],
  circle: ["circle-opacity", "circle-stroke-opacity"],
  symbol: ["text-opacity"],
};

/**
 * The style of a collection whose features last; that of an archive as it is.
 * @param {Style} style
 * @param {{ time: Time | null, columns: { name: string, format?: string | null }[] }} collection
 * @param {number} now milliseconds since 1970
 * @returns {Style}
 */
export function faded(style, { time, columns }, now) {
  if (!time?.endColumn || !isLive(time, now)) return style;
  const text = new Date(now).toISOString();
  const isDate = columns.find(({ name }) => name === time.endColumn)?.format === "date";
  // a day is over when it has passed; a feature without an end in the tile does not count as over
  const present = isDate ? text.slice(0, 10) : text.slice(0, 19);
  const ended = ["all", ["has", time.endColumn], ["<", ["to-string", ["get", time.endColumn]], present]];
  const over = columns.some(({ name }) => name === "withdrawn") ? ["any", ended, ["has", "withdrawn"]] : ended;
  return { ...style, layers: style.layers.map((layer) => (isBasemap(layer) ? layer : fadedLayer(layer, over))) };
}

/**
 * @param {Layer} layer
 * @param {unknown[]} over
 * @returns {Layer}
 */
function fadedLayer(layer, over) {
  const names = OPACITIES[layer.type] ?? [];
  const paint = { ...layer.paint, ...Object.fromEntries(names.map((name) => [name, pale(layer.paint?.[name] ?? 1, over)])) };
  const dark = layer.metadata?.["dams:dark"];
  const paleDark = dark && Object.fromEntries(Object.entries(dark).map(([name, value]) => [name, names.includes(name) ? pale(value, over) : value]));
  const layout = /** @type {Record<string, unknown>} */ ({ ...layer.layout });
  const key = `${layer.type}-sort-key`;
  if (layer.type in OPACITIES && layer.type !== "symbol") layout[key] = ["-", layout[key] ?? 0, ["case", over, BELOW, 0]];
  return /** @type {Layer} */ ({
    ...layer,
    paint,
    layout,
    ...(paleDark ? { metadata: { ...layer.metadata, "dams:dark": paleDark } } : {}),
  });
}

/**
 * The zoom may be used only at the top level of an expression. Such expressions stay unchanged.
 * @param {unknown} value
 * @param {unknown[]} over
 */
const pale = (value, over) => (JSON.stringify(value).includes('["zoom"]') ? value : ["case", over, ["*", PALE, value], value]);
