// The vector tiles of the basemap as features of any projection. They are read in degrees (WorldCRS84Quad), which holds the
// poles, too; OpenLayers itself does not draw vector tiles in another projection than theirs.

import { tilesOver } from "../../cartography/basemap-grid.js";
import { clipped } from "../../cartography/clip.js";
import { shared } from "../../cartography/view-box.js";

/**
 * @import { Geometry } from "geojson"
 * @import { default as Feature } from "ol/Feature.js"
 * @import { default as Projection } from "ol/proj/Projection.js"
 * @import * as OpenLayers from "./openlayers.js"
 * @import { GridTile } from "../../cartography/basemap-grid.js"
 * @import { Box, Source } from "../../types.d.ts"
 * @typedef {typeof OpenLayers} Library
 * @typedef {{ zoom: number, box: Box }} Seen
 */

const CACHED = 160; // tiles in memory

export class BasemapTiles {
  #library;
  #template;
  #last;
  #projection;
  #area;
  #shown = "";
  #wanted = "";
  /**
   * By name, the most recently used last.
   * @type {Map<string, Promise<Feature[]>>}
   */
  #loading = new Map();

  /**
   * @param {Library} library
   * @param {Source} source in Web Mercator, as styles name it
   * @param {Projection} projection
   * @param {Box} area
   */
  constructor(library, source, projection, area) {
    this.#library = library;
    this.#template = (source.tiles?.[0] ?? "").replace("/WebMercatorQuad/", "/WorldCRS84Quad/");
    // whose tiles are half as wide as those of Web Mercator at the same zoom
    this.#last = ("maxzoom" in source && source.maxzoom !== undefined ? source.maxzoom : 6) - 1;
    this.#projection = projection;
    this.#area = area;
  }

  /**
   * The features to draw for the view; null if they are drawn already, or if the map has moved since. Throws if a
   * tile cannot be loaded.
   * @param {Seen} seen
   * @returns {Promise<Feature[] | null>}
   */
  async features({ zoom, box }) {
    const part = shared(box, this.#area);
    const tiles = part ? tilesOver(part, zoom, this.#last) : [];
    const wanted = tiles.map(({ name }) => name).join();
    if (wanted === this.#wanted) return null;
    this.#wanted = wanted;
    try {
      const loaded = await Promise.all(tiles.map((tile) => this.#tile(tile)));
      if (wanted !== this.#wanted) return null;
      this.#shown = wanted;
      return loaded.flat();
    } catch (error) {
      if (wanted === this.#wanted) this.#wanted = this.#shown;
      throw error;
    }
  }

  /** @param {GridTile} tile */
  #tile(tile) {
    const loading = this.#loading.get(tile.name) ?? this.#load(tile);
    this.#loading.delete(tile.name);
    this.#loading.set(tile.name, loading);
    const [oldest] = this.#loading.keys();
    if (this.#loading.size > CACHED) this.#loading.delete(oldest);
    return loading;
  }

  /** @param {GridTile} tile */
  #load(tile) {
    const url = this.#template.replace("{z}", String(tile.zoom)).replace("{y}", String(tile.row)).replace("{x}", String(tile.column));
    const loading = fetch(url).then(async (response) => {
      if (!response.ok) throw new Error(`${url}: ${response.status}`);
      const bytes = await response.arrayBuffer();
      return bytes.byteLength ? this.#read(bytes, tile.box) : [];
    });
    loading.catch(() => this.#loading.delete(tile.name));
    return loading;
  }

  /**
   * @param {ArrayBuffer} bytes
   * @param {Box} box
   */
  #read(bytes, box) {
    const { Feature: featureClass, GeoJSON, MVT, getProjection } = this.#library;
    const format = new MVT(/** @type {any} */ ({ featureClass, layerName: "mvt:layer" }));
    const geojson = new GeoJSON();
    const options = { extent: box, featureProjection: getProjection("CRS:84") ?? undefined };
    const features = /** @type {Feature[]} */ (/** @type {unknown[]} */ (format.readFeatures(bytes, options)));
    return features.filter((feature) => {
      const geometry = feature.getGeometry();
      const whole = geometry && /** @type {Geometry} */ (geojson.writeGeometryObject(geometry));
      const part = whole && isOf(whole, box) && clipped(whole, this.#area);
      if (part) feature.setGeometry(geojson.readGeometry(part, { featureProjection: this.#projection }));
      return part;
    });
  }
}

/**
 * Whether a tile draws a geometry: areas and lines reach beyond its sides, so that no seam is seen, but a label is one
 * tile's alone.
 * @param {Geometry} geometry
 * @param {Box} box
 */
function isOf(geometry, [west, south, east, north]) {
  if (geometry.type !== "Point") return true;
  const [x, y] = geometry.coordinates;
  return x >= west && x < east && y > south && y <= north;
}
