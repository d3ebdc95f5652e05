// The search of the list: words in what names a feature, basins, years, categories, as CQL2.

import { BASINS } from "../words/feature-name.js";
import { containing, quoted } from "./cql2.js";

const TEXTS = ["title", "name", "place", "country", "event_id"];
const HINTS = { name: "name", place: "place", country: "country", basin: "basin", season: "year", event_id: "event" };

/** CQL2 for "each of the words is found somewhere", in any case; null where the collection has nothing to search. */
export function searchFilter(collection, text) {
  const has = (name, ...types) => collection.columns.some((column) => column.name === name && types.includes(column.type));
  const texts = TEXTS.filter((name) => has(name, "string"));
  const conditions = text.trim().split(/[\s,]+/).filter(Boolean).map((word) => {
    const basins = has("basin", "string") ? basinsOf(word) : [];
    const year = /^\d{4}$/.test(word) && has("season", "integer", "number");
    // identifiers hold the digits of other years
    const looked = year ? texts.filter((name) => name !== "event_id") : texts;
    return [
      looked.length && containing(looked, word),
      basins.length && `basin IN (${basins.map(quoted).join(", ")})`,
      year && `season = ${word}`,
      /^(td|ts|c[1-5])$/i.test(word) && has("category", "string") && `category = ${quoted(word.toUpperCase())}`,
    ].filter(Boolean).join(" OR ");
  });
  return conditions.length && conditions.every(Boolean) ? conditions.map((part) => `(${part})`).join(" AND ") : null;
}

/** What the search looks at, in words: `Search by name, basin or year`; null where there is nothing. */
export function searchHint(collection) {
  const searched = (name) => collection.columns.some((column) => column.name === name && (column.type === "string" || name === "season"));
  const words = Object.keys(HINTS).filter(searched).map((name) => HINTS[name]);
  if (!words.length) return null;
  const last = words.pop();
  return `Search by ${words.length ? `${words.join(", ")} or ` : ""}${last}`;
}

function basinsOf(word) {
  const wanted = word.toLowerCase();
  return Object.keys(BASINS).filter((code) =>
    code.toLowerCase() === wanted || BASINS[code].toLowerCase().split(" ").includes(wanted));
}
