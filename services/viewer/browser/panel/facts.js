// How much data are shown, how recent they are, and whether they are observed.

import { debounced } from "../page/debounced.js";
import { element, find } from "../page/dom.js";
import { announce, announceError, sayToScreenReaders } from "../page/status.js";
import { count, messageOf } from "../service/api.js";
import { countWords, drawnWords, named, omittedWords, simplifiedWords } from "../words/counts.js";
import { formatDay, formatInstant } from "../words/format.js";
import { say } from "../words/say.js";

/**
 * @import { Explorer } from "../model/explorer.js"
 * @import { Collection, Parameters } from "../types.d.ts"
 * @import { Counted } from "../words/counts.js"
 * @typedef {Collection & { parameters: Parameters | null }} Shown with the parameters that leave something out
 */

/**
 * Keeps the facts below the title up to date. Screen readers read a new number only after the user's choice changed.
 * @param {Explorer} explorer
 */
export function describeShown(explorer) {
  /** @type {string | null} */
  let described = null; // identifies the content of the facts
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
      const totals = await Promise.all(shown.map(({ id }) => explorer.total(id)));
      const counted = await Promise.all(shown.map((each, at) => counts(each, totals[at].features)));
      if (asked !== mine) return;
      const words = countWords(counted);
      // of several collections the legend says it, for each its own; of a past state it is not known
      showFacts(words, shown.length === 1 && explorer.pastOf(shown[0].id) === null ? newest(shown[0].time?.asOf) : null);
      if (shown.length === 1 && counted[0].total === 0) announce(say("This collection is empty."));
      if (!news.data && words !== said) sayToScreenReaders((said = words));
      showSimulated(shown, totals.map(({ simulated }) => simulated));
    } catch (error) {
      described = null;
      announceError(messageOf(error));
    }
  };
  const quick = debounced(update, 50);
  const slow = debounced(update, 300);
  explorer.addEventListener("shown", () => quick({}));
  explorer.addEventListener("query", () => slow({}));
  explorer.addEventListener("data", () => quick({ data: true }));
}

/**
 * The parameters that leave something out of the state that is shown, or null.
 * @param {Explorer} explorer
 * @param {string} id
 */
function chosen(explorer, id) {
  const { asOf: _, ...parameters } = explorer.parameters(id);
  const given = Object.entries(parameters).filter(([, value]) => value !== null);
  return given.length ? Object.fromEntries(given) : null;
}

/**
 * @param {Shown} shown
 * @param {number | null} total
 * @returns {Promise<Counted>}
 */
async function counts({ id, label, parameters }, total) {
  return { label, total, matched: parameters ? await count(id, parameters) : total, narrowed: parameters !== null };
}

/**
 * Keeps saying how many features of those in view are not drawn, as the tiles themselves say.
 * @param {Explorer} explorer
 */
export function describeDrawn(explorer) {
  const note = find("#drawn");
  /** @type {symbol | null} */
  let asked = null;
  const update = async () => {
    const mine = (asked = Symbol("asked"));
    const found = explorer.engine.omitted();
    const left = found.filter(({ number }) => number > 0);
    const [only] = left;
    // of several collections the same is said, whichever tiles they come from
    const ranked = left.some(({ ids }) => ids.some((id) => explorer.collection(id).importance));
    const words = left.length && explorer.shown.size === 1 ? await drawnOf(explorer, only.ids[0], only) : omittedWords(left, ranked);
    if (asked !== mine) return;
    note.textContent = [words, simplifiedWords(found)].filter(Boolean).join(". ");
    note.hidden = !note.textContent;
    // a phone has no room for a note that is only about the scale
    note.classList.toggle("minor", !words);
  };
  const soon = debounced(() => update().catch(() => {}), 400);
  explorer.engine.onIdle(soon);
  for (const event of ["shown", "query", "data"]) explorer.addEventListener(event, soon);
}

/**
 * @param {Explorer} explorer
 * @param {string} id
 * @param {{ number: number, estimated: boolean }} left
 */
async function drawnOf(explorer, id, left) {
  const { bbox, crs } = explorer.engine.within();
  const place = { bbox: bbox.map((edge) => edge.toFixed(4)).join(","), "bbox-crs": crs };
  const matched = await count(id, { ...explorer.parameters(id), ...place }).catch(() => null);
  return drawnWords(matched, left, Boolean(explorer.collection(id).importance));
}

/**
 * @param {string} words
 * @param {HTMLElement | null} time how new the data are
 */
function showFacts(words, time) {
  find("#facts").replaceChildren(words, ...(time ? [words ? " · " : "", time] : []));
}

/**
 * `as of 7 Feb 2018`; null if that is unknown or in the future, when nothing can have been issued.
 * @param {string | null} [asOf]
 */
export function newest(asOf) {
  if (!asOf || Date.parse(asOf) > Date.now()) return null;
  return element("time", { datetime: asOf, title: say("Data up to {time}", { time: formatInstant(asOf) }), text: say("as of {day}", { day: formatDay(asOf) }) });
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
  const only = shown.length > 1 && some.length === 1 ? named(sum, some[0].label) : null;
  const words = only ? say("{what} simulated, not observed", { what: only }) : say("{number} simulated, not observed", { number: sum });
  note.textContent = some.length ? words : "";
}
