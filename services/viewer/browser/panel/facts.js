// How much data are shown, how recent they are, and whether they are observed.

import { debounced } from "../page/debounced.js";
import { element, find } from "../page/dom.js";
import { announce, announceError, sayToScreenReaders } from "../page/status.js";
import { count, messageOf } from "../service/api.js";
import { countWords, named } from "../words/counts.js";
import { formatDay, formatInstant, formatNumber } from "../words/format.js";

/**
 * @import { Explorer } from "../model/explorer.js"
 * @import { Collection, Parameters } from "../types.d.ts"
 * @import { Counted } from "../words/counts.js"
 * @typedef {Collection & { parameters: Parameters | null }} Shown with the parameters that leave something out
 */

/**
 * Keeps the facts below the title about what is shown; a new number is read out when something else was chosen.
 * @param {Explorer} explorer
 */
export function describeShown(explorer) {
  /** @type {string | null} */
  let described = null; // what the facts are about
  /** @type {symbol | null} */
  let asked = null;
  let said = "";
  /** @param {{ data?: boolean }} news */
  const update = async (news) => {
    const shown = [...explorer.shown.keys()].map((id) => ({ ...explorer.collection(id), parameters: chosen(explorer, id) }));
    const wanted = JSON.stringify(shown.map(({ id, parameters }) => [id, parameters]));
    // while time plays, numbers would only flicker
    if (explorer.playing || (wanted === described && !news.data)) return;
    described = wanted;
    const mine = (asked = Symbol("asked"));
    try {
      const counted = await Promise.all(shown.map(counts));
      if (asked !== mine) return;
      const words = countWords(counted);
      showFacts(words, shown);
      if (shown.length === 1 && counted[0].total === 0) announce("This collection has no features yet.");
      if (!news.data && words !== said) sayToScreenReaders((said = words));
    } catch (error) {
      described = null;
      announceError(messageOf(error));
    }
    const simulated = await Promise.all(shown.map(simulatedOf));
    if (asked === mine) showSimulated(shown, simulated);
  };
  const quick = debounced(update, 50);
  const slow = debounced(update, 300);
  explorer.addEventListener("shown", () => quick({}));
  explorer.addEventListener("query", () => slow({}));
  explorer.addEventListener("data", () => quick({ data: true }));
}

/**
 * The parameters that leave something out, or null.
 * @param {Explorer} explorer
 * @param {string} id
 */
function chosen(explorer, id) {
  const given = Object.entries(explorer.parameters(id)).filter(([, value]) => value !== null);
  return given.length ? Object.fromEntries(given) : null;
}

/**
 * @param {Shown} shown
 * @returns {Promise<Counted>}
 */
async function counts({ id, label, parameters }) {
  const [total, matched] = await Promise.all([count(id), parameters ? count(id, parameters) : null]);
  return { label, total, matched: parameters ? matched : total, narrowed: parameters !== null };
}

/**
 * @param {string} words
 * @param {Shown[]} shown
 */
function showFacts(words, shown) {
  // of several collections the legend says it, for each its own
  const { end } = (shown.length === 1 && shown[0].time) || {};
  find("#facts").replaceChildren(words, ...(end ? [words ? " · " : "", newest(end)] : []));
}

/**
 * `as of 7 Feb 2018`.
 * @param {string} end
 */
export function newest(end) {
  return element("time", { datetime: end, title: `The newest data are of ${formatInstant(end)}`, text: `as of ${formatDay(end)}` });
}

/** @param {Shown} shown */
async function simulatedOf({ id, columns }) {
  if (!columns.some((column) => column.name === "source")) return 0;
  return (await count(id, { source: "simulated" }).catch(() => 0)) ?? 0;
}

/**
 * @param {Shown[]} shown
 * @param {number[]} numbers
 */
function showSimulated(shown, numbers) {
  const some = shown.map(({ label }, at) => ({ label, number: numbers[at] })).filter(({ number }) => number);
  const note = find("#simulated");
  note.hidden = some.length === 0;
  const sum = some.reduce((all, { number }) => all + number, 0);
  const what = shown.length > 1 && some.length === 1 ? named(sum, some[0].label) : formatNumber(sum);
  note.textContent = some.length ? `${what} simulated, not observed` : "";
}
