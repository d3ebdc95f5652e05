// Numbers of features in words.

import { formatNumber } from "./format.js";

const NAMED = 3; // collections at the most that are counted one by one

/**
 * Counts of a collection; null is a number that the service does not report. `narrowed` where not all are asked for.
 * @typedef {{ label: string, total: number | null, matched: number | null, narrowed: boolean }} Counted
 */

/**
 * Counts in words: `320 of 1,707 features`, and what they are where there are several collections. A number that is not
 * known is left out, and said to be.
 * @param {Counted[]} counted
 */
export function countWords(counted) {
  if (!counted.length || counted.every(({ matched }) => matched === null)) return "";
  const matched = sum(counted.map((one) => one.matched));
  const total = sum(counted.map((one) => one.total));
  const narrowed = counted.some((one) => one.narrowed) && total.known;
  const features = (narrowed ? total : matched).number === 1 ? "feature" : "features";
  const whole = `${sumWords(matched)}${narrowed ? ` of ${sumWords(total)}` : ""} ${features}`;
  if (counted.length === 1) return whole;
  if (counted.length > NAMED) return `${whole} in ${counted.length} collections`;
  const parts = counted.map((one) => (one.matched === null ? `${lower(one.label)} not counted` : named(one.matched, one.label)));
  return `${whole}: ${parts.join(", ")}`;
}

/**
 * `1,707 earthquakes` of the collection `Earthquake events`.
 * @param {number} number
 * @param {string} label
 */
export function named(number, label) {
  const things = lower(label.replace(/ events$/i, "s"));
  return `${formatNumber(number)} ${number === 1 ? things.replace(/([^s])s$/, "$1") : things}`;
}

/**
 * Names in a row: two at the most, and how many others.
 * @param {string[]} names
 */
export function listed(names) {
  if (names.length < 3) return names.join(" and ");
  return `${names.slice(0, 2).join(", ")} and ${names.length - 2} ${names.length === 3 ? "other" : "others"}`;
}

/**
 * `Drawn are some 34,000 of 149,703 in view, the strongest among them; zoom in for the others`.
 * @param {number | null} matched how many are in view
 * @param {{ number: number, estimated: boolean }} left what the tiles of the view leave out
 * @param {boolean} ranked whether some are more important than others
 */
export function drawnWords(matched, left, ranked) {
  // a feature in two tiles may be left out of both
  const drawn = matched === null ? 0 : matched - left.number;
  if (matched === null || drawn <= 0) return omittedWords([left]);
  const number = left.estimated ? `some ${formatNumber(Number(drawn.toPrecision(2)))}` : formatNumber(drawn);
  return `Drawn are ${number} of ${formatNumber(matched)} in view${ranked ? ", the strongest among them" : ""}; zoom in for the others`;
}

/**
 * @param {{ number: number }[]} left
 */
export function omittedWords(left) {
  return left.length ? "Not all features in view are drawn, the strongest are; zoom in for the others" : "";
}

/** @param {(number | null)[]} values */
const sum = (values) => ({
  number: values.reduce((/** @type {number} */ all, value) => all + (value ?? 0), 0),
  known: !values.includes(null),
});

/** @param {{ number: number, known: boolean }} sum */
const sumWords = ({ number, known }) => (known ? "" : "over ") + formatNumber(number);

/** @param {string} label */
const lower = (label) => label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
