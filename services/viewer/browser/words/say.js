// What a page says, in its language. English stands in the scripts; the other languages come with pages that are in them,
// as services/viewer/build/words.py makes them of the catalogues.

/**
 * @typedef {Record<string, string | number | null | undefined>} Values
 * @typedef {object} Words
 * @property {string} language
 * @property {boolean} fromRight whether it is written from the right
 * @property {(number: number) => number} plural which of its forms goes with a number
 * @property {Record<string, string | string[]>} texts by the English one; where there are several forms, by that of one
 */

const { damsWords: words } = /** @type {{ damsWords?: Words }} */ (globalThis);

/** The language of the page's words (BCP 47). */
export const LANGUAGE = words?.language ?? "en";
/** The same for Intl, with the digits that coordinates and identifiers have. */
export const LOCALE = words ? `${words.language}-u-nu-latn` : "en-GB";
/** Whether the page is laid out from the right. */
export const FROM_RIGHT = words?.fromRight ?? false;

const PLACE = /\{(\w+)\}/g;
const numbers = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 3 });

/** @param {number} value */
export const formatNumber = (value) => numbers.format(value);

/**
 * Text in a direction of its own where the page is written from the right: that of its first letter, or that of the page
 * (FSI and RLI of Unicode Standard Annex 9).
 * @param {string} text
 * @param {"\u2068" | "\u2067"} [sign]
 */
const isolated = (text, sign = "\u2068") => (FROM_RIGHT && text ? `${sign}${text}\u2069` : text);

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
 * What there is of these in a row, each in its own direction.
 * @param {(string | null | undefined | false)[]} texts
 * @param {string} [between]
 */
export const inARow = (texts, between = " · ") =>
  isolated(texts.flatMap((text) => (text ? [isolated(text)] : [])).join(between), "\u2067");
