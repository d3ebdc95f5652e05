// Numbers of features in the bars of the timeline: counted by the service in one request, kept until the data change.

import { facet } from "../service/api.js";
import { BINS } from "./time-scale.js";

/**
 * @import { TimeScale } from "./time-scale.js"
 * @import { Parameters } from "../types.d.ts"
 * @typedef {(number | null)[]} Numbers one for each bar; null is one that is not known
 */

export class BarCounts {
  /**
   * By collection, and by what selects of it.
   * @type {Map<string, Map<string, Numbers>>}
   */
  #kept = new Map();
  /** @type {{ id: string, key: string, abort: AbortController } | null} */
  #counting = null;

  /**
   * What is known of a collection's features.
   * @param {string} id
   * @param {Parameters} selection
   * @returns {Numbers}
   */
  numbers(id, selection) {
    return this.#kept.get(id)?.get(JSON.stringify(selection)) ?? new Array(BINS).fill(null);
  }

  /**
   * Counts what is not known and not being counted yet. One collection is counted at a time: the last that was asked for.
   * @param {string} id
   * @param {Parameters} selection what is counted, besides the time
   * @param {Parameters} timed what says which time is meant
   * @param {TimeScale} scale
   */
  async load(id, selection, timed, scale) {
    const key = JSON.stringify(selection);
    if (this.#kept.get(id)?.has(key) || (this.#counting?.id === id && this.#counting.key === key)) return;
    this.#counting?.abort.abort();
    const abort = new AbortController();
    this.#counting = { id, key, abort };
    const numbers = await counted(id, { ...selection, ...timed }, scale, abort.signal);
    if (abort.signal.aborted) return;
    this.#counting = null;
    if (numbers.every((number) => number === null)) return;
    const kept = this.#kept.get(id) ?? new Map();
    this.#kept.set(id, kept.set(key, numbers));
  }

  /**
   * Forgets the numbers of a collection whose data have changed, also those that are being counted.
   * @param {string} id
   */
  forget(id) {
    this.#kept.delete(id);
    if (this.#counting?.id !== id) return;
    this.#counting.abort.abort();
    this.#counting = null;
  }
}

/**
 * The numbers of all bars, which one request counts.
 * @param {string} id
 * @param {Parameters} parameters
 * @param {TimeScale} scale
 * @param {AbortSignal} signal
 * @returns {Promise<Numbers>}
 */
async function counted(id, parameters, scale, signal) {
  try {
    const { buckets } = await facet(id, "datetime", `edges:${scale.edges().join("/")}`, parameters, { signal });
    // the first is of all time before the bars, the last of all after them
    return buckets.slice(1, -1).map(({ count }) => count);
  } catch {
    return new Array(BINS).fill(null);
  }
}
