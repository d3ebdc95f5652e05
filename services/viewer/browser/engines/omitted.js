// How many features the tiles on the map omit or simplify, from the headers of the tiles.

/**
 * Features that tiles omit, whether that number is an estimate, and features that they draw differently from how they are
 * stored, by more than half a unit of the tile.
 * @typedef {{ number: number, estimated: boolean, simplified: number }} Omission
 */

export class Omitted {
  /** @type {Map<string, Omission>} */
  #known = new Map();

  /**
   * @param {string} url of a tile, absolute
   * @param {string | null} omitted `DAMS-Features-Omitted`: a number, with `;estimate` where it is one
   * @param {string | null} [simplified] `DAMS-Features-Simplified`, in the same form
   */
  note(url, omitted, simplified = null) {
    const [number, changed] = [omitted, simplified].map((header) => Number.parseInt(header ?? "0", 10) || 0);
    if (number > 0 || changed > 0) this.#known.set(url, { number, estimated: String(omitted).includes("estimate"), simplified: changed });
    else this.#known.delete(url);
  }

  /**
   * Sums over these tiles; null if they omit and simplify nothing.
   * @param {Iterable<string>} urls
   * @returns {Omission | null}
   */
  of(urls) {
    const found = [...new Set(urls)].flatMap((url) => this.#known.get(new URL(url, document.baseURI).href) ?? []);
    if (!found.length) return null;
    return {
      number: found.reduce((sum, { number }) => sum + number, 0),
      estimated: found.some(({ estimated }) => estimated),
      simplified: found.reduce((sum, { simplified }) => sum + simplified, 0),
    };
  }
}
