// Totals of all features of a collection: their number, how many are simulated, and their classes. One request returns
// all of them. They are kept until the data change.

import { absentClasses, classFacet, legendEntries, unclassedOf } from "../cartography/classes.js";
import { allEmpty } from "../filters/cql2.js";
import { count, facets } from "../service/api.js";

/**
 * @import { Collection, LegendClass, Style } from "../types.d.ts"
 * @typedef {object} Total
 * @property {number | null} features null where the service does not say
 * @property {number} simulated
 * @property {LegendClass[]} absent classes of the style that no feature falls in
 * @property {boolean} unclassed whether there are features that fall in none of the style's classes
 */

const SIMULATED = "simulated";
const SOURCE = "source";
const SOURCES = 100;

export class Totals {
  /** @type {Map<string, Promise<Total>>} */
  #kept = new Map();

  /**
   * Throws ApiError.
   * @param {Collection} collection
   * @param {Style | undefined} style
   */
  of(collection, style) {
    const before = this.#kept.get(collection.id);
    if (before) return before;
    const asked = total(collection, style);
    asked.catch(() => this.#kept.get(collection.id) === asked && this.#kept.delete(collection.id));
    this.#kept.set(collection.id, asked);
    return asked;
  }

  /** @param {string} id */
  forget(id) {
    this.#kept.delete(id);
  }
}

/**
 * @param {Collection} collection
 * @param {Style | undefined} style
 * @returns {Promise<Total>}
 */
async function total({ id, columns }, style) {
  const has = (/** @type {string} */ name) => columns.some((column) => column.name === name);
  const classed = ((style && unclassedOf(style)?.properties) ?? []).filter(has);
  const sourced = columns.some(({ name, type }) => name === SOURCE && type === "string");
  const entries = style ? legendEntries(style).filter((entry) => has(classFacet(entry)?.name ?? "")) : [];
  const wanted = new Map(classed.map((name) => [name, `${name}:1`]));
  for (const { name, facet } of entries.flatMap((entry) => classFacet(entry) ?? [])) wanted.set(name, facet);
  if (sourced) wanted.set(SOURCE, `${SOURCE}:${SOURCES}`);
  const found = wanted.size ? await facets(id, [...wanted.values()]).catch(() => null) : null;
  const source = found?.facets[SOURCE];
  const known = source?.buckets.find(({ value }) => value === SIMULATED)?.count ?? (source && !source.more ? 0 : null);
  const nulls = found ? classed.map((name) => found.facets[name].nulls) : [];
  // no facet counts features where several properties are empty at once; but if one property is never empty, every
  // feature has a class
  const least = nulls.length && (nulls.length === 1 || nulls.includes(0)) ? Math.min(...nulls) : null;
  const [features, simulated, unclassed] = await Promise.all([
    found?.numberMatched ?? count(id),
    sourced ? (known ?? count(id, { [SOURCE]: SIMULATED }).catch(() => 0)) : 0,
    classed.length ? (least ?? count(id, { filter: allEmpty(classed) }).catch(() => 0)) : 0,
  ]);
  const absent = found
    ? entries.flatMap((entry) => absentClasses(entry, found.facets[entry.properties[0]], classed.length > 1))
    : [];
  // if the number is unknown, assume that there are some
  return { features, simulated: simulated ?? 0, absent, unclassed: unclassed !== 0 };
}
