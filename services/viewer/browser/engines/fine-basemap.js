// Land, coast and borders from the 1:10m atlas, in cells of some degrees, where the map is seen from near.

import { address, getJson } from "../service/api.js";

/**
 * @import { Box, Engine } from "../types.d.ts"
 * @typedef {{ size: number, cells: string[] }} Index the cells that there are: degrees of a side, names `west_south`
 */

const ZOOM = 6; // where the 1:50m atlas begins to look coarse
const MOST = 40; // cells at a time
const CACHED = 120; // cells in memory

/**
 * Draws the fine cells of the view, once all of them are there; until then, and from afar, the coarse ones show.
 * `edition` keeps caches from giving older files.
 * @param {Engine} engine
 * @param {string} edition
 */
export function fineBasemap(engine, edition) {
  const cells = new Cells(edition);
  let drawn = "";
  let wanted = "";
  const update = async () => {
    if (engine.view().zoom < ZOOM) return draw("", null);
    const names = cellsIn(await cells.index(), engine.bbox());
    wanted = names.join();
    if (names.length > MOST) return draw("", null);
    if (wanted === drawn) return undefined;
    const loaded = await Promise.all(names.map((name) => cells.features(name)));
    // the map may have moved on meanwhile
    return wanted === names.join() && engine.view().zoom >= ZOOM ? draw(wanted, loaded.flat()) : undefined;
  };
  /**
   * @param {string} names
   * @param {GeoJSON.Feature[] | null} features
   */
  const draw = (names, features) => {
    if (names === drawn) return;
    drawn = names;
    engine.setFine(features && { type: "FeatureCollection", features });
  };
  // without the cells the coarse basemap stays
  const quietly = () => update().catch(() => draw("", null));
  engine.onMove(quietly);
  quietly();
}

/** The cells of the service, those that were used last in memory. */
class Cells {
  #edition;
  /** @type {Promise<Index> | null} */
  #index = null;
  /**
   * By name, the most recently used last.
   * @type {Map<string, Promise<GeoJSON.Feature[]>>}
   */
  #features = new Map();

  /** @param {string} edition */
  constructor(edition) {
    this.#edition = edition;
  }

  /** @returns {Promise<Index>} */
  index() {
    this.#index ??= getJson(address("/basemap/fine/cells.json", { edition: this.#edition }));
    this.#index.catch(() => (this.#index = null));
    return this.#index;
  }

  /**
   * The features of a cell.
   * @param {string} name
   */
  features(name) {
    const loading = this.#features.get(name) ?? this.#load(name);
    this.#features.delete(name);
    this.#features.set(name, loading);
    const [oldest] = this.#features.keys();
    if (this.#features.size > CACHED) this.#features.delete(oldest);
    return loading;
  }

  /**
   * @param {string} name
   * @returns {Promise<GeoJSON.Feature[]>}
   */
  #load(name) {
    const loading = getJson(address(`/basemap/fine/${name}.geojson`, { edition: this.#edition })).then(({ features }) => features);
    loading.catch(() => this.#features.delete(name));
    return loading;
  }
}

/**
 * Names of the cells that a box (west > east across ±180°) touches.
 * @param {Index} index
 * @param {Box} box
 */
export function cellsIn({ size, cells }, [west, south, east, north]) {
  const end = east < west ? east + 360 : east;
  return cells.filter((name) => {
    const [left, bottom] = name.split("_").map(Number);
    if (bottom + size < south || bottom > north) return false;
    return [0, 360].some((turn) => left + turn <= end && left + turn + size >= west);
  });
}
