// The search of the list: words in what names a feature, basins, years, categories, as CQL2.

import { LOCALE, say } from "../words/say.js";
import { containing, quoted } from "./cql2.js";

/** @import { Column } from "../types.d.ts" */
/** @typedef {{ columns: Column[] }} Searched */

const TEXTS = ["title", "name", "place", "country", "event_id"];
/** @type {Record<string, string>} */
const HINTS = { name: say("name"), place: say("place"), country: say("country"), basin: say("basin"), season: say("year"), event_id: say("event") };

const CHOICES = new Intl.ListFormat(LOCALE, { type: "disjunction" });

/**
 * CQL2 for "each of the words is found somewhere", in any case; null where the collection has nothing to search.
 * @param {Searched} collection
 * @param {string} text
 */
export function searchFilter(collection, text) {
  /**
   * @param {string} name
   * @param {...string} types
   */
  const has = (name, ...types) => collection.columns.some((column) => column.name === name && types.includes(column.type));
  const texts = TEXTS.filter((name) => has(name, "string"));
  const conditions = text.trim().split(/[\s,]+/).filter(Boolean).map((word) => {
    const basins = basinsOf(collection, word);
    const year = /^\d{4}$/.test(word) && has("season", "integer", "number");
    // identifiers hold the digits of other years
    const searched = year ? texts.filter((name) => name !== "event_id") : texts;
    return [
      searched.length && containing(searched, word),
      basins.length && `basin IN (${basins.map(quoted).join(", ")})`,
      year && `season = ${word}`,
      /^(td|ts|c[1-5])$/i.test(word) && has("category", "string") && `category = ${quoted(word.toUpperCase())}`,
    ].filter(Boolean).join(" OR ");
  });
  return conditions.length && conditions.every(Boolean) ? conditions.map((part) => `(${part})`).join(" AND ") : null;
}

/**
 * The text that names the searched properties, such as `Search by name, basin or year`; null if there are none.
 * @param {Searched} collection
 */
export function searchHint(collection) {
  /** @param {string} name */
  const isSearched = (name) =>
    collection.columns.some((column) => column.name === name && (column.type === "string" || name === "season"));
  const words = Object.keys(HINTS).filter(isSearched).map((name) => HINTS[name]);
  return words.length ? say("Search by {words}", { words: CHOICES.format(words) }) : null;
}

/**
 * Codes of the basins that a word names: by code, or by a word of the name.
 * @param {Searched} collection
 * @param {string} word
 */
function basinsOf({ columns }, word) {
  const wanted = word.toLowerCase();
  const labels = columns.find(({ name, type }) => name === "basin" && type === "string")?.labels ?? {};
  return Object.keys(labels).filter((code) =>
    code.toLowerCase() === wanted || labels[code].toLowerCase().split(" ").includes(wanted));
}
