// The features under a click.

/**
 * @import { FeatureLike } from "ol/Feature.js"
 * @import { Map as OpenLayersMap } from "ol"
 * @import { Hit } from "../../types.d.ts"
 */

const RADIUS = 6; // pixels

/**
 * The features of collections at a pixel, each once, the topmost first.
 * @param {OpenLayersMap} map
 * @param {number[]} pixel
 * @returns {Hit[]}
 */
export function hitsAt(map, pixel) {
  /** @type {Map<string, Hit>} */
  const hits = new Map();
  map.forEachFeatureAtPixel(
    pixel,
    (/** @type {FeatureLike} */ feature, layer) => {
      const collection = layer?.get("collection");
      const key = `${collection}/${feature.getId()}`;
      if (!collection || hits.has(key)) return;
      hits.set(key, { collection, id: feature.getId(), properties: feature.getProperties(), geometry: null });
    },
    { hitTolerance: RADIUS, layerFilter: (layer) => layer.get("collection") !== undefined },
  );
  return [...hits.values()];
}
