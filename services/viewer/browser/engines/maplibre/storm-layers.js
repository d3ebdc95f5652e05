// The storm that is followed, over the data and below the labels; model/storm-drawing.js says what its features are.

import { casingColor, isLabel, overlayColors } from "../../cartography/style-document.js";
import { isOverlay } from "./overlays.js";

/** @import { AddLayerObject, DataDrivenPropertyValueSpecification, ExpressionSpecification, FilterSpecification, GeoJSONSource, Map } from "maplibre-gl" */
/** @import { FeatureCollection, Layer, Theme } from "../../types.d.ts" */

const STORM = "dams-storm";
const VEIL = `${STORM}:veil`;
/** @type {FeatureCollection} */
const EMPTY = { type: "FeatureCollection", features: [] };
/** @type {ExpressionSpecification} */
const COLOR = ["get", "color"];
const WIDTH = byZoom(2, 2.5, 6, 5, 10, 8);
const ROUNDED = /** @type {const} */ ({ "line-join": "round", "line-cap": "round" });
const VEIL_COLORS = { light: "#f2f5f8", dark: "#0b1117" };

/**
 * Whether a layer is one of these.
 * @param {{ id: string }} layer
 */
export const isStorm = ({ id }) => id.startsWith(STORM);

/**
 * Adds source and layers, which a map without a storm does without; empty, and once: areas and lines below the labels, points and words above them and below the overlays.
 * @param {Map} map
 * @param {Theme} theme
 */
export function addStorm(map, theme) {
  if (map.getSource(STORM)) return;
  const { layers } = map.getStyle();
  const labels = layers.find((layer) => isLabel(/** @type {Layer} */ (layer)))?.id;
  const overlays = layers.find(isOverlay)?.id;
  map.addSource(STORM, { type: "geojson", data: EMPTY });
  const [ink, halo] = overlayColors(theme);
  map.addLayer({ id: VEIL, type: "background", layout: { visibility: "none" }, paint: { "background-color": VEIL_COLORS[theme], "background-opacity": 0.6 } }, labels);
  for (const layer of below(ink, casingColor(theme))) map.addLayer(layer, labels);
  for (const layer of above(ink, halo)) map.addLayer(layer, overlays);
}

/**
 * Draws a storm; null removes it.
 * @param {Map} map
 * @param {FeatureCollection | null} drawing
 */
export function drawStorm(map, drawing) {
  /** @type {GeoJSONSource | undefined} */
  const source = map.getSource(STORM);
  source?.setData(drawing ?? EMPTY);
}

/**
 * Lets what else is on the map step back.
 * @param {Map} map
 * @param {boolean} veiled
 */
export function veil(map, veiled) {
  if (map.getSource(STORM)) map.setLayoutProperty(VEIL, "visibility", veiled ? "visible" : "none");
}

/**
 * @param {Map} map
 * @param {Theme} theme
 */
export function setStormTheme(map, theme) {
  if (!map.getSource(STORM)) return;
  const [ink, halo] = overlayColors(theme);
  map.setPaintProperty(VEIL, "background-color", VEIL_COLORS[theme]);
  for (const { id, paint = {} } of [...below(ink, casingColor(theme)), ...above(ink, halo)]) {
    for (const [name, value] of Object.entries(paint)) map.setPaintProperty(id, /** @type {any} */ (name), value);
  }
}

/**
 * @param {string} ink
 * @param {string} casing
 * @returns {(AddLayerObject & { paint?: object })[]}
 */
const below = (ink, casing) => [
  area("expected-zone", "fill", { "fill-color": COLOR, "fill-opacity": 0.1 }),
  area("expected-zone", "line", { "line-color": COLOR, "line-width": 1.6, "line-dasharray": [3, 2] }),
  area("zone", "fill", { "fill-color": COLOR, "fill-opacity": ["case", ["get", "chosen"], 0.3, 0.13] }),
  area("zone", "line", { "line-color": ["case", ["get", "chosen"], ink, COLOR], "line-width": ["case", ["get", "chosen"], 2.2, 1.2] }),
  line("expected-track", "casing", { "line-color": casing, "line-width": byZoom(2, 4, 6, 6, 10, 9) }),
  line("expected-track", "line", { "line-color": COLOR, "line-width": byZoom(2, 2, 6, 3.4, 10, 5), "line-dasharray": [2, 1.3] }),
  line("track", "casing", { "line-color": casing, "line-width": byZoom(2, 4, 6, 8, 10, 12) }),
  line("track", "line", { "line-color": COLOR, "line-width": WIDTH }),
];

