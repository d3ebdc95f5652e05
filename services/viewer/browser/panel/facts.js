// How much data are shown, how recent they are, and whether they are observed.

import { count } from "../service/api.js";
import { debounced, element, find } from "../page/dom.js";
import { formatDay, formatInstant, formatNumber } from "../words/format.js";
import { announce, announceError, tell } from "../page/status.js";

const NAMED = 3; // collections at the most that are counted one by one

/** Keeps the facts below the title about what is shown; a new number is read out when something else was chosen. */
export function describeShown(explorer) {
  let known = null; // what the facts are about
  let asked = null;
  let said = "";
  const update = async (news) => {
    const shown = [...explorer.shown.keys()].map((id) => ({ ...explorer.collections.get(id), parameters: chosen(explorer, id) }));
    const wanted = JSON.stringify(shown.map(({ id, parameters }) => [id, parameters]));
    // while time plays, numbers would only flicker
    if (explorer.playing || (wanted === known && !news.data)) return;
    known = wanted;
    const mine = (asked = Symbol("asked"));
    try {
      const counted = await Promise.all(shown.map(counts));
      if (asked !== mine) return;
      const words = countWords(counted);
      showFacts(words, shown);
      if (shown.length === 1 && counted[0].total === 0) announce("This collection has no features yet.");
      if (!news.data && words !== said) tell((said = words));
    } catch (error) {
      known = null;
      announceError(error.message);
    }
    const simulated = await Promise.all(shown.map(simulatedOf));
    if (asked === mine) showSimulated(shown, simulated);
  };
  const quick = debounced((news) => update(news), 50);
  const slow = debounced((news) => update(news), 300);
  explorer.addEventListener("shown", () => quick({}));
  explorer.addEventListener("query", () => slow({}));
  explorer.addEventListener("data", () => quick({ data: true }));
}

/** The parameters that leave something out, or null. */
function chosen(explorer, id) {
  const given = Object.entries(explorer.parameters(id)).filter(([, value]) => value !== null);
  return given.length ? Object.fromEntries(given) : null;
}

async function counts({ id, label, parameters }) {
  const [total, matched] = await Promise.all([count(id), parameters ? count(id, parameters) : null]);
  return { label, total, matched: parameters ? matched : total, narrowed: parameters !== null };
}

/**
 * Counts in words: `320 of 1,707 features`, and what they are where there are several collections. A number that the
 * service does not tell (null) is left out, and said to be.
 */
export function countWords(counted) {
  if (!counted.length) return "";
  const sum = (values) => ({ number: values.reduce((all, value) => all + (value ?? 0), 0), known: !values.includes(null) });
  const matched = sum(counted.map((one) => one.matched));
  const total = sum(counted.map((one) => one.total));
  const say = ({ number, known }) => (known ? "" : "over ") + formatNumber(number);
  if (counted.every((one) => one.matched === null)) return "";
  const narrowed = counted.some((one) => one.narrowed) && total.known;
  const features = (narrowed ? total : matched).number === 1 ? "feature" : "features";
  const whole = `${say(matched)}${narrowed ? ` of ${say(total)}` : ""} ${features}`;
  if (counted.length === 1) return whole;
  if (counted.length > NAMED) return `${whole} in ${counted.length} collections`;
  const parts = counted.map((one) => (one.matched === null ? `${lower(one.label)} not counted` : named(one.matched, one.label)));
  return `${whole}: ${parts.join(", ")}`;
}

/** `1,707 earthquakes` of the collection `Earthquake events`. */
function named(number, label) {
  const things = lower(label.replace(/ events$/i, "s"));
  return `${formatNumber(number)} ${number === 1 ? things.replace(/([^s])s$/, "$1") : things}`;
}
const lower = (label) => label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

function showFacts(words, shown) {
  // of several collections the legend tells it, each with its own
  const { end } = (shown.length === 1 && shown[0].time) || {};
  find("#facts").replaceChildren(words, ...(end ? [words ? " · " : "", newest(end)] : []));
}

/** `as of 7 Feb 2018`. */
export function newest(end) {
  return element("time", { datetime: end, title: `The newest data are of ${formatInstant(end)}`, text: `as of ${formatDay(end)}` });
}

async function simulatedOf({ id, columns }) {
  if (!columns.some((column) => column.name === "source")) return 0;
  return (await count(id, { source: "simulated" }).catch(() => 0)) ?? 0;
}

function showSimulated(shown, numbers) {
  const some = shown.map(({ label }, at) => ({ label, number: numbers[at] })).filter(({ number }) => number);
  const note = find("#simulated");
  note.hidden = some.length === 0;
  const sum = some.reduce((all, { number }) => all + number, 0);
  const what = shown.length > 1 && some.length === 1 ? `${named(sum, some[0].label)}` : formatNumber(sum);
  note.textContent = some.length ? `${what} simulated, not observed` : "";
}
