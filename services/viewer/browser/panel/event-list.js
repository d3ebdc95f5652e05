// The features in view as a list that works without seeing or touching the map.

import { searchFilter, searchHint } from "../filters/search.js";
import { ORDERS } from "../model/deep-link.js";
import { inForceFirst, inForceQuery } from "../model/in-force.js";
import { listQuery } from "../model/list-query.js";
import { debounced } from "../page/debounced.js";
import { element, find, findAround } from "../page/dom.js";
import { writeState } from "../page/state.js";
import { address, collectionPath, getItems, isAbort, messageOf } from "../service/api.js";
import { downloadWords } from "../words/counts.js";
import { formatInstant, formatNumber } from "../words/format.js";
import { nearbyWords } from "../words/nearby.js";
import { inARow, say } from "../words/say.js";
import { featureAge, featureBadge, featureTime, featureTitle } from "./feature-badge.js";
import { figuresOf, peopleWords } from "./impact-words.js";
import { Programs } from "./programs.js";

/**
 * @import { Explorer } from "../model/explorer.js"
 * @import { Collection, Item, Items, Style } from "../types.d.ts"
 * @typedef {(collection: string, id: string | number, focus: () => void) => void} Choose
 */

const RETRY = 5000; // milliseconds after a failure

export class EventList {
  #explorer;
  #container;
  #choose;
  #list;
  #heading = find("#tab-events span");
  #where = find("#tab-events b");
  #search;
  #order;
  #download = find("#download");
  #separator = find("select", this.#download, HTMLSelectElement);
  #programs;
  /** @type {AbortController | null} */
  #loading = null;

