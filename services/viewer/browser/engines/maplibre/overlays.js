// Overlays: the area of the filter, the outline of the selected feature, and the measured line or polygon.

import { overlayColors, sketchFeatures } from "../../cartography/style-document.js";

/** @import { AddLayerObject, DataDrivenPropertyValueSpecification, ColorSpecification, GeoJSONSource, Map } from "maplibre-gl" */
/** @import { Item, Sketch, Theme } from "../../types.d.ts" */

const HIGHLIGHT = "dams-highlight";
const SKETCH = "dams-sketch";
const OUTLINE = "dams-area";
/** @type {GeoJSON.FeatureCollection} */
const EMPTY = { type: "FeatureCollection", features: [] };
const ROUNDED = /** @type {const} */ ({ "line-join": "round", "line-cap": "round" });

/**
 * Whether a layer is one of these.
 * @param {{ id: string }} layer
 */
export const isOverlay = ({ id }) => [HIGHLIGHT, SKETCH, OUTLINE].some((name) => id.startsWith(`${name}:`));

/**
 * Adds sources and layers, empty.
 * @param {Map} map
 * @param {Theme} theme
 */
export function addOverlays(map, theme) {
  const [ink, halo] = overlayColors(theme);
  addSketch(map, OUTLINE, [ink, halo], 0.05);
  map.addSource(HIGHLIGHT, { type: "geojson", data: EMPTY });
  map.addLayer(lines(HIGHLIGHT, "area", "Polygon", ink, 2.5));
  map.addLayer(lines(HIGHLIGHT, "line-halo", "LineString", halo, 13));
  map.addLayer(lines(HIGHLIGHT, "line-edge", "LineString", ink, 9));
  map.addLayer(lines(HIGHLIGHT, "line", "LineString", ["coalesce", ["get", "color"], ink], 5));
  map.addLayer({
    id: `${HIGHLIGHT}:point`,
    type: "circle",
    source: HIGHLIGHT,
    filter: ["==", ["geometry-type"], "Point"],
    paint: { "circle-radius": 13, "circle-opacity": 0, "circle-stroke-color": ink, "circle-stroke-width": 2.5 },
  });
  addSketch(map, SKETCH, [ink, halo], 0.12);
}

/**
 * @param {Map} map
 * @param {string} source
 * @param {[string, string]} colors
 * @param {number} opacity of the area
 */
function addSketch(map, source, [ink, halo], opacity) {
  map.addSource(source, { type: "geojson", data: EMPTY });
  map.addLayer({
    id: `${source}:area`,
    type: "fill",
    source,
    filter: ["==", ["geometry-type"], "Polygon"],
    paint: { "fill-color": ink, "fill-opacity": opacity },
  });
  map.addLayer(lines(source, "halo", "LineString", halo, 5));
  map.addLayer(lines(source, "line", "LineString", ink, 2));
  map.addLayer({
    id: `${source}:point`,
    type: "circle",
    source,
    filter: ["==", ["geometry-type"], "Point"],
    paint: { "circle-radius": 4, "circle-color": halo, "circle-stroke-color": ink, "circle-stroke-width": 2 },
  });
}

/**
 * @param {string} source
 * @param {string} name
 * @param {"LineString" | "Polygon"} dimension
 * @param {DataDrivenPropertyValueSpecification<ColorSpecification>} color
 * @param {number} width
 * @returns {AddLayerObject}
 */
const lines = (source, name, dimension, color, width) => ({
  id: `${source}:${name}`,
  type: "line",
  source,
  filter: ["==", ["geometry-type"], dimension],
  layout: ROUNDED,
  paint: { "line-color": color, "line-width": width },
});

/**
 * @param {Map} map
 * @param {Theme} theme
 */
export function setOverlayTheme(map, theme) {
  const [ink, halo] = overlayColors(theme);
  map.setPaintProperty(`${HIGHLIGHT}:area`, "line-color", ink);
  map.setPaintProperty(`${HIGHLIGHT}:line-halo`, "line-color", halo);
  map.setPaintProperty(`${HIGHLIGHT}:line-edge`, "line-color", ink);
  map.setPaintProperty(`${HIGHLIGHT}:point`, "circle-stroke-color", ink);
  for (const source of [SKETCH, OUTLINE]) {
    map.setPaintProperty(`${source}:area`, "fill-color", ink);
    map.setPaintProperty(`${source}:halo`, "line-color", halo);
    map.setPaintProperty(`${source}:line`, "line-color", ink);
    map.setPaintProperty(`${source}:point`, "circle-color", halo);
    map.setPaintProperty(`${source}:point`, "circle-stroke-color", ink);
  }
}

/**
 * Draws an outline around a feature, a line keeping its colour; null removes it.
 * @param {Map} map
 * @param {Item | null} feature
 * @param {string | null} color
 */
export function drawHighlight(map, feature, color) {
  const { geometry = null } = feature ?? {};
  sourceOf(map, HIGHLIGHT)?.setData(geometry ? { type: "Feature", geometry, properties: { color } } : EMPTY);
}

/**
 * Draws the measured line or polygon; null removes it.
 * @param {Map} map
 * @param {Sketch | null} sketch
 */
export function drawSketch(map, sketch) {
  sourceOf(map, SKETCH)?.setData(sketch ? sketchFeatures(sketch) : EMPTY);
}

/**
 * Draws the area of the filter; null removes it.
 * @param {Map} map
 * @param {Sketch | null} outline
 */
export function drawOutline(map, outline) {
  sourceOf(map, OUTLINE)?.setData(outline ? sketchFeatures(outline) : EMPTY);
}

/**
 * @param {Map} map
 * @param {string} id
 * @returns {GeoJSONSource | undefined}
 */
const sourceOf = (map, id) => map.getSource(id);
