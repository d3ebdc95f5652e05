// The tile sources and the layer order that MapLibre gets.

import {
  collectionOf,
  drawingOrder,
  escapedAttribution,
  isBasemap,
  isLabel,
  themedLayer,
} from "../../cartography/style-document.js";
import { isOverlay } from "./overlays.js";
import { isStorm } from "./storm-layers.js";

/** @import * as MapLibre from "maplibre-gl" */
/** @import { SourceSpecification, VectorSourceSpecification } from "maplibre-gl" */
/** @import { Layer, Source, Style, Theme } from "../../types.d.ts" */

/**
 * A source whose attribution is text, not markup.
 * @param {Source} source
 * @returns {Source}
 */
export const withTextAttribution = (source) =>
  source.attribution ? /** @type {Source} */ ({ ...source, attribution: escapedAttribution(source.attribution) }) : source;

/**
 * The source of tiles that hold what several sources have, from the first zoom of any to the last.
 * @param {Source[]} sources
 * @param {string} template
 * @returns {SourceSpecification}
 */
export function togetherSource(sources, template) {
  const vectors = /** @type {VectorSourceSpecification[]} */ (sources);
  const bounds = vectors.map((source) => source.bounds);
  // as MapLibre writes those of several sources: none that another one says
  const texts = [...new Set(vectors.flatMap((source) => source.attribution || []))];
  const attributions = texts.filter((text) => !texts.some((other) => other !== text && other.includes(text)));
  return {
    type: "vector",
    tiles: [template],
    minzoom: Math.min(...vectors.map((source) => source.minzoom ?? 0)),
    maxzoom: Math.max(...vectors.map((source) => source.maxzoom ?? 22)),
    // where one has none, it may be anywhere
    ...(bounds.every((box) => box !== undefined) ? { bounds: around(bounds) } : {}),
    ...(attributions.length ? { attribution: attributions.join(" | ") } : {}),
  };
}

/**
 * @param {[number, number, number, number][]} boxes
 * @returns {[number, number, number, number]}
 */
const around = (boxes) => [
  Math.min(...boxes.map(([west]) => west)),
  Math.min(...boxes.map(([, south]) => south)),
  Math.max(...boxes.map(([, , east]) => east)),
  Math.max(...boxes.map(([, , , north]) => north)),
];

/**
 * The style that the map begins with: the basemap without the data.
 * @param {Style} style
 * @param {Theme} theme
 * @param {boolean} globe
 */
export function basemapStyle(style, theme, globe) {
  const sources = Object.entries(style.sources).filter(([id]) => id !== collectionOf(style));
  // the page has the same fonts, under the same names: fonts.css
  const { "font-faces": _, ...rest } = /** @type {Style & { "font-faces"?: unknown }} */ (style);
  return /** @type {MapLibre.StyleSpecification} */ ({
    ...rest,
    sources: Object.fromEntries(sources.map(([id, source]) => [id, withTextAttribution(source)])),
    layers: style.layers.filter(isBasemap).map((layer) => themedLayer(layer, theme)),
    projection: { type: globe ? "globe" : "mercator" },
  });
}

/**
 * Whether a layer lies below one that is on the map already.
 * @param {Layer} layer
 * @param {MapLibre.LayerSpecification} other
 */
export function liesBelow(layer, other) {
  const rank = drawingOrder(layer);
  if (isStorm(other)) return true;
  // points stay above the outline of a line, so that its nodes can be seen
  if (isOverlay(other)) return rank < drawingOrder(other) || other.type === "circle" || (other.type === "line" && rank < 2);
  return isLabel(other) || (!isBasemap(other) && drawingOrder(other) > rank);
}
