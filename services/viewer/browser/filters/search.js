// The search of the list: words in what names a feature, kinds of hazards, magnitudes, basins, years, categories, as CQL2.

import { LOCALE, say } from "../words/say.js";
import { containing, quoted } from "./cql2.js";

/** @import { Column } from "../types.d.ts" */
/** @typedef {{ columns: Column[] }} Searched */

const TEXTS = ["title", "name", "place", "nearest_place", "country", "event_id"];
/** @type {Record<string, string>} */
const HINTS = { name: say("name"), place: say("place"), country: say("country"), basin: say("basin"), season: say("year"), event_id: say("event") };

/** Words for a kind of hazard in the languages of the pages, without accents, and a property that its collections have. */
const KINDS = [
  {
    words: /^(hurricanes?|typhoons?|cyclones?|storms?|huracan(es)?|tifon(es)?|ciclon(es)?|tormentas?|ouragans?|typhons?|tempetes?|(ال)?(اعصار|عاصفة|عواصف))$/i,
    properties: ["category", "wind_kt", "max_wind_kt"],
  },
  { words: /^(earthquakes?|quakes?|terremotos?|sismos?|seismes?|(ال)?(زلزال|زلازل))$/i, properties: ["magnitude"] },
  { words: /^(floods?|inundacion(es)?|inondations?|crues?|(ال)?(فيضان|فيضانات))$/i, properties: ["began", "severity"] },
];
const MAGNITUDE = /^m(?:ag(?:nitude)?)?\s*(\d(?:\.\d)?)(\+?)$/i;

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
  const words = text.trim().split(/[\s,]+/).filter(Boolean);
  const others = words.filter((word) => !isKindOf(collection, word));
  // a word such as "hurricane" alone is searched for like any other
  const conditions = (others.length ? others : words).map((word) => {
    const magnitude = has("magnitude", "number", "integer") && MAGNITUDE.exec(word);
    if (magnitude) return magnitudeCondition(Number(magnitude[1]), magnitude[2] === "+");
    const basins = basinsOf(collection, word);
    const year = /^\d{4}$/.test(word) && has("season", "integer", "number");
    // identifiers hold the digits of other years
    const searched = year ? texts.filter((name) => name !== "event_id") : texts;
    return [
      searched.length && containing(searched, word),
      // names of storms are without accents
      searched.length && withoutAccents(word) !== word.normalize("NFD") && containing(searched, withoutAccents(word)),
      basins.length && `basin IN (${basins.map(quoted).join(", ")})`,
      year && `season = ${word}`,
      /^(td|ts|c[1-5])$/i.test(word) && has("category", "string") && `category = ${quoted(word.toUpperCase())}`,
    ].filter(Boolean).join(" OR ");
  });
  return conditions.length && conditions.every(Boolean) ? conditions.map((part) => `(${part})`).join(" AND ") : null;
}

/**
 * Whether a word only says of which kind the collection's features are, such as `hurricane`.
 * @param {Searched} collection
 * @param {string} word
 */
const isKindOf = ({ columns }, word) =>
  KINDS.some(({ words, properties }) => words.test(withoutAccents(word)) && columns.some(({ name }) => properties.includes(name)));

/** @param {string} word */
const isAboutEvents = (word) => MAGNITUDE.test(word) || KINDS.some(({ words }) => words.test(withoutAccents(word)));

/** @param {string} word */
const withoutAccents = (word) => word.normalize("NFD").replace(/\p{M}/gu, "");

/**
 * Whether a text names an event by its kind or magnitude, such as `hurricane irma` or `M6 Japan`.
 * @param {string} text
 */
export const namesEvent = (text) => text.trim().split(/[\s,]+/).some(isAboutEvents);

/**
 * The part of a text that can be the name of a place: without kinds and magnitudes of events, unless nothing remains.
 * @param {string} text
 */
export const placeIn = (text) => (namesEvent(text) && text.split(/\s+/).filter((word) => !isAboutEvents(word)).join(" ")) || text;

/**
 * M6 is 6.0 to 6.9, M6.1 is 6.1 exactly, M6+ is 6.0 or more.
 * @param {number} least
 * @param {boolean} open
 */
function magnitudeCondition(least, open) {
  if (open) return `magnitude >= ${least}`;
  const most = Number((least + (Number.isInteger(least) ? 1 : 0.1)).toFixed(1));
  return `magnitude >= ${least} AND magnitude < ${most}`;
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
