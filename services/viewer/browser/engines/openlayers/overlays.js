// Styles of the overlays: the area of the filter, the outline of the selected feature, and the measurement.

import { overlayColors } from "../../cartography/style-document.js";

/** @import * as OpenLayers from "./openlayers.js" */
/** @import { Theme } from "../../types.d.ts" */

/**
 * @param {typeof OpenLayers} library
 * @param {Theme} theme
 */
export function highlightStyle({ CircleStyle, Stroke, Style }, theme) {
  const [ink, halo] = overlayColors(theme);
  return [
    new Style({ stroke: new Stroke({ color: halo, width: 6 }) }),
    new Style({
      stroke: new Stroke({ color: ink, width: 2.5 }),
      image: new CircleStyle({ radius: 13, stroke: new Stroke({ color: ink, width: 2.5 }) }),
    }),
  ];
}

/**
 * @param {typeof OpenLayers} library
 * @param {Theme} theme
 * @param {number} opacity of the area
 */
export function sketchStyle({ CircleStyle, Fill, Stroke, Style }, theme, opacity) {
  const [ink, halo] = overlayColors(theme);
  return [
    new Style({ stroke: new Stroke({ color: halo, width: 5 }) }),
    new Style({
      fill: new Fill({ color: ink + Math.round(opacity * 255).toString(16).padStart(2, "0") }),
      stroke: new Stroke({ color: ink, width: 2 }),
      image: new CircleStyle({ radius: 4, fill: new Fill({ color: halo }), stroke: new Stroke({ color: ink, width: 2 }) }),
    }),
  ];
}
