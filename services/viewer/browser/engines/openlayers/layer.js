// A collection's vector tiles as an OpenLayers layer, in any tile matrix set.

import { classIndex } from "../../panel/legend.js";
import { tileUrl } from "../../cartography/matrix-grid.js";
import { collectionOf, dataLayers, themedLayer, tilesAddress } from "../../cartography/style-document.js";

/** `{layer, source, setTheme, setParameters}` for a style's collection. */
export function matrixLayer(library, { style, parameters, grid, projection, attribution, zooms }) {
  const id = collectionOf(style);
  let template = tilesAddress(style.sources[id].tiles[0], parameters);
  const format = new library.MVT();
  const buffers = new Map();
  let edition = 0;

  const load = (url) => {
    // columns that make one tile ask for it once
    if (!buffers.has(url)) {
      const loading = fetch(url).then((response) => {
        if (!response.ok) throw new Error(`${url}: ${response.status}`);
        return response.arrayBuffer();
      });
      loading.catch(() => {}).finally(() => setTimeout(() => buffers.delete(url), 5000));
      buffers.set(url, loading);
    }
    return buffers.get(url);
  };

  const source = new library.VectorTileSource({
    format,
    projection,
    tileGrid: new library.TileGrid(grid.options()),
    wrapX: false,
    attributions: attribution,
    tileUrlFunction: (coordinate) => {
      const tile = grid.tile(coordinate);
      return tile ? `${tileUrl(template, tile)}#${coordinate.join()}` : undefined;
    },
    tileLoadFunction: (olTile, address) => {
      const [url, hash] = address.split("#");
      const tile = grid.tile(hash.split(",").map(Number));
      olTile.setLoader(async (extent, resolution, featureProjection) => {
        try {
          const bytes = await load(url);
          olTile.setFeatures(bytes.byteLength ? read(format, bytes, extent, tile, featureProjection) : []);
        } catch {
          olTile.setState(3); // ol/TileState.ERROR
        }
      });
    },
  });
  const layer = new library.VectorTileLayer({
    source,
    declutter: true,
    // farther out the view would need thousands of tiles of a tileset that begins deep; the limit itself is left out
    maxResolution: grid.maxResolution() * 1.01,
    renderOrder: renderOrder(style),
    properties: { collection: id },
  });

  return {
    layer,
    source,
    setTheme: (theme) => {
      const layers = dataLayers(style).map((entry) => themedLayer(entry, theme));
      library.stylefunction(layer, { ...style, layers }, id, zooms(), null, null, (fonts) => fonts);
    },
    setParameters: (changed) => {
      template = tilesAddress(style.sources[id].tiles[0], changed);
      source.clear();
      source.refresh();
    },
    renew: () => {
      buffers.clear();
      edition += 1;
      // another key: tiles are loaded anew, the old ones stay on the map until then
      source.setTileUrlFunction(source.getTileUrlFunction(), `${template}#${edition}`);
    },
  };
}

// the order that sort keys give in MapLibre: what is worse on top, but small symbols before large ones
function renderOrder(style) {
  const legend = style.metadata["dams:legend"];
  const size = legend.find(({ sizes }) => sizes)?.properties[0];
  const rank = size
    ? (feature) => -Number(feature.get(size) ?? 0)
    : (feature) => classIndex(style, feature.getProperties());
  return (a, b) => rank(a) - rank(b);
}

// OpenLayers scales x and y by the tile's height: what is several columns wide must be stretched afterwards
function read(format, bytes, extent, { coalesce, within }, featureProjection) {
  const [left, bottom, right, top] = extent;
  const [width, height] = [right - left, top - bottom];
  const start = left - within * width;
  const stretch = (width * coalesce) / height;
  const features = format.readFeatures(bytes.slice(0), { extent: [start, bottom, start + height, top], featureProjection });
  if (Math.abs(stretch - 1) > 1e-9) {
    for (const feature of features) {
      feature.applyTransform((input, output, stride = 2) => {
        const target = output ?? input;
        for (let at = 0; at < input.length; at += stride) target[at] = start + (input[at] - start) * stretch;
        return target;
      });
    }
  }
  return features;
}