  /**
   * Fills the list in `container` whenever view, time or filter change; `choose` selects.
   * @param {HTMLElement} container
   * @param {Explorer} explorer
   * @param {Choose} choose
   */
  constructor(container, explorer, choose) {
    this.#explorer = explorer;
    this.#container = container;
    this.#choose = choose;
    this.#list = find("ol", container);
    this.#search = find("input[type=search]", container, HTMLInputElement);
    this.#order = find("#sort select", container, HTMLSelectElement);
    this.#programs = new Programs(find("#programs", document, HTMLDetailsElement));
    const choices = () => {
      this.#offerOrder();
      this.#offerSearch();
    };
    explorer.addEventListener("subject", choices);
    explorer.addEventListener("subject", () => this.#narrow());
    choices();
    const soon = debounced(() => this.#refresh(), 350);
    const narrow = debounced(() => this.#narrow(), 300);
    for (const event of ["move", "query", "subject", "shown", "data"]) explorer.addEventListener(event, soon);
    this.#order.addEventListener("change", () => {
      writeState({ o: this.#order.value === ORDERS[0] ? null : this.#order.value });
      this.#refresh();
    });
    this.#search.addEventListener("input", () => {
      writeState({ q: this.#search.value.trim() || null });
      narrow();
      soon();
    });
  }

  /**
   * Sorts as a link says; what it does not know is as usual.
   * @param {string | undefined} order
   */
  sort(order) {
    const wanted = ORDERS.find((one) => one === order) ?? ORDERS[0];
    if (this.#order.value === wanted) return;
    this.#order.value = wanted;
    this.#refresh();
  }

  /** The search narrows the map as well: that of the collection that the list is about, and of no other. */
  #narrow() {
    const subject = this.#explorer.subjectCollection();
    for (const id of [...this.#explorer.searches.keys()]) if (id !== subject?.id) this.#explorer.setSearch(id, null);
    const text = this.#search.value.trim();
    if (subject) this.#explorer.setSearch(subject.id, text ? searchFilter(subject, text) : null);
  }

  async #refresh() {
    this.#where.textContent = this.#explorer.area ? say("In the area") : say("In view");
    this.#loading?.abort();
    const { signal } = (this.#loading = new AbortController());
    const collection = this.#explorer.subjectCollection();
    if (!collection) {
      this.#showText("No collection is shown.");
      this.#download.hidden = true;
      this.#programs.offer("");
      // the request that was stopped leaves it
      this.#container.removeAttribute("aria-busy");
      return;
    }
    this.#container.setAttribute("aria-busy", "true");
    try {
      const query = this.#query(collection);
      const present = inForceQuery(collection, query, this.#order.value, Date.now());
      const [page, inForce] = await Promise.all([query, present].map((each) => (each ? getItems(collection.id, each, { signal }) : null)));
      if (page) {
        const shown = inForceFirst(page, inForce);
        this.#show(shown, collection, await this.#explorer.style(collection.id));
        // the numbers are those of the present
        if (this.#explorer.asOf === null) this.#addPeople(collection, shown.features, signal);
      }
    } catch (error) {
      if (isAbort(error)) return;
      this.#showText(messageOf(error), "fault");
      setTimeout(() => this.#list.querySelector("button") ?? this.#refresh(), RETRY);
    }
    this.#container.removeAttribute("aria-busy");
  }

  /** @param {Collection} collection */
  #query(collection) {
    const within = this.#explorer.engine.within();
    // where the operator does not offer the map's projection, the box around the view serves
    const offered = !within.crs || collection.crs?.includes(within.crs);
    const seen = offered ? within : { bbox: this.#explorer.engine.bbox() };
    return listQuery(collection, this.#explorer.parameters(collection.id, { searched: false }), {
      ...(this.#explorer.area ? { bbox: null } : seen),
      text: this.#search.value,
      order: this.#order.value,
    });
  }

  /**
   * A sentence in place of entries.
   * @param {string} text
   * @param {string} [kind]
   */
  #showText(text, kind = "") {
    this.#heading.textContent = "";
    this.#list.replaceChildren(element("li", { class: `empty ${kind}`.trim(), text }));
  }

  /**
   * @param {Items} page
   * @param {Collection} collection
   * @param {Style} style
   */
  #show(page, collection, style) {
    const total = page.numberMatched ?? null;
    this.#offerDownload(collection, page.features.length > 0 ? total : 0);
    const focused = document.activeElement;
    const focusedId = focused instanceof HTMLElement && this.#list.contains(focused) ? focused.dataset.id : undefined;
    if (page.features.length) this.#list.replaceChildren(...page.features.map((feature) => this.#entry(feature, collection, style)));
    else this.#showText(this.#emptyText(collection));
    this.#heading.textContent = total === null ? "" : formatNumber(total);
    if (focusedId) this.#focus(focusedId);
    if (page.features.length && total !== null && total > page.features.length) {
      const left = { number: total - page.features.length };
      const more = this.#explorer.area ? say("and {number} more; downloads have all", left) : say("and {number} more; zoom in to list them", left);
      this.#list.append(element("li", { class: "empty", text: more }));
    }
  }

  /**
   * @param {Item} feature
   * @param {Collection} collection
   * @param {Style} style
   */
  #entry(feature, collection, style) {
    const { id = "" } = feature;
    const time = featureTime(collection, feature.properties);
    const age = featureAge(collection, feature.properties);
    const told = inARow([time && formatInstant(time), age.words, eventOf(collection, feature)]);
    const title = featureTitle(collection, feature);
    const nearby = nearbyWords(feature.properties);
    const twice = title.includes(String(feature.properties.nearest_place));
    return element("li", { class: age.over ? "over" : null }, element(
      "button",
      { type: "button", "data-id": id, onclick: () => this.#choose(collection.id, id, () => this.#focus(id)) },
      featureBadge(style, feature.properties),
      " ", // for screen readers
      element("span", { class: "title", text: title }),
      " ",
      time && element("time", { datetime: time, text: told }),
      nearby && !twice && element("small", { text: nearby }),
    ));
  }

  /**
   * Adds the number of people to the entries whose events have one, once the numbers are known.
   * @param {Collection} collection
   * @param {Item[]} features
   * @param {AbortSignal} signal
   */
  async #addPeople(collection, features, signal) {
    const { eventKey } = collection;
    const figures = await figuresOf(collection, features, signal);
    if (signal.aborted) return;
    const buttons = new Map([...this.#list.querySelectorAll("button")].map((button) => [button.dataset.id, button]));
    for (const { id = "", properties } of features) {
      const figure = eventKey ? figures.get(String(properties[eventKey])) : undefined;
      if (figure) buttons.get(String(id))?.append(element("small", { class: "people", text: peopleWords(figure) }));
    }
  }

  /**
   * Focuses an entry, or the first entry if the list has been refilled without it.
   * @param {string | number} id
   */
  #focus(id) {
    const buttons = [...this.#list.querySelectorAll("button")];
    (buttons.find((button) => button.dataset.id === String(id)) ?? buttons[0])?.focus();
  }

  /**
   * @param {Collection} collection
   * @param {number | null} number of features to download, null where it is not known
   */
  #offerDownload(collection, number) {
    this.#download.hidden = number === 0;
    find("span", this.#download).textContent = downloadWords(this.#search.value.trim() ? "found" : this.#explorer.area ? "area" : "view", number);
    const parameters = { ...this.#query(collection), "bbox-only": null, limit: null };
    this.#programs.offer(number === 0 ? "" : address(`${collectionPath(collection.id)}/programs`, { ...parameters, f: "json" }));
    // as spreadsheets want it
    const separator = this.#separator.value === "comma" ? null : this.#separator.value;
    this.#separator.onchange = () => this.#offerDownload(collection, number);
    const csv = { bom: true, separator, geometry: collection.geometryType === "Point" ? "lonlat" : null };
    for (const link of this.#download.querySelectorAll("a")) {
      const f = link.dataset.format;
      link.href = address(`${collectionPath(collection.id)}/export`, { ...parameters, ...(f === "csv" ? csv : {}), f });
      link.download = `${collection.id}.${f}`;
    }
  }

  #offerSearch() {
    const collection = this.#explorer.subjectCollection();
    const hint = collection ? searchHint(collection) : null;
    const label = findAround(this.#search, "label");
    label.hidden = hint === null;
    this.#search.placeholder = hint ?? "";
    find("span", label).textContent = hint ?? "";
  }

  #offerOrder() {
    const collection = this.#explorer.subjectCollection();
    findAround(this.#order, "label").hidden = !(collection?.importance && collection.time);
  }

  /** @param {Collection} collection */
  #emptyText({ id }) {
    const text = this.#search.value.trim();
    if (text) return say("No results for “{text}”.", { text });
    const { datetime, filter } = this.#explorer.parameters(id);
    return datetime || filter ? say("Nothing here matches the time and filter.") : say("Nothing in this view; zoom out or move the map.");
  }
}

/**
 * The event's identifier where the title is made of what else is known.
 * @param {Collection} collection
 * @param {Item} feature
 */
function eventOf({ eventKey }, { properties }) {
  const own = ["title", "name", "place"].some((name) => properties[name]) && !properties.basin;
  return own || !eventKey ? null : String(properties[eventKey] ?? "");
}
