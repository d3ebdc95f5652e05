// The storm that is followed, as OpenLayers draws it; model/storm-drawing.js says what its features are.

import { casingColor, overlayColors } from "../../cartography/style-document.js";

/**
 * @import { FeatureLike } from "ol/Feature.js"
 * @import { default as VectorLayer } from "ol/layer/Vector.js"
 * @import { default as Projection } from "ol/proj/Projection.js"
 * @import { default as OneStyle } from "ol/style/Style.js"
 * @import * as OpenLayers from "./openlayers.js"
 * @import { FeatureCollection, Theme } from "../../types.d.ts"
 * @typedef {typeof OpenLayers} Library
 * @typedef {{ color: string, ink: string, halo: string, edge: string, feature: FeatureLike }} Drawn
 */

const BELOW = 400; // z-index: above the data, below the labels
const ABOVE = 950;
// within the layer: the casing of a line does not cut into the next
const [CASING, LINE] = [1, 2];
const DOTS = new Set(["step", "expected-step", "landfall", "time", "now", "expected-now"]);
/** The drawing order: the first is at the bottom. */
const ORDER = ["expected-zone", "zone", "expected-track", "track", "step", "expected-step", "time", "landfall", "expected-now", "now"];

export class StormLayers {
  #library;
  #projection;
  /** @type {VectorLayer[]} areas and lines, and points with words */
  layers;

  /**
   * @param {Library} library
   * @param {Projection} projection
   */
  constructor(library, projection) {
    this.#library = library;
    this.#projection = projection;
    const rank = (/** @type {FeatureLike} */ feature) => ORDER.indexOf(feature.get("role"));
    const renderOrder = (/** @type {FeatureLike} */ a, /** @type {FeatureLike} */ b) => rank(a) - rank(b);
    this.layers = [BELOW, ABOVE].map(
      (zIndex) => new library.VectorLayer({ source: new library.VectorSource({ wrapX: false }), zIndex, renderOrder, declutter: zIndex === ABOVE }),
    );
  }

  /** @param {FeatureCollection | null} drawing */
  draw(drawing) {
    const options = { featureProjection: this.#projection };
    const features = drawing ? new this.#library.GeoJSON().readFeatures(drawing, options) : [];
    this.layers.forEach((layer, above) => {
      layer.getSource()?.clear(true);
      layer.getSource()?.addFeatures(features.filter((feature) => DOTS.has(feature.get("role")) === Boolean(above)));
    });
  }

  /**
   * @param {Theme} theme
   * @param {() => number} zoom
   */
  setTheme(theme, zoom) {
    const [ink, halo] = overlayColors(theme);
    const edge = casingColor(theme);
    const styles = stylesOf(this.#library, zoom);
    for (const layer of this.layers) {
      layer.setStyle((feature) => styles[feature.get("role")]?.({ color: feature.get("color"), ink, halo, edge, feature }));
    }
  }
}

/**
 * By role.
 * @param {Library} library
 * @param {() => number} zoom
 * @returns {Record<string, (drawn: Drawn) => OneStyle | OneStyle[] | undefined>}
 */
function stylesOf({ CircleStyle, Fill, Stroke, Style, Text }, zoom) {
  /** @type {(color: string, width: number, lineDash?: number[]) => OneStyle} */
  const line = (color, width, lineDash) => new Style({ stroke: new Stroke({ color, width, lineDash, lineCap: lineDash ? "butt" : "round" }), zIndex: LINE });
  /** @type {(color: string, width: number) => OneStyle} */
  const casing = (color, width) => new Style({ stroke: new Stroke({ color, width }), zIndex: CASING });
  /** @type {(fill: string, radius: number, stroke: string, width: number) => OneStyle} */
  const dot = (fill, radius, stroke, width) =>
    new Style({ image: new CircleStyle({ radius, fill: new Fill({ color: fill }), stroke: new Stroke({ color: stroke, width }), declutterMode: "none" }) });
  /** @type {(drawn: Drawn, options: object) => OneStyle} */
  const words = ({ feature, ink, halo }, options) =>
    new Style({ text: new Text({ text: feature.get("text"), font: "12px Inter, sans-serif", fill: new Fill({ color: ink }), stroke: new Stroke({ color: halo, width: 3.5 }), ...options }) });
  return {
    "expected-zone": ({ color }) => new Style({ fill: new Fill({ color: `${color}1a` }), stroke: new Stroke({ color, width: 1.6, lineDash: [6, 4] }) }),
    zone: ({ color, ink, feature }) => {
      const chosen = feature.get("chosen");
      return new Style({ fill: new Fill({ color: `${color}${chosen ? "4d" : "21"}` }), stroke: new Stroke({ color: chosen ? ink : color, width: chosen ? 2.2 : 1.2 }) });
    },
    "expected-track": ({ color, edge }) => [casing(edge, 5), line(color, 3, [7, 5])],
    track: ({ color, edge }) => [casing(edge, 7), line(color, 4.5)],
    step: ({ color, ink }) => (zoom() < 4 ? undefined : dot(color, 3.5, ink, 1)),
    "expected-step": ({ color, halo }) => dot(halo, 3.5, color, 2),
    landfall: (drawn) => [dot(drawn.halo, 4.5, drawn.ink, 2.5), ...(zoom() < 4 ? [] : [words(drawn, { offsetX: 11, textAlign: "left" })])],
    time: (drawn) => (zoom() < drawn.feature.get("zoom") ? undefined : words(drawn, { offsetX: -10, textAlign: "right" })),
    "expected-now": ({ color }) => dot("#ffffff00", 9, color, 3),
    now: (drawn) => [dot(drawn.color, 8, drawn.ink, 2.5), words(drawn, { offsetY: -20, font: "600 13px Inter, sans-serif", declutterMode: "none" })],
  };
}
