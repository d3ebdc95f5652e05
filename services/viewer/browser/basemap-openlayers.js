// The basemap of a style in any projection: its GeoJSON cut to where the projection is at home.

import { getJson } from "./api.js";
import { clipped } from "./clip.js";
import { escapedAttribution, isBasemap, isLabel, themedLayer } from "./style-theme.js";

const LABELS = 900; // z-index: above the data

/** `{layers, setTheme}`; the layers load by themselves. */
export function basemapLayers(library, style, projection, area, zooms) {
  const drawn = style.layers.filter((layer) => isBasemap(layer) && layer.source);
  const sources = [...new Set(drawn.map((layer) => layer.source))];
  const layers = sources.map((id, at) => {
    const { data, attribution } = style.sources[id];
    const labels = drawn.some((layer) => layer.source === id && isLabel(layer));
    const source = new library.VectorSource({
      attributions: attribution && escapedAttribution(attribution),
      loader: async () => {
        const collection = await getJson(data);
        source.addFeatures(features(library, collection, projection, area));
      },
    });
    return new library.VectorLayer({ source, declutter: labels, zIndex: labels ? LABELS : at, updateWhileAnimating: false });
  });
  return {
    layers,
    setTheme: (theme) => {
      const themed = { ...style, layers: drawn.map((layer) => themedLayer(layer, theme)) };
      layers.forEach((layer, at) => {
        library.stylefunction(layer, themed, sources[at], zooms(), null, null, (fonts) => fonts);
        layer.changed();
      });
    },
  };
}

function features(library, collection, projection, area) {
  const format = new library.GeoJSON();
  const made = [];
  for (const feature of collection.features) {
    const geometry = clipped(feature.geometry, area);
    if (geometry) made.push(format.readFeature({ ...feature, geometry }, { featureProjection: projection }));
  }
  return made;
}
