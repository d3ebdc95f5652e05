// Decides which collections are drawn from shared tiles: those with equal query parameters.

import { tilesAddress } from "../cartography/style-document.js";
import { address, getJson } from "../service/api.js";
import { idsText } from "./styles.js";

/** @import { Engine, Parameters, Style } from "../types.d.ts" */

const MOST = 32; // collections in a tile
const VERSION = /[?&]v=/;

/** The collections that one source of the engine draws; empty where each has its own. */
export class Together {
  #engine;
  #tileMatrixSet;
  #told;
  /** @type {Set<string>} */
  #ids = new Set();
  #template = "";
  /** @type {Parameters} */
  #parameters = {};

  /**
   * @param {Engine} engine
   * @param {string} tileMatrixSet
   * @param {(ids: string[]) => string | null} [told] the address of the tiles of collections, where that is known
   */
  constructor(engine, tileMatrixSet, told = () => null) {
    this.#engine = engine;
    this.#tileMatrixSet = tileMatrixSet;
    this.#told = told;
  }

  /** @param {string} id */
  has(id) {
    return this.#ids.has(id);
  }

  get ids() {
    return [...this.#ids];
  }

  /**
   * Draws those of the collections together that can be; returns their ids. Returns none if there is only one, if
   * others share tiles already, or if the engine or the service does not support it.
   * @param {Map<string, Style>} styles
   * @param {() => Parameters} parametersOf the parameters of all of them, when they are drawn
   * @param {(id: string) => boolean} wanted whether a collection must still be drawn at that time
   */
  async add(styles, parametersOf, wanted) {
    if (!this.#engine.addTogether || this.#ids.size) return [];
    const able = alike(styles);
    if (able.length < 2) return [];
    const template = this.#told(able) ?? (await this.#templateOf(able).catch(() => null));
    const ids = able.filter(wanted);
    if (template === null || ids.length < 2 || this.#ids.size) return [];
    this.#ids = new Set(ids);
    this.#template = template;
    this.#parameters = parametersOf();
    const chosen = ids.flatMap((id) => styles.get(id) ?? []);
    this.#engine.addTogether(chosen, tilesAddress(template, this.#parameters));
    return ids;
  }

  /** @param {Parameters} parameters */
  setParameters(parameters) {
    this.#parameters = parameters;
    if (this.#ids.size) this.#engine.setTogether?.(tilesAddress(this.#template, parameters));
  }

  /**
   * Makes the engine stop drawing a collection from these tiles; returns whether it drew it before.
   * @param {string} id
   */
  remove(id) {
    if (!this.#ids.delete(id)) return false;
    this.#engine.remove(id);
    return true;
  }

  /** Requests new tiles for the new version and the remaining collections. The old tiles stay until then. */
  async renew() {
    if (!this.#ids.size) return;
    this.#template = await this.#templateOf(this.ids);
    if (this.#ids.size) this.#engine.setTogether?.(tilesAddress(this.#template, this.#parameters), { keep: true });
  }

  /**
   * The address of the present tiles, as the service's TileJSON has it. Throws ApiError.
   * @param {string[]} ids
   * @returns {Promise<string>}
   */
  async #templateOf(ids) {
    const { tiles } = await getJson(address(`/tiles/${this.#tileMatrixSet}/tilejson.json`, { collections: idsText(ids) }));
    return tiles[0];
  }
}

/**
 * The collections whose tiles have versions, or else those that have none: one without would leave all without.
 * @param {Map<string, Style>} styles
 */
export function alike(styles) {
  /** @param {[string, Style]} entry */
  const lasts = ([id, style]) => VERSION.test(/** @type {{ tiles?: string[] }} */ (style.sources?.[id] ?? {}).tiles?.[0] ?? "");
  const lasting = [...styles].filter(lasts);
  const others = [...styles].filter((entry) => !lasts(entry));
  return (lasting.length > 1 ? lasting : others).map(([id]) => id).slice(0, MOST);
}
