// Numbers of features in the bars of the timeline: counted by the service in one request, kept until the data change.

import { facets } from "../service/api.js";
import { edgeTexts } from "./time-axis.js";

/**
 * @import { TimeAxis } from "./time-axis.js"
 * @import { Parameters } from "../types.d.ts"
 * @typedef {(number | null)[]} Numbers one for each bar; null is one that is not known
 */

export class BarCounts {
  /**
   * By collection, and by the bars and what selects of it.
   * @type {Map<string, Map<string, Numbers>>}
   */
  #kept = new Map();
  /** @type {{ id: string, key: string, abort: AbortController } | null} */
  #counting = null;

  /**
   * The numbers of a collection's features that are known so far.
   * @param {string} id
   * @param {Parameters} selection
   * @param {TimeAxis} axis
   * @returns {Numbers}
   */
  numbers(id, selection, axis) {
    return this.#kept.get(id)?.get(keyOf(selection, axis)) ?? new Array(axis.edges.length - 1).fill(null);
  }

  /**
   * Counts the bars that are neither known nor being counted. Only one collection is counted at a time: the one
   * requested last.
   * @param {string} id
   * @param {Parameters} selection the filters of the count, without the time
   * @param {Parameters} timed the parameters that select the time
   * @param {TimeAxis} axis
   */
  async load(id, selection, timed, axis) {
    const key = keyOf(selection, axis);
    if (this.#kept.get(id)?.has(key) || (this.#counting?.id === id && this.#counting.key === key)) return;
    this.#counting?.abort.abort();
    const abort = new AbortController();
    this.#counting = { id, key, abort };
    const numbers = await counted(id, { ...selection, ...timed }, axis, abort.signal);
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
 * @param {TimeAxis} axis
 * @param {AbortSignal} signal
 * @returns {Promise<Numbers>}
 */
async function counted(id, parameters, axis, signal) {
  const edges = edgeTexts(axis.edges);
  try {
    const { facets: counts } = await facets(id, [`datetime:edges:${edges.join("/")}`], parameters, { signal });
    // the first is of all time before the bars, the last of all after them
    return counts.datetime.buckets.slice(1, -1).map(({ count }) => count);
  } catch {
    return new Array(edges.length - 1).fill(null);
  }
}

/**
 * @param {Parameters} selection
 * @param {TimeAxis} axis
 */
const keyOf = (selection, { start, end }) => JSON.stringify([selection, start, end]);
