// Translates the texts of a page. The scripts contain the English texts. A page in another language brings its texts;
// services/viewer/build/words.py makes them from the catalogues.

/**
 * @typedef {Record<string, string | number | null | undefined>} Values
 * @typedef {object} Words
 * @property {string} language
 * @property {boolean} fromRight whether it is written from the right
 * @property {(number: number) => number} plural which of its forms goes with a number
 * @property {Record<string, string | string[]>} texts by the English one; where there are several forms, by that of one
 * @property {Record<string, string>} [places] names of countries and seas, by the English ones of the basemap
 * @property {string} [descriptions] the module with the descriptions of properties, beside this one
 */

const { damsWords: words } = /** @type {{ damsWords?: Words }} */ (globalThis);

/** The language of the page's words (BCP 47). */
export const LANGUAGE = words?.language ?? "en";
/** The same for Intl, with the digits that coordinates and identifiers have. */
export const LOCALE = words ? `${words.language}-u-nu-latn` : "en-GB";
/** Names on the basemap in this language, by the English ones; null on an English page. */
export const PLACE_NAMES = words?.places ?? null;

/**
 * A country in the language of the page; unchanged if that is unknown.
 * @param {string} name in English
 */
export const placeName = (name) => PLACE_NAMES?.[name] ?? name;
/**
 * Descriptions of properties in the language of the page, by the English ones: the filter alone needs them.
 * @returns {Promise<Record<string, string>>}
 */
export const loadDescriptions = async () => (words?.descriptions ? (await import(words.descriptions)).default : {});

/** Whether the page is laid out from right to left. */
export const FROM_RIGHT = words?.fromRight ?? false;

const PLACE = /\{(\w+)\}/g;
const numbers = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 3 });

/** @param {number} value */
export const formatNumber = (value) => numbers.format(value);

const ARABIC = /[\u0600-\u06ff]/;

/**
 * Gives a text its own direction on a page that is written from right to left. The direction is right to left if the
 * text contains Arabic, else that of its first letter (RLI and FSI of Unicode Standard Annex 9).
 * @param {string} text
 */
export const isolated = (text) => (FROM_RIGHT && text ? `${ARABIC.test(text) ? "\u2067" : "\u2068"}${text}\u2069` : text);

/**
 * A value as a part of a sentence.
 * @param {Values[string]} value
 */
const part = (value) => (typeof value === "number" ? formatNumber(value) : isolated(value ?? ""));

/**
 * @param {string} text
 * @param {Values} values
 */
const filled = (text, values) => text.replace(PLACE, (place, name) => (Object.hasOwn(values, name) ? part(values[name]) : place));

/**
 * The text in the language of the page, with `{name}` replaced by the value of that name; English where it is not translated.
 * @param {string} text
 * @param {Values} [values]
 */
export function say(text, values = {}) {
  const found = words?.texts[text];
  return filled(typeof found === "string" ? found : text, values);
}

/**
 * The one of the texts that goes with a number, which is `{number}` in them.
 * @param {string} one
 * @param {string} many
 * @param {number} number
 * @param {Values} [values]
 */
export function sayMany(one, many, number, values = {}) {
  const found = words?.texts[one];
  const text = words && Array.isArray(found) ? found[words.plural(number)] : number === 1 ? one : many;
  return filled(text, { number, ...values });
}

/**
 * The non-empty texts in a row, each in its own direction.
 * @param {(string | null | undefined | false)[]} texts
 * @param {string} [between]
 */
export const inARow = (texts, between = " · ") => texts.flatMap((text) => (text ? [isolated(text)] : [])).join(between);

/**
 * A number with its unit, which stay together: `160 kt`.
 * @param {number | string} value
 * @param {string | null} [unit]
 */
export const withUnit = (value, unit) => {
  const number = typeof value === "number" ? formatNumber(value) : value;
  return isolated(unit ? `${number} ${unit}` : number);
};
