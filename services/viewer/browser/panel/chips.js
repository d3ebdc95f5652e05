// What is left out of the map just now, and how to bring it back: one event only, filters.

import { address, collectionPath, getJson } from "../service/api.js";
import { element } from "../page/dom.js";
import { featureTitle } from "./feature-card.js";

/** Keeps the chips in `container` up to date. */
export function chips(container, explorer) {
  const update = () => {
    const [event] = explorer.events;
    container.replaceChildren(
      ...(event ? [eventChip(explorer, ...event)] : []),
      ...[...explorer.filters].map(([id, text]) => filterChip(explorer, id, text)),
    );
  };
  explorer.addEventListener("query", update);
  explorer.addEventListener("shown", update);
  update();
}

function eventChip(explorer, id, event) {
  const text = element("span", { text: `Only event ${event}`, title: event });
  eventTitle(explorer, id, event).then((title) => {
    if (title) text.textContent = `Only ${title}`;
  }, () => {});
  return chip(text, "Show all", () => explorer.setEvent(id, null));
}

function filterChip(explorer, id, text) {
  const { label } = explorer.collections.get(id);
  const words = explorer.shown.size > 1 ? `${label}: ${text}` : text;
  return chip(element("span", { text: words, title: text }), "Clear", () => explorer.setFilter(id, null), `Clear the filter of ${label}`);
}

function chip(text, action, onclick, label = null) {
  return element("p", { class: "chip" }, text, element("button", { type: "button", text: action, "aria-label": label, onclick }));
}

/** The title of an event in whichever of the sibling collections has titles. */
async function eventTitle(explorer, id, event) {
  const members = [explorer.collections.get(id), ...explorer.siblings(id)];
  const titled = members.find(({ columns }) => columns.some(({ name }) => name === "title"));
  if (!titled) return null;
  const parameters = { [titled.eventKey]: event, limit: 1, "bbox-only": true, f: "geojson" };
  const { features } = await getJson(address(`${collectionPath(titled.id)}/items`, parameters));
  return features.length ? featureTitle(titled, features[0]) : null;
}
