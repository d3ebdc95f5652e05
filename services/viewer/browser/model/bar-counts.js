// Numbers of features in the bars of the timeline: counted by the service, kept until the data change.

import { count } from "../service/api.js";
import { BINS } from "./time-scale.js";

/**
 * @import { TimeScale } from "./time-scale.js"
 * @import { Parameters } from "../types.d.ts"
 * @typedef {(number | null)[]} Numbers one for each bar; null is one that is not known
 */

const AT_ONCE = 3; // requests

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
 * @param {string} id
 * @param {Parameters} parameters
 * @param {TimeScale} scale
 * @param {AbortSignal} signal
 */
async function counted(id, parameters, scale, signal) {
  /** @type {Numbers} */
  const numbers = new Array(BINS).fill(null);
  const queue = [...numbers.keys()];
  const work = async () => {
    for (let bin = queue.shift(); bin !== undefined; bin = queue.shift()) {
      numbers[bin] = await count(id, { ...parameters, datetime: scale.binInterval(bin) }, { signal }).catch(() => null);
      if (signal.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return numbers;
}
