// The basemap of a style in any projection: its GeoJSON cut to where the projection is at home, or its raster tiles.

import { getJson } from "../../service/api.js";
import { clipped } from "../../cartography/clip.js";
import { escapedAttribution, isBasemap, isLabel, themedLayer } from "../../cartography/style-document.js";

const LABELS = 900; // z-index: above the data
const FINE_KINDS = { "basemap-land": "land", "basemap-coast": "coast", "basemap-borders": "border" };

/** `{layers, setTheme, setFine}`; the layers load by themselves. */
export function basemapLayers(library, style, projection, area, zooms) {
  const drawn = style.layers.filter((layer) => isBasemap(layer) && layer.source);
  const ids = [...new Set(drawn.map((layer) => layer.source))];
  const vectors = ids.filter((id) => style.sources[id].type === "geojson");
  const made = new Map(
    vectors.map((id, at) => {
      const labels = drawn.some((layer) => layer.source === id && isLabel(layer));
      const source = geojsonSource(library, style.sources[id], projection, area);
      return [id, { source, layer: new library.VectorLayer({ source, declutter: labels, zIndex: labels ? LABELS : at, updateWhileAnimating: false }) }];
    }),
  );
  const rasters = ids.filter((id) => style.sources[id].type === "raster").map((id) => rasterLayer(library, style.sources[id]));
  return {
    layers: [...rasters, ...[...made.values()].map(({ layer }) => layer)],
    setTheme: (theme) => {
      const themed = { ...style, layers: drawn.map((layer) => themedLayer(layer, theme)) };
      for (const [id, { layer }] of made) {
        library.stylefunction(layer, themed, id, zooms(), null, null, (fonts) => fonts);
        layer.changed();
      }
      // what shines through is the dark page
      for (const layer of rasters) layer.setOpacity(theme === "dark" ? 0.7 : 1);
    },
    setFine: (collection) => {
      for (const [id, kind] of Object.entries(FINE_KINDS)) {
        const entry = made.get(id);
        if (!entry) continue;
        const wanted = collection?.features.filter(({ properties }) => properties.kind === kind);
        const fine = wanted && new library.VectorSource({
          attributions: entry.source.getAttributions(),
          features: features(library, wanted, projection, area),
        });
        entry.layer.setSource(fine ?? entry.source);
      }
    },
  };
}

function geojsonSource(library, { data, attribution }, projection, area) {
  const source = new library.VectorSource({
    attributions: attribution && escapedAttribution(attribution),
    loader: async () => {
      const collection = await getJson(data);
      source.addFeatures(features(library, collection.features, projection, area));
    },
  });
  return source;
}

function rasterLayer(library, { tiles, attribution, maxzoom }) {
  const source = new library.XYZ({
    url: tiles[0],
    maxZoom: maxzoom,
    attributions: escapedAttribution(attribution),
    // tiles are drawn anew in other projections, which the browser allows only with their server's consent
    crossOrigin: "anonymous",
  });
  return new library.TileLayer({ source, zIndex: 0 });
}

function features(library, collected, projection, area) {
  const format = new library.GeoJSON();
  const made = [];
  for (const feature of collected) {
    const geometry = clipped(feature.geometry, area);
    if (geometry) made.push(format.readFeature({ ...feature, geometry }, { featureProjection: projection }));
  }
  return made;
}
