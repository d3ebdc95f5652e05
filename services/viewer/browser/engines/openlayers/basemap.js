// The basemap of a style in any projection: its vector tiles cut to where the projection is at home, or its raster tiles.

import { escapedAttribution, isBasemap, isLabel, themedLayer } from "../../cartography/style-document.js";
import { BasemapTiles } from "./basemap-tiles.js";

/**
 * @import { default as Projection } from "ol/proj/Projection.js"
 * @import { Seen } from "./basemap-tiles.js"
 * @import * as OpenLayers from "./openlayers.js"
 * @import { Box, Layer, Source, Style, Theme } from "../../types.d.ts"
 * @typedef {typeof OpenLayers} Library
 */

const LABELS = 900; // z-index: above the data

/**
 * The layers of a basemap, which load by themselves.
 * @param {Library} library
 * @param {Style} style
 * @param {Projection} projection
 * @param {Box} area the part of the world that the projection can draw
 * @param {{ zooms: () => number[], seen: () => Seen, failed: () => void }} options `zooms` are resolutions of the zoom
 *   levels that the style knows; `seen` is what the map shows; `failed` is called where tiles do not load
 */
export function basemapLayers(library, style, projection, area, { zooms, seen, failed }) {
  const drawn = style.layers.filter((layer) => isBasemap(layer) && layer.source);
  const sources = [...new Set(drawn.flatMap(({ source }) => source ?? []))].map((id) => style.sources[id]);
  const rasters = sources.filter(({ type }) => type === "raster").map((source) => rasterLayer(library, source));
  const vectors = sources
    .filter(({ type }) => type === "vector")
    .map((source) => vectorLayers(library, source, drawn, new BasemapTiles(library, source, projection, area)));
  return {
    layers: [...rasters, ...vectors.flatMap(({ layers }) => layers.map(({ layer }) => layer))],
    /** @param {Theme} theme */
    setTheme: (theme) => {
      const themed = { ...style, layers: drawn.map((layer) => themedLayer(layer, theme)) };
      for (const { layer, ids } of vectors.flatMap(({ layers }) => layers)) {
        library.stylefunction(layer, themed, ids, zooms(), undefined, undefined, (fonts) => fonts);
        layer.changed();
      }
      // the dark background of the page shows through
      for (const layer of rasters) layer.setOpacity(theme === "dark" ? 0.7 : 1);
    },
    /** Draws the current view when its tiles are loaded; the previous drawing stays until then. */
    update: () => {
      for (const { update } of vectors) update(seen()).catch(failed);
    },
  };
}

/**
 * Areas and lines below the data, labels above.
 * @param {Library} library
 * @param {Source} source
 * @param {Layer[]} drawn
 * @param {BasemapTiles} tiles
 */
function vectorLayers(library, { attribution }, drawn, tiles) {
  const layers = [false, true].map((labels) => {
    const made = new library.VectorSource({ attributions: attribution && escapedAttribution(attribution), wrapX: false });
    const layer = new library.VectorLayer({ source: made, declutter: labels, zIndex: labels ? LABELS : 0, updateWhileAnimating: false });
    const ids = drawn.filter((each) => isLabel(each) === labels).map(({ id }) => id);
    return { layer, ids, source: made, labels };
  });
  return {
    layers,
    /** @param {Seen} seen */
    update: async (seen) => {
      const features = await tiles.features(seen);
      if (!features) return;
      for (const { source, labels } of layers) {
        source.clear(true);
        source.addFeatures(features.filter((feature) => (feature.getGeometry()?.getType() === "Point") === labels));
      }
    },
  };
}

/**
 * @param {Library} library
 * @param {Source} source
 */
function rasterLayer(library, { tiles = [], attribution = "", ...source }) {
  const made = new library.XYZ({
    url: tiles[0],
    maxZoom: "maxzoom" in source ? source.maxzoom : undefined,
    attributions: escapedAttribution(attribution),
    // OpenLayers redraws the tiles in other projections. Browsers allow that only if the tile server permits it (CORS).
    crossOrigin: "anonymous",
  });
  return new library.TileLayer({ source: made, zIndex: 0 });
}
