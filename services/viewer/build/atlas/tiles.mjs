// Cuts the basemap into vector tiles: standard input holds the layers, name to GeoJSON features, and `names` of towns in
// other languages; arguments are the folder
// to fill and the file of populated places. Tiles are `<tile matrix set>/<zoom>/<row>/<column>.mvt.gz`; those in degrees are
// also `pictures/<zoom>/<row>/<column>.json.gz`, SVG paths and labels for pictures without scripts.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { GeoJSONVT } from "@maplibre/geojson-vt";
import { fromGeojsonVt } from "@maplibre/vt-pbf";

import { lightened } from "./light.mjs";
import { pictured } from "./pictures.mjs";
import { placeLabels } from "./places.mjs";

const LAST = 6; // at which 1:10m is drawn to a pixel or two; nearer views enlarge these tiles
const EXTENT = 4096;

/**
 * A position in the square whose tile at zoom z + 1 is that of WorldCRS84Quad at z, which has two tiles at its zoom 0.
 * @param {number[]} position
 */
const inDegrees = ([longitude, latitude]) => [(longitude + 180) / 360, (90 - latitude) / 360];

const TILINGS = [
  { id: "WebMercatorQuad", project: null, first: 0, light: 2, options: {} },
  { id: "WorldCRS84Quad", project: inDegrees, first: 1, light: -1, options: { coordinates: "unitSquare", wrap: false } },
];
const TOLERANCE = { light: 7, usual: 5 }; // units, of which 8 are a pixel; nothing is simplified at the last zoom of an index

const [folder, placesFile] = process.argv.slice(2);
const { names, ...layers } = JSON.parse(readFileSync(0, "utf8"));
const { towns, provinces } = placeLabels(placesFile, names);
layers.labels.push(...provinces);
layers.towns = towns;

for (const { id, project, first, light, options } of TILINGS) {
  /** @type {Map<string, Uint8Array[]>} */
  const tiles = new Map();
  /** @type {Map<string, Record<string, any>>} */
  const pictures = new Map();
  for (const [name, features] of Object.entries(layers)) {
    const collection = { type: "FeatureCollection", features: project ? features.map((each) => projected(each, project)) : features };
    const indexOf = (/** @type {number} */ maxZoom, /** @type {number} */ tolerance) =>
      new GeoJSONVT(collection, { maxZoom, indexMaxZoom: maxZoom, indexMaxPoints: 0, tolerance, extent: EXTENT, buffer: 64, ...options });
    const [far, near] = [light < 0 ? null : indexOf(light + 1, TOLERANCE.light), indexOf(LAST, TOLERANCE.usual)];
    for (const [z, x, y] of pyramid(first)) {
      const tile = (far && z <= light ? far : near).getTile(z, x, y);
      const all = tile?.features.filter(({ tags }) => z === LAST || !(tags?.zoom > z)) ?? [];
      const drawn = z <= light ? lightened(name, all, z) : all;
      if (!drawn.length) continue;
      // a tile is a sequence of layers, each encoded by itself
      const layer = fromGeojsonVt({ [name]: { ...tile, features: drawn } }, { version: 2, extent: EXTENT });
      const path = `${folder}/${id}/${z - first}/${y}/${x}.mvt.gz`;
      tiles.get(path)?.push(layer) ?? tiles.set(path, [layer]);
      if (first) {
        const picture = `${folder}/pictures/${z - first}/${y}/${x}.json.gz`;
        pictures.set(picture, { ...pictures.get(picture), ...pictured(name, drawn, EXTENT) });
      }
    }
  }
  for (const [path, encoded] of tiles) write(path, Buffer.concat(encoded));
  for (const [path, picture] of pictures) write(path, JSON.stringify(picture));
}

/**
 * @param {string} path
 * @param {string | Uint8Array} content
 */
function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, gzipSync(content, { level: 9 }));
}

/**
 * Zoom, column and row of all tiles; where the first zoom has two tiles, there are half as many rows as columns.
 * @param {number} first
 */
function* pyramid(first) {
  for (let z = first; z <= LAST; z++) {
    for (let x = 0; x < 2 ** z; x++) for (let y = 0; y < 2 ** (z - first); y++) yield [z, x, y];
  }
}

/**
 * @param {{ geometry: { type: string, coordinates: any } }} feature
 * @param {(position: number[]) => number[]} project
 */
function projected(feature, project) {
  const walk = (coordinates) => (typeof coordinates[0] === "number" ? project(coordinates) : coordinates.map(walk));
  return { ...feature, geometry: { ...feature.geometry, coordinates: walk(feature.geometry.coordinates) } };
}
