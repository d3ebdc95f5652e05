// The features in view as a list that works without seeing or touching the map.

import { address, collectionPath, getJson } from "../service/api.js";
import { debounced, element, find } from "../page/dom.js";
import { featureBadge, featureTime, featureTitle } from "./feature-card.js";
import { formatInstant, formatNumber } from "../words/format.js";
import { searchFilter, searchHint } from "../filters/search.js";
import { writeState } from "../page/state.js";

const LIMIT = 30;
const RETRY = 5000; // milliseconds after a failure
const DOWNLOAD_LIMIT = 10000; // the service's largest page

/**
 * Fills the list in `container` whenever view, time or filter change. `filtering` resolves to whether the service can
 * search; `choose(collection, id, focus)` selects.
 */
export function eventList(container, explorer, filtering, choose) {
  const list = find("ol", container);
  const heading = find("#tab-events span");
  const search = find("input[type=search]", container);
  const order = find("#sort select", container);
  const download = find("#download", container);
  let loading = null;

  const refresh = async () => {
    loading?.abort();
    loading = new AbortController();
    const collection = explorer.collections.get(explorer.subject);
    if (!collection) {
      heading.textContent = "";
      list.replaceChildren(element("li", { class: "empty", text: "No collection is shown." }));
      return;
    }
    container.setAttribute("aria-busy", "true");
    try {
      const page = await getJson(address(`${collectionPath(collection.id)}/items`, query(explorer, collection, search.value, order.value)), loading);
      const style = await explorer.style(collection.id);
      show(page, collection, style);
    } catch (error) {
      if (error.name === "AbortError") return;
      list.replaceChildren(element("li", { class: "empty fault", text: error.message }));
      heading.textContent = "";
      setTimeout(() => list.querySelector("button") ?? refresh(), RETRY);
    }
    container.removeAttribute("aria-busy");
  };

  const show = (page, collection, style) => {
    const total = page.numberMatched ?? null;
    offer(collection, page.features.length > 0);
    heading.textContent = total === null ? "" : formatNumber(total);
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    list.replaceChildren(...page.features.map((feature) => entry(feature, collection, style)));
    if (focused) focus(focused);
    if (!page.features.length) list.append(element("li", { class: "empty", text: emptyText(explorer, collection, search.value) }));
    else if (total > page.features.length) {
      list.append(element("li", { class: "empty", text: `and ${formatNumber(total - page.features.length)} more; zoom in to list them` }));
    }
  };

  const offer = (collection, something) => {
    download.hidden = !something;
    const parameters = { ...query(explorer, collection, search.value, order.value), "bbox-only": null };
    for (const link of download.querySelectorAll("a")) {
      const f = link.dataset.format;
      link.href = address(`${collectionPath(collection.id)}/items`, { ...parameters, limit: DOWNLOAD_LIMIT, f });
      link.download = `${collection.id}.${f}`;
    }
  };

  const entry = (feature, collection, style) => {
    const time = featureTime(collection, feature.properties);
    return element("li", {}, element(
      "button",
      { type: "button", "data-id": feature.id, onclick: () => choose(collection.id, feature.id, () => focus(feature.id)) },
      featureBadge(style, feature.properties),
      " ", // for those who hear it
      element("span", { class: "title", text: featureTitle(collection, feature) }),
      " ",
      time && element("time", { datetime: time, text: [formatInstant(time), eventOf(collection, feature)].filter(Boolean).join(" · ") }),
    ));
  };

  // the list may have been filled anew since: its entry, or the first
  const focus = (id) => {
    const buttons = [...list.querySelectorAll("button")];
    (buttons.find((button) => button.dataset.id === String(id)) ?? buttons[0])?.focus();
  };

  const offerSearch = async () => {
    const collection = explorer.collections.get(explorer.subject);
    const hint = (await filtering) && collection ? searchHint(collection) : null;
    search.closest("label").hidden = hint === null;
    search.placeholder = hint ?? "";
    find("span", search.closest("label")).textContent = hint ?? "";
  };
  const offerOrder = () => {
    const collection = explorer.collections.get(explorer.subject);
    order.closest("label").hidden = !(collection?.importance && collection.time);
  };
  explorer.addEventListener("subject", offerSearch);
  explorer.addEventListener("subject", offerOrder);
  offerOrder();
  offerSearch();

  const soon = debounced(refresh, 350);
  for (const event of ["move", "query", "subject", "shown", "data"]) explorer.addEventListener(event, soon);
  order.addEventListener("change", refresh);
  search.addEventListener("input", () => {
    writeState({ q: search.value.trim() || null });
    soon();
  });
  return refresh;
}

/** The event's identifier where the title is made of what else is known. */
function eventOf(collection, { properties }) {
  const own = ["title", "name", "place"].some((name) => properties[name]) && !properties.basin;
  return own ? null : properties[collection.eventKey];
}

function query(explorer, collection, text, order) {
  const { filter, ...parameters } = explorer.parameters(collection.id);
  const named = text.trim() ? searchFilter(collection, text) : null;
  return {
    ...parameters,
    limit: LIMIT,
    bbox: named ? null : explorer.engine.bbox().map((value) => value.toFixed(4)).join(","),
    filter: [filter, named].filter(Boolean).map((part) => `(${part})`).join(" AND "),
    sortby: [order === "strongest" && collection.importance, collection.time && `-${collection.time.column}`].filter(Boolean).join(","),
    "bbox-only": true,
    f: "geojson",
  };
}

function emptyText(explorer, collection, text) {
  if (text.trim()) return `Nothing is found for “${text.trim()}”.`;
  const { datetime, filter } = explorer.parameters(collection.id);
  return datetime || filter ? "Nothing here matches the time and filter." : "Nothing in this view; zoom out or move the map.";
}
