// How many features the tiles on the map leave out, as their headers say.

/** @typedef {{ number: number, estimated: boolean }} Omission */

export class Omitted {
  /** @type {Map<string, Omission>} */
  #known = new Map();

  /**
   * @param {string} url of a tile, absolute
   * @param {string | null} header `DAMS-Features-Omitted`: a number, with `;estimate` where it is one
   */
  note(url, header) {
    const number = Number.parseInt(header ?? "0", 10);
    if (number > 0) this.#known.set(url, { number, estimated: String(header).includes("estimate") });
    else this.#known.delete(url);
  }

  /**
   * What these tiles leave out together; null where it is nothing.
   * @param {Iterable<string>} urls
   * @returns {Omission | null}
   */
  of(urls) {
    const found = [...new Set(urls)].flatMap((url) => this.#known.get(new URL(url, document.baseURI).href) ?? []);
    if (!found.length) return null;
    return { number: found.reduce((sum, { number }) => sum + number, 0), estimated: found.some(({ estimated }) => estimated) };
  }
}