/**
 * @param {string} ink
 * @param {string} halo
 * @returns {(AddLayerObject & { paint?: object })[]}
 */
const above = (ink, halo) => [
  dot("step", { "circle-color": COLOR, "circle-radius": byZoom(3, 0, 4, 2.4, 7, 5), "circle-stroke-color": ink, "circle-stroke-width": byZoom(3, 0, 4, 0.8, 7, 1.2), "circle-stroke-opacity": 0.75 }),
  dot("expected-step", { "circle-color": halo, "circle-radius": byZoom(2, 2, 4, 3, 7, 5), "circle-stroke-color": COLOR, "circle-stroke-width": 2 }),
  dot("landfall", { "circle-color": halo, "circle-radius": byZoom(2, 2.5, 5, 4.5), "circle-stroke-color": ink, "circle-stroke-width": 2.5 }),
  dot("expected-now", { "circle-color": halo, "circle-opacity": 0, "circle-radius": 9, "circle-stroke-color": COLOR, "circle-stroke-width": 3 }),
  dot("now", { "circle-color": COLOR, "circle-radius": 8, "circle-stroke-color": ink, "circle-stroke-width": 2.5 }),
  words("time", ink, halo, { "text-size": 11.5, "text-offset": [-0.8, 0], "text-anchor": "right" }, [">=", ["zoom"], ["get", "zoom"]]),
  words("landfall", ink, halo, { "text-size": 12, "text-offset": [0.9, 0], "text-anchor": "left" }, [">=", ["zoom"], 4]),
  // the words of the last layer have their room first
  words("now", ink, halo, { "text-size": 13, "text-offset": [0, -1.3], "text-anchor": "bottom" }, true),
];

/**
 * @param {string} role
 * @param {"fill" | "line"} type
 * @param {object} paint
 * @returns {AddLayerObject}
 */
const area = (role, type, paint) => /** @type {AddLayerObject} */ ({ id: `${STORM}:${role}-${type}`, type, source: STORM, filter: isA(role), paint });

/**
 * @param {string} role
 * @param {string} name
 * @param {object} paint
 * @returns {AddLayerObject}
 */
const line = (role, name, paint) => ({ id: `${STORM}:${role}-${name}`, type: "line", source: STORM, filter: isA(role), layout: ROUNDED, paint });

/**
 * @param {string} role
 * @param {object} paint
 * @returns {AddLayerObject}
 */
const dot = (role, paint) => ({ id: `${STORM}:${role}`, type: "circle", source: STORM, filter: isA(role), paint });

/**
 * @param {string} role
 * @param {string} ink
 * @param {string} halo
 * @param {object} layout
 * @param {ExpressionSpecification | boolean} shown
 * @returns {AddLayerObject}
 */
const words = (role, ink, halo, layout, shown) => ({
  id: `${STORM}:${role}-words`,
  type: "symbol",
  source: STORM,
  filter: /** @type {FilterSpecification} */ (["all", isA(role), shown]),
  layout: { "text-field": ["get", "text"], "text-font": ["Inter"], "text-padding": 3, ...layout },
  paint: { "text-color": ink, "text-halo-color": halo, "text-halo-width": 1.6 },
});

/**
 * @param {string} role
 * @returns {ExpressionSpecification}
 */
const isA = (role) => ["==", ["get", "role"], role];

/**
 * @param {...number} stops zoom level and pixels in turn
 * @returns {DataDrivenPropertyValueSpecification<number>}
 */
function byZoom(...stops) {
  return /** @type {any} */ (["interpolate", ["linear"], ["zoom"], ...stops]);
}
