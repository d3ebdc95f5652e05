// Which version of their data collections have, without asking for more than "is it still this?".

import { address } from "../service/api.js";
import { idsText } from "./styles.js";

const MOST = 32; // collections that one TileJSON describes

/** The versions of collections' data, as TileJSON tells them. */
export class Versions {
  #tileMatrixSet;
  /** @type {Map<string, string | undefined>} */
  #known;
  /**
   * ETags by address.
   * @type {Map<string, string>}
   */
  #tags = new Map();

  /**
   * @param {string} tileMatrixSet
   * @param {Iterable<[string, string]>} [known] versions of the data that the map shows already
   */
  constructor(tileMatrixSet, known = []) {
    this.#tileMatrixSet = tileMatrixSet;
    this.#known = new Map(known);
  }

  /** @param {string} id */
  knows(id) {
    return this.#known.has(id);
  }

  /**
   * The new versions of those collections whose data are others than at the last look. Throws where the service does not
   * answer.
   * @param {string[]} ids
   */
  async changed(ids) {
    const chunks = Array.from({ length: Math.ceil(ids.length / MOST) }, (_, at) => ids.slice(at * MOST, (at + 1) * MOST));
    const layers = (await Promise.all(chunks.map((chunk) => this.#layers(chunk)))).flat();
    /** @type {Map<string, string>} */
    const found = new Map();
    for (const { id, "dams:version": version } of layers) {
      const before = this.#known.get(id);
      if (version !== undefined && before !== undefined && version !== before) found.set(id, version);
      // one that is not known for a moment is none
      this.#known.set(id, version ?? before);
    }
    return found;
  }

  /**
   * The collections' layers in TileJSON; empty if the document has not changed.
   * @param {string[]} ids
   * @returns {Promise<{ id: string, "dams:version"?: string }[]>}
   */
  async #layers(ids) {
    const url = address(`/tiles/${this.#tileMatrixSet}/tilejson.json`, { collections: idsText(ids) });
    const before = this.#tags.get(url);
    // the browser's cache would hide the 304 that is the answer hoped for
    const response = await fetch(url, { cache: "no-store", headers: before ? { "If-None-Match": before } : {} });
    if (response.status >= 500) throw new Error(`${url}: ${response.status}`);
    if (response.status !== 200) return [];
    const tag = response.headers.get("ETag");
    if (tag) this.#tags.set(url, tag);
    return (await response.json()).vector_layers;
  }
}
