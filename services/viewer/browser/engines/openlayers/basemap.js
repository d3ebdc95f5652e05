// The basemap of a style in any projection: its GeoJSON cut to where the projection is at home, or its raster tiles.

import { clipped } from "../../cartography/clip.js";
import { escapedAttribution, FINE_KINDS, isBasemap, isLabel, themedLayer } from "../../cartography/style-document.js";
import { getJson } from "../../service/api.js";

/**
 * @import { FeatureCollection } from "geojson"
 * @import { default as Projection } from "ol/proj/Projection.js"
 * @import * as OpenLayers from "./openlayers.js"
 * @import { Box, Source, Style, Theme } from "../../types.d.ts"
 * @typedef {typeof OpenLayers} Library
 */

const LABELS = 900; // z-index: above the data

/**
 * The layers of a basemap, which load by themselves.
 * @param {Library} library
 * @param {Style} style
 * @param {Projection} projection
 * @param {Box} area the part of the world that the projection can draw
 * @param {{ zooms: () => number[], failed: () => void }} options `zooms` are resolutions of the zoom levels that the style
 *   knows; `failed` is called where a layer does not load
 */
export function basemapLayers(library, style, projection, area, { zooms, failed }) {
  const drawn = style.layers.filter((layer) => isBasemap(layer) && layer.source);
  const ids = [...new Set(drawn.flatMap(({ source }) => source ?? []))];
  const vectors = new Map(
    ids.filter((id) => style.sources[id].type === "geojson").map((id, at) => {
      const labels = drawn.some((layer) => layer.source === id && isLabel(layer));
      const source = geojsonSource(library, style.sources[id], projection, area, failed);
      const layer = new library.VectorLayer({ source, declutter: labels, zIndex: labels ? LABELS : at, updateWhileAnimating: false });
      return [id, { source, layer }];
    }),
  );
  const rasters = ids.filter((id) => style.sources[id].type === "raster").map((id) => rasterLayer(library, style.sources[id]));
  return {
    layers: [...rasters, ...[...vectors.values()].map(({ layer }) => layer)],
    /** @param {Theme} theme */
    setTheme: (theme) => {
      const themed = { ...style, layers: drawn.map((layer) => themedLayer(layer, theme)) };
      for (const [id, { layer }] of vectors) {
        library.stylefunction(layer, themed, id, zooms(), undefined, undefined, (fonts) => fonts);
        layer.changed();
      }
      // what shines through is the dark page
      for (const layer of rasters) layer.setOpacity(theme === "dark" ? 0.7 : 1);
    },
    /** @param {FeatureCollection | null} collection */
    setFine: (collection) => {
      for (const [id, kind] of FINE_KINDS) {
        const entry = vectors.get(id);
        if (!entry) continue;
        const wanted = collection?.features.filter(({ properties }) => properties?.basemap === kind);
        const fine = wanted && new library.VectorSource({
          attributions: entry.source.getAttributions() ?? undefined,
          features: featuresOf(library, wanted, projection, area),
        });
        entry.layer.setSource(fine ?? entry.source);
      }
    },
  };
}

/**
 * @param {Library} library
 * @param {Source} source
 * @param {Projection} projection
 * @param {Box} area
 * @param {() => void} failed
 */
function geojsonSource(library, source, projection, area, failed) {
  const made = new library.VectorSource({
    attributions: source.attribution && escapedAttribution(source.attribution),
    loader: () => {
      getJson("data" in source ? String(source.data) : "")
        .then(({ features }) => made.addFeatures(featuresOf(library, features, projection, area)))
        .catch(failed);
    },
  });
  return made;
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
    // tiles are drawn anew in other projections, which the browser allows only with their server's consent
    crossOrigin: "anonymous",
  });
  return new library.TileLayer({ source: made, zIndex: 0 });
}

/**
 * What the projection can draw of GeoJSON features, as OpenLayers features.
 * @param {Library} library
 * @param {FeatureCollection["features"]} collected
 * @param {Projection} projection
 * @param {Box} area
 */
function featuresOf(library, collected, projection, area) {
  const format = new library.GeoJSON();
  return collected.flatMap((feature) => {
    const geometry = clipped(feature.geometry, area);
    return geometry ? [format.readFeature({ ...feature, geometry }, { featureProjection: projection })].flat() : [];
  });
}
