// Numbers of features in words.

import { formatNumber } from "./format.js";
import { inARow, LANGUAGE, LOCALE, say, sayMany } from "./say.js";

const NAMED = 3; // most collections that are counted one by one
const DOWNLOADS = { view: say("Download what is in view:"), area: say("Download what is in the area:"), found: say("Download what is found:") };

/**
 * Counts of a collection; null is a number that the service does not report. `narrowed` is true if a filter applies.
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
  const whole = narrowed
    ? sayMany("{matched} of {number} feature", "{matched} of {number} features", total.number, { matched: sumWords(matched), number: sumWords(total) })
    : sayMany("{number} feature", "{number} features", matched.number, { number: sumWords(matched) });
  if (counted.length === 1) return whole;
  if (counted.length > NAMED) return sayMany("{whole} in {number} collection", "{whole} in {number} collections", counted.length, { whole });
  const parts = counted.map((one) => (one.matched === null ? say("{label} not counted", { label: lower(one.label) }) : named(one.matched, one.label)));
  return say("{whole}: {parts}", { whole, parts: inARow(parts, ", ") });
}

/**
 * `1,707 earthquakes` of the collection `Earthquake events`, whose title is English.
 * @param {number} number
 * @param {string} label
 */
export function named(number, label) {
  if (LANGUAGE !== "en") return say("{label} ({number})", { label, number });
  // "GDACSs" is not a word
  const things = lower(/[A-Z] events$/.test(label) ? label : label.replace(/ events$/i, "s"));
  return `${formatNumber(number)} ${number === 1 ? things.replace(/([^s])s$/, "$1") : things}`;
}

const ROW = new Intl.ListFormat(LOCALE, { type: "conjunction" });

/**
 * A list of names: at most two, and the number of others.
 * @param {string[]} names
 */
export function listed(names) {
  const others = names.length - 2;
  return ROW.format(others > 0 ? [...names.slice(0, 2), sayMany("{number} other", "{number} others", others)] : names);
}

/**
 * The label of a download: all features in view, in the area, or found by the search. null is an unknown number.
 * @param {"view" | "area" | "found"} where
 * @param {number | null} number
 */
export function downloadWords(where, number) {
  if (number === null) return DOWNLOADS[where];
  if (where === "view") return sayMany("Download the one in view:", "Download all {number} in view:", number);
  if (where === "area") return sayMany("Download the one in the area:", "Download all {number} in the area:", number);
  return sayMany("Download the one found:", "Download all {number} found:", number);
}

/**
 * `Showing about 34,000 of 149,703 in view, strongest first; zoom in to see the rest`.
 * @param {number | null} matched how many are in view
 * @param {{ number: number, estimated: boolean }} left what the tiles of the view leave out
 * @param {boolean} ranked whether some are more important than others
 */
export function drawnWords(matched, left, ranked) {
  // a feature in two tiles may be left out of both
  const drawn = matched === null ? 0 : matched - left.number;
  if (matched === null || drawn <= 0) return omittedWords([left], ranked);
  const number = left.estimated ? say("about {number}", { number: Number(drawn.toPrecision(2)) }) : formatNumber(drawn);
  return ranked
    ? say("Showing {number} of {all} in view, strongest first; zoom in to see the rest", { number, all: matched })
    : say("Showing {number} of {all} in view; zoom in to see the rest", { number, all: matched });
}

/**
 * @param {{ number: number }[]} left
 * @param {boolean} ranked whether some are more important than others
 */
export function omittedWords(left, ranked) {
  if (!left.length) return "";
  return ranked
    ? say("Only the strongest are shown here; zoom in to see all")
    : say("Some features are not drawn here; zoom in to see all");
}

/**
 * Tells that tiles in view draw shapes differently from how they are stored; empty if they do not.
 * @param {{ simplified: number }[]} left
 */
export function simplifiedWords(left) {
  return left.some(({ simplified }) => simplified > 0) ? say("Shapes are simplified; zoom in for detail") : "";
}

/** @param {(number | null)[]} values */
const sum = (values) => ({
  number: values.reduce((/** @type {number} */ all, value) => all + (value ?? 0), 0),
  known: !values.includes(null),
});

/** @param {{ number: number, known: boolean }} sum */
const sumWords = ({ number, known }) => (known ? formatNumber(number) : say("over {number}", { number }));

/** @param {string} label */
const lower = (label) => label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
