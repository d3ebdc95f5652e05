// A collection's vector tiles as an OpenLayers layer, in any tile matrix set.

import { classPosition, legendEntries } from "../../cartography/classes.js";
import { tileUrl } from "../../cartography/matrix-grid.js";
import { collectionOf, dataLayers, themedLayer, tilesAddress, withVersion } from "../../cartography/style-document.js";
import { Omitted } from "../omitted.js";

/**
 * @import { FeatureLike } from "ol/Feature.js"
 * @import { default as RenderFeature } from "ol/render/Feature.js"
 * @import { default as Projection } from "ol/proj/Projection.js"
 * @import { default as VectorTile } from "ol/VectorTile.js"
 * @import * as OpenLayers from "./openlayers.js"
 * @import { MatrixGrid, Tile } from "../../cartography/matrix-grid.js"
 * @import { Parameters, Style, Theme } from "../../types.d.ts"
 * @typedef {typeof OpenLayers} Library
 * @typedef {ReturnType<typeof matrixLayer>} MatrixLayer
 */

const FAILED = 3; // ol/TileState.ERROR
const FORGET_AFTER = 5000; // milliseconds

/**
 * The layer of a style's collection, with what changes it.
 * @param {Library} library
 * @param {{
 *   style: Style, parameters: Parameters, grid: MatrixGrid, projection: Projection, attribution: string | undefined,
 *   zooms: () => number[],
 * }} options
 */
export function matrixLayer(library, { style, parameters, grid, projection, attribution, zooms }) {
  const id = collectionOf(style);
  /** @param {Parameters} wanted */
  const templateOf = (wanted) => tilesAddress(style.sources[id].tiles?.[0] ?? "", wanted);
  let template = templateOf(parameters);
  const format = new library.MVT();
  const omitted = new Omitted();
  const buffers = new Buffers(omitted);
  const tileGrid = new library.TileGrid(grid.options());
  let edition = 0;

  const source = new library.VectorTileSource({
    format,
    projection,
    tileGrid,
    wrapX: false,
    attributions: attribution,
    tileUrlFunction: (coordinate) => {
      const tile = grid.tile(coordinate);
      return tile ? `${tileUrl(template, tile)}#${coordinate.join()}` : undefined;
    },
    tileLoadFunction: (tile, address) => {
      const drawn = /** @type {VectorTile<RenderFeature>} */ (tile);
      const [url, hash] = address.split("#");
      const place = grid.tile(hash.split(",").map(Number));
      drawn.setLoader((extent, _, featureProjection) => {
        buffers
          .get(url)
          .then((bytes) => drawn.setFeatures(place && bytes.byteLength ? read(format, bytes, extent, place, featureProjection) : []))
          .catch(() => drawn.setState(FAILED));
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
    /** @param {Theme} theme */
    setTheme: (theme) => {
      const layers = dataLayers(style).map((entry) => themedLayer(entry, theme));
      library.stylefunction(layer, { ...style, layers }, id, zooms(), undefined, undefined, (fonts) => fonts);
    },
    /** @param {Parameters} changed */
    setParameters: (changed) => {
      template = templateOf(changed);
      source.clear();
      source.refresh();
    },
    /**
     * The number of features that the tiles of an extent omit.
     * @param {number[]} extent
     * @param {number} resolution
     */
    omitted: (extent, resolution) => {
      /** @type {string[]} */
      const urls = [];
      tileGrid.forEachTileCoord(extent, tileGrid.getZForResolution(resolution, source.zDirection), (coordinate) => {
        const tile = grid.tile(coordinate);
        if (tile) urls.push(tileUrl(template, tile));
      });
      return omitted.of(urls);
    },
    /** @param {string | undefined} version */
    renew: (version) => {
      template = withVersion(template, version);
      buffers.clear();
      edition += 1;
      // a new key makes OpenLayers load the tiles again; the old tiles stay on the map until then
      source.setTileUrlFunction(source.getTileUrlFunction(), `${template}#${edition}`);
    },
  };
}

/** Tiles requested a moment ago. Several columns of the grid may form one tile, which is requested only once. */
class Buffers {
  /** @type {Map<string, Promise<ArrayBuffer>>} */
  #loading = new Map();
  #omitted;

  /** @param {Omitted} omitted is called for each tile */
  constructor(omitted) {
    this.#omitted = omitted;
  }

  /**
   * The bytes at an address. Throws where they are not to be had.
   * @param {string} url
   */
  get(url) {
    const before = this.#loading.get(url);
    if (before) return before;
    const loading = load(url, this.#omitted);
    loading.catch(() => {}).finally(() => setTimeout(() => this.#loading.delete(url), FORGET_AFTER));
    this.#loading.set(url, loading);
    return loading;
  }

  clear() {
    this.#loading.clear();
  }
}

/**
 * @param {string} url
 * @param {Omitted} omitted
 */
async function load(url, omitted) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  omitted.note(response.url, response.headers.get("DAMS-Features-Omitted"), response.headers.get("DAMS-Features-Simplified"));
  return response.arrayBuffer();
}

/**
 * The order that MapLibre's sort keys give: more severe features on top, but small symbols above large ones.
 * @param {Style} style
 */
function renderOrder(style) {
  const size = legendEntries(style).find(({ sizes }) => sizes)?.properties[0];
  /** @param {FeatureLike} feature */
  const rank = (feature) => (size ? -Number(feature.get(size) ?? 0) : classPosition(style, feature.getProperties()));
  return (/** @type {FeatureLike} */ a, /** @type {FeatureLike} */ b) => rank(a) - rank(b);
}

/**
 * OpenLayers scales x and y by the height of a tile. A tile that is several columns wide must be stretched afterwards.
 * @param {InstanceType<Library["MVT"]>} format
 * @param {ArrayBuffer} bytes
 * @param {number[]} extent
 * @param {Tile} tile
 * @param {Projection} featureProjection
 */
function read(format, bytes, extent, { coalesce, within }, featureProjection) {
  const [left, bottom, right, top] = extent;
  const [width, height] = [right - left, top - bottom];
  const start = left - within * width;
  const stretch = (width * coalesce) / height;
  const options = { extent: [start, bottom, start + height, top], featureProjection };
  const features = /** @type {RenderFeature[]} */ (format.readFeatures(bytes.slice(0), options));
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
