// The faults of a link, one sentence for each parameter. The map still shows the parameters without faults.

import { parseView } from "../page/link.js";
import { LOCALE, say } from "../words/say.js";
import { parseArea } from "./area.js";
import { FILTER, ORDERS, pairOf, pairTexts, pastTime } from "./deep-link.js";
import { parseInterval } from "./interval.js";

/**
 * @import { State } from "../page/link.js"
 * @import { Collection } from "../types.d.ts"
 * @typedef {Map<string, Collection>} Collections
 * @typedef {(text: string, collections: Collections) => string | null} Check says what is wrong, or null
 */

const CHOICES = new Intl.ListFormat(LOCALE, { type: "disjunction" });

/**
 * A text that must be one of these.
 * @param {...string} texts
 * @returns {Check}
 */
const oneOf = (...texts) => (text) => (texts.includes(text) ? null : say("it is {choices}", { choices: CHOICES.format(texts) }));

/** @type {Check} */
const known = (id, collections) => (collections.has(id) ? null : say("collection {id} does not exist", { id }));

/** @type {Check} */
const pair = (text, collections) => {
  const found = pairOf(text);
  return found?.[1] ? known(found[0], collections) : say("it is a collection, a slash and an identifier");
};

/** @type {Check} */
const moment = (text) => (Number.isFinite(Date.parse(text)) ? null : say("{text} is not a time", { text }));

/** @type {Check} */
const area = (text) => {
  try {
    parseArea(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : null;
  }
};

/** @type {Record<string, Check>} */
const CHECKS = {
  map: (text) => (parseView(text) ? null : say("it is a zoom level, a latitude and a longitude, with slashes between them")),
  p: oneOf("globe"),
  c: (text, collections) => {
    const lost = text === "none" ? [] : text.split(",").filter((id) => !collections.has(id));
    return lost.length ? say("collection {id} does not exist", { id: lost.join(", ") }) : null;
  },
  s: known,
  t: (text) => (text === "../.." || parseInterval(text) ? null : say("{text} is not a time or an interval of ISO 8601", { text })),
  asOf: (text) => (pastTime(text) ? null : say("{text} is not a past time", { text })),
  a: area,
  e: (text, collections) => pairTexts(text).map((each) => pair(each, collections)).find(Boolean) ?? null,
  q: () => null,
  o: oneOf(...ORDERS),
  id: pair,
  theme: oneOf("light", "dark"),
  follow: pair,
  with: () => null,
  step: moment,
  wind: (text) => (Number(text) > 0 ? null : say("{text} is not a speed in knots", { text })),
  issue: moment,
};

/**
 * The sentences; empty if the link has no fault.
 * @param {State} state
 * @param {Collections} collections
 * @returns {string[]}
 */
export function linkFaults(state, collections) {
  return Object.entries(state).flatMap(([name, text]) => {
    const fault = faultOf(name, text, collections);
    return fault ? [say("“{name}” of the link: {fault}.", { name, fault })] : [];
  });
}

/**
 * @param {string} name
 * @param {string} text
 * @param {Collections} collections
 */
function faultOf(name, text, collections) {
  if (name.startsWith(FILTER)) return known(name.slice(FILTER.length), collections);
  return Object.hasOwn(CHECKS, name) ? CHECKS[name](text, collections) : say("the map does not have this parameter");
}
