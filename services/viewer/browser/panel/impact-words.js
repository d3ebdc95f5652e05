// The number of people in the zones of events, in the card of a feature and in the list.

import { address, getJson } from "../service/api.js";
import { element, find } from "../page/dom.js";
import { formatNumber, say } from "../words/say.js";

/** @import { Collection, Item } from "../types.d.ts" */

/**
 * @typedef {object} Figure
 * @property {number} people
 * @property {string} zone
 * @property {string} quality
 */

const MOST = 100; // events of a request

/**
 * The figures of the events of features, by event; none where the service has no figure. A failure only leaves the
 * numbers out.
 * @param {Collection} collection
 * @param {Item[]} features
 * @param {AbortSignal} [signal]
 * @returns {Promise<Map<string, Figure>>}
 */
export async function figuresOf({ eventKey }, features, signal) {
  const events = new Set(features.flatMap(({ properties }) => (eventKey && properties?.[eventKey] ? [String(properties[eventKey])] : [])));
  // a comma separates the events of a request
  const asked = [...events].filter((event) => !event.includes(",")).slice(0, MOST);
  if (!asked.length) return new Map();
  try {
    const { impacts } = await getJson(address("/impacts", { events: asked.join(), f: "json" }), { signal });
    return new Map(impacts.flatMap(figureOf));
  } catch {
    return new Map();
  }
}

/**
 * @param {{ id: string, summary: Figure | null }} impact
 * @returns {[string, Figure][]}
 */
const figureOf = ({ id, summary }) => (summary ? [[id, summary]] : []);

/**
 * `At least 9,290,806 people (64 kt)`, or `About` for an estimate. Without listed places the number is unknown rather than 0.
 * @param {Figure} figure
 */
export function peopleWords({ people, zone, quality }) {
  const where = say(zone);
  if (quality === "estimate") return say("About {people} people ({zone})", { people: formatNumber(people), zone: where });
  return people ? say("At least {people} people ({zone})", { people: formatNumber(people), zone: where }) : say("No listed place ({zone})", { zone: where });
}

/**
 * Adds the number to the card of a feature, once it is known.
 * @param {HTMLElement} card
 * @param {Collection} collection
 * @param {Item} feature
 * @param {AbortSignal} [signal]
 */
export async function addPeople(card, collection, feature, signal) {
  for (const figure of (await figuresOf(collection, [feature], signal)).values()) {
    find(".card-body dl", card).prepend(element("dt", { text: say("People in the zones of the event") }), element("dd", { text: peopleWords(figure) }));
  }
}
