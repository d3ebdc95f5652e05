// The style documents of collections, each fetched once: those that the map begins with in one request.

import { dataLayers, isBasemap, isLabel } from "../cartography/style-document.js";
import { address, collectionPath, getJson } from "../service/api.js";

/**
 * @import { Parameters, Source, Style } from "../types.d.ts"
 * @typedef {{ name: string, metadata: Style["metadata"], source: Source }} Part of a style of several collections
 */

const MOST = 32; // collections in a style

/**
 * The value of a parameter with a list of collections. A comma within an id is encoded, as commas separate ids.
 * @param {string[]} ids
 */
export const idsText = (ids) => ids.map((id) => (/[,%]/.test(id) ? encodeURIComponent(id) : id)).join();

export class Styles {
  #tileMatrixSet;
  #parametersOf;
  /** @type {Map<string, Promise<Style>>} */
  #kept = new Map();
  /**
   * The versions of the data for which the styles were fetched, by collection id.
   * @type {Map<string, string>}
   */
  versions = new Map();
  /** Tiles of several collections, which one of the styles draws. */
  #together = { ids: "", template: "" };

  /**
   * @param {string} tileMatrixSet
   * @param {(id: string) => Parameters} parametersOf those of a collection's style
   */
  constructor(tileMatrixSet, parametersOf) {
    this.#tileMatrixSet = tileMatrixSet;
    this.#parametersOf = parametersOf;
  }

  /**
   * The style document of a collection. Throws ApiError.
   * @param {string} id
   * @returns {Promise<Style>}
   */
  of(id) {
    return this.#kept.get(id) ?? this.#keep(id, this.#own(id));
  }

  /**
   * Asks for the styles of several collections at once.
   * @param {string[]} ids of collections that have a geometry
   */
  prepare(ids) {
    const wanted = ids.filter((id) => !this.#kept.has(id) && !Object.keys(this.#parametersOf(id)).length).slice(0, MOST);
    if (wanted.length < 2) return;
    const asked = this.#several(wanted);
    // where one cannot be had, the others can
    for (const id of wanted) this.#keep(id, asked.then((styles) => styles.get(id) ?? this.#own(id), () => this.#own(id)));
  }

  /**
   * The address of the tiles of these collections, where a style has told it.
   * @param {string[]} ids
   */
  templateOf(ids) {
    return this.#together.template && this.#together.ids === ids.join() ? this.#together.template : null;
  }

  /** Tiles of another version have another address. */
  forgetTemplate() {
    this.#together = { ids: "", template: "" };
  }

  /**
   * @param {string} id
   * @param {Promise<Style>} loading
   */
  #keep(id, loading) {
    loading.catch(() => this.#kept.delete(id));
    this.#kept.set(id, loading);
    return loading;
  }

  /**
   * @param {string} id
   * @returns {Promise<Style>}
   */
  async #own(id) {
    /** @type {Style} */
    const style = await getJson(address(`${collectionPath(id)}/tiles/${this.#tileMatrixSet}/style.json`, this.#parametersOf(id)));
    this.#note(id, style.metadata);
    return style;
  }

  /**
   * @param {string[]} ids
   * @returns {Promise<Map<string, Style>>}
   */
  async #several(ids) {
    const document = await getJson(address(`/tiles/${this.#tileMatrixSet}/style.json`, { collections: idsText(ids) }));
    /** @type {Part[]} */
    const parts = document.metadata["dams:styles"];
    this.#together = { ids: ids.join(), template: document.sources[dataLayers(document)[0]?.source ?? ""]?.tiles?.[0] ?? "" };
    return new Map(
      parts.map((part) => {
        const id = part.metadata["dams:collection"];
        this.#note(id, part.metadata);
        return [id, styleOf(document, part)];
      }),
    );
  }

  /**
   * @param {string} id
   * @param {Style["metadata"]} metadata
   */
  #note(id, { "dams:version": version }) {
    if (version !== undefined) this.versions.set(id, version);
  }
}

/**
 * The style of one collection of several, as it has it by itself.
 * @param {Style} document
 * @param {Part} part
 * @returns {Style}
 */
function styleOf(document, { metadata, source }) {
  const id = metadata["dams:collection"];
  const joint = dataLayers(document)[0]?.source;
  const basemap = Object.entries(document.sources).filter(([name]) => name !== joint);
  const own = dataLayers(document).filter((layer) => layer.metadata?.["dams:collection"] === id);
  return {
    ...document,
    metadata,
    sources: { ...Object.fromEntries(basemap), [id]: source },
    layers: [
      ...document.layers.filter((layer) => isBasemap(layer) && !isLabel(layer)),
      ...own.map((layer) => ({ ...layer, source: id })),
      ...document.layers.filter(isLabel),
    ],
  };
}
