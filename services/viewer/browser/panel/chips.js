// Chips for what the map currently leaves out (one event only, an area, filters), each with a button to remove it.

import { element } from "../page/dom.js";
import { eventLists } from "../model/deep-link.js";
import { getItems } from "../service/api.js";
import { areaWords } from "../words/area.js";
import { listed } from "../words/counts.js";
import { formatInstant } from "../words/format.js";
import { inARow, isolated, LOCALE, say } from "../words/say.js";
import { featureTitle } from "./feature-badge.js";

/** @import { Explorer } from "../model/explorer.js" */
/** @import { Area } from "../types.d.ts" */

/**
 * Keeps the chips in `container` up to date.
 * @param {HTMLElement} container
 * @param {Explorer} explorer
 */
export function chips(container, explorer) {
  const update = () => {
    container.replaceChildren(
      ...(explorer.asOf ? [pastChip(explorer, explorer.asOf)] : []),
      ...eventLists(explorer).map(([id, events]) => eventChip(explorer, id, events)),
      ...(explorer.area ? [areaChip(explorer, explorer.area)] : []),
      ...[...explorer.filters].map(([id, text]) => filterChip(explorer, id, text)),
    );
  };
  explorer.addEventListener("query", update);
  explorer.addEventListener("shown", update);
  update();
}

const LIST = new Intl.ListFormat(LOCALE);

/**
 * @param {Explorer} explorer
 * @param {string} id
 * @param {string[]} events
 */
function eventChip(explorer, id, events) {
  const text = element("span", { text: say("Only event {event}", { event: LIST.format(events.map(isolated)) }), title: events.join(", ") });
  Promise.all(events.map((event) => eventTitle(explorer, id, event))).then((titles) => {
    if (titles.some(Boolean)) text.textContent = say("Only {what}", { what: LIST.format(titles.map((title, at) => isolated(title ?? events[at]))) });
  }, () => {});
  return chip(text, say("Show all"), () => explorer.setEvents(id, []));
}

/**
 * @param {Explorer} explorer
 * @param {string} asOf
 */
function pastChip(explorer, asOf) {
  const absent = [...explorer.shown.keys()].filter((id) => explorer.pastOf(id) === null).map((id) => explorer.collection(id).label);
  const words = say("As known on {time}", { time: formatInstant(Date.parse(asOf)) });
  const limits = absent.length ? say("Not recorded then, so shown as they are now: {collections}.", { collections: listed(absent) }) : "";
  return chip(element("span", { text: inARow([words, limits], ". "), title: asOf }), say("Show the newest state"), () => explorer.setAsOf(null));
}

/**
 * @param {Explorer} explorer
 * @param {Area} area
 */
function areaChip(explorer, area) {
  const words = say("Only {what}", { what: areaWords(area) });
  return chip(element("span", { text: words, title: words }), say("Clear"), () => explorer.setArea(null), say("Clear the area"));
}

/**
 * @param {Explorer} explorer
 * @param {string} id
 * @param {string} text
 */
function filterChip(explorer, id, text) {
  const { label } = explorer.collection(id);
  const words = explorer.shown.size > 1 ? `${label}: ${text}` : text;
  return chip(element("span", { text: words, title: text }), say("Clear"), () => explorer.setFilter(id, null), say("Clear the filter of {collection}", { collection: label }));
}

/**
 * @param {HTMLElement} text
 * @param {string} action
 * @param {() => void} onclick
 * @param {string | null} [label] the action's name for screen readers
 */
function chip(text, action, onclick, label = null) {
  return element("p", { class: "chip" }, text, element("button", { type: "button", text: action, "aria-label": label, onclick }));
}

/**
 * The title of an event in whichever of the sibling collections has titles; null where none has.
 * @param {Explorer} explorer
 * @param {string} id
 * @param {string} event
 */
async function eventTitle(explorer, id, event) {
  const members = [explorer.collection(id), ...explorer.siblings(id)];
  const titled = members.find(({ columns }) => columns.some(({ name }) => name === "title"));
  if (!titled?.eventKey) return null;
  const { features } = await getItems(titled.id, { [titled.eventKey]: event, limit: 1, "bbox-only": true });
  return features.length ? featureTitle(titled, features[0]) : null;
}
