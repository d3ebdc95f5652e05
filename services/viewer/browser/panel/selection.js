// The selected feature: its popup, its outline on the map, its place in the address, its relatives.

import { anchor, bboxOf } from "../cartography/geometry.js";
import { forecastsAround, forecastsOf } from "../model/forecasts.js";
import { element, find } from "../page/dom.js";
import { selectionPadding } from "../page/layout.js";
import { pushState, writeState } from "../page/state.js";
import { getJson, isAbort, itemAddress, messageOf } from "../service/api.js";
import { say } from "../words/say.js";
import { featureColor } from "./feature-badge.js";
import { featureCard } from "./feature-card.js";
import { addPeople } from "./impact-words.js";

/** @import { Explorer } from "../model/explorer.js" */
/** @import { Life, Story } from "../model/story.js" */
/** @import { State } from "../page/link.js" */
/** @import { Collection, Hit, Item, Position } from "../types.d.ts" */

const POINT_ZOOM = 7; // a selected point shows its surroundings

export class Selection {
  #explorer;
  #story;
  /** @type {Hit[]} */
  #hits = []; // features under the click; the selected one is at #at
  #at = 0;
  #isOpening = false;
  #clicked = false; // whether they were selected by a click at one place
  /** @type {Position | null} */
  #position = null;
  /** @type {Life | null} the storm that was followed before the selected one */
  #before = null;
  /** @type {AbortController | null} */
  #loading = null;
  /** @type {(() => void) | null} */
  #returnFocus = null;
  #asOf;

  /**
   * @param {Explorer} explorer
   * @param {Story | null} [story] follows the storm whose feature is selected
   */
  constructor(explorer, story = null) {
    this.#explorer = explorer;
    this.#story = story;
    this.#asOf = explorer.asOf;
    // a user who moves along a storm's life wants to see the storm
    story?.addEventListener("look", () => {
      if (this.#isOpening || !this.#hits.length) return;
      this.#returnFocus = null;
      this.clear();
    });
    explorer.addEventListener("query", () => this.#openAsKnown());
    explorer.addEventListener("shown", () => {
      if (this.#hits.length && !explorer.shown.has(this.#hits[this.#at].collection)) this.clear();
    });
  }

  /**
   * Selects among the features under a click; closes the popup if there are none.
   * @param {Hit[]} hits
   * @param {Position} position
   */
  async pick(hits, position) {
    if (!hits.length) return this.clear();
    this.#returnFocus = null;
    this.#hits = hits;
    this.#at = 0;
    this.#clicked = true;
    this.#position = position;
    return this.#open();
  }

  /**
   * Selects one feature, as from the list or a link. `focus` brings the keyboard back to where it was chosen; what a link
   * says is already in the address.
   * @param {string} collection
   * @param {string | number} id
   * @param {{ fly?: boolean, focus?: (() => void) | null, linked?: boolean }} [options]
   */
  async choose(collection, id, { fly = true, focus = null, linked = false } = {}) {
    this.#returnFocus = focus;
    this.#hits = [{ collection, id, properties: {}, geometry: null }];
    this.#at = 0;
    this.#clicked = false;
    this.#position = null;
    return this.#open({ fly, focus: focus !== null, linked });
  }

  clear() {
    this.#loading?.abort();
    this.#hits = [];
    this.#explorer.engine.closePopup();
    this.#explorer.engine.highlight(null);
    writeState({ id: null });
    this.#giveFocusBack();
  }

  /**
   * Returns the focus to where the feature was chosen. If that is hidden, as the list behind a storm's panel, to the
   * tab.
   */
  #giveFocusBack() {
    const give = this.#returnFocus;
    this.#returnFocus = null;
    give?.();
    if (give && document.activeElement === document.body) find(".tabs [aria-selected=true]").focus();
  }

  /** Opens the selected feature again, as it was known at another time; closes the card if it was not known. */
  async #openAsKnown() {
    if (this.#asOf === this.#explorer.asOf) return;
    this.#asOf = this.#explorer.asOf;
    if (!this.#hits.length) return;
    const { collection, id } = this.#hits[this.#at];
    // without the data of the tile, which are those of another time
    this.#hits = [{ collection, id, properties: {}, geometry: null }];
    this.#at = 0;
    if (!(await this.#open({ linked: true })) && this.#hits[0]?.id === id) this.clear();
  }

  /** Returns whether the card was opened; false if loading failed or another feature was selected in the meantime. */
  async #open({ fly = false, focus = false, linked = false } = {}) {
    const hit = this.#hits[this.#at];
    const explorer = this.#explorer;
    const collection = explorer.collection(hit.collection);
    const loaded = await this.#load(hit);
    if (!loaded) return false;
    const { style, feature } = loaded;
    const { geometry } = feature;
    this.#position ??= anchor(geometry);
    const isFollowed = this.#follow(collection, feature, linked, fly);
    if (fly && geometry && !isFollowed) explorer.engine.fit(bboxOf(geometry), selectionPadding(), { closer: true, ...(geometry.type === "Point" && { nearest: POINT_ZOOM }) });
    explorer.engine.highlight(feature, featureColor(style, feature.properties ?? {}));
    const card = featureCard(collection, style, feature, this.#actions(collection, feature));
    if (this.#position) explorer.engine.showPopup(this.#position, card, () => this.clear());
    writeState({ id: hit.id === undefined ? null : `${hit.collection}/${hit.id}` });
    if (focus) /** @type {HTMLElement | null} */ (card.querySelector("a, button"))?.focus({ preventScroll: true });
    this.#offerForecasts(collection, feature, card);
    // the numbers are those of the present
    if (explorer.asOf === null) addPeople(card, collection, feature, this.#loading?.signal);
    return true;
  }

  /**
   * A button of the card for the forecasts where its feature is, once it is known that there are some.
   * @param {Collection} collection
   * @param {Item} feature
   * @param {HTMLElement} card
   */
  async #offerForecasts(collection, feature, card) {
    const expecting = forecastsOf(collection, feature, this.#explorer.collections.values());
    if (!expecting.length) return;
    try {
      const hits = await forecastsAround(feature, expecting, { signal: this.#loading?.signal });
      const onclick = () => this.#showForecasts(hits);
      if (hits.length) find("nav", card).append(element("button", { type: "button", text: say("Forecast here"), onclick }));
    } catch (error) {
      if (!isAbort(error)) this.#explorer.emit("fault", messageOf(error));
    }
  }

  /**
   * Puts forecasts on the map, and opens the nearest one.
   * @param {Hit[]} hits
   */
  async #showForecasts(hits) {
    for (const id of new Set(hits.map(({ collection }) => collection))) {
      try {
        await this.#explorer.show(id);
      } catch (error) {
        this.#explorer.emit("fault", `${this.#explorer.collection(id).label}: ${messageOf(error)}`);
      }
    }
    this.#hits = hits;
    this.#at = 0;
    this.#clicked = false;
    this.#position = null;
    return this.#open({ fly: true, focus: true });
  }

  /**
   * Whether the map goes to the life of a storm rather than to the feature.
   * @param {Collection} collection
   * @param {Item} feature
   * @param {boolean} linked
   * @param {boolean} fly
   */
  #follow(collection, { properties }, linked, fly) {
    const story = this.#story;
    const event = collection.eventKey && properties?.[collection.eventKey];
    if (!story || !event || !story.tells(collection.id)) return false;
    if (story.other?.event === event) return false;
    const isNew = story.life?.event !== event;
    if (isNew) this.#before = story.life;
    /** @type {State} */
    const look = {};
    const issued = collection.time?.issuedColumn ? properties[collection.time.issuedColumn] : null;
    if (typeof properties.valid_time === "string") look.step = properties.valid_time;
    if (typeof issued === "string") look.issue = issued;
    if (isNew && !linked) pushState({ follow: `${collection.id}/${event}`, id: null, step: null, wind: null, issue: null });
    this.#isOpening = true;
    story.follow(collection.id, String(event), linked ? {} : look, { see: !linked || fly });
    this.#isOpening = false;
    return isNew;
  }

  /**
   * Loads the data of a card. Returns null if that failed, which is announced, or if another feature was selected
   * meanwhile. A collection without geometry has no style.
   * @param {Hit} hit
   */
  async #load(hit) {
    this.#loading?.abort();
    const { signal } = (this.#loading = new AbortController());
    try {
      const [style, feature] = await Promise.all([this.#explorer.style(hit.collection), this.#item(hit, signal)]);
      return signal.aborted ? null : { style, feature };
    } catch (error) {
      if (!signal.aborted) this.#explorer.emit("fault", messageOf(error));
      return null;
    }
  }

  /**
   * Loads the item, as a tile has simplified geometry and no links. If the item cannot be loaded, returns the tile's
   * data.
   * @param {Hit} hit
   * @param {AbortSignal} signal
   * @returns {Promise<Item>}
   */
  async #item(hit, signal) {
    /** @type {Item} */
    const drawn = { type: "Feature", id: hit.id ?? undefined, properties: hit.properties, geometry: hit.geometry };
    if (hit.id === null || hit.id === undefined) return drawn;
    try {
      return await getJson(itemAddress(hit.collection, hit.id, "geojson"), { signal });
    } catch (error) {
      if (isAbort(error) || !hit.geometry) throw error;
      this.#explorer.emit("fault", messageOf(error));
      return drawn;
    }
  }

  /**
   * @param {Collection} collection
   * @param {Item} feature
   */
  #actions(collection, feature) {
    const actions = [];
    const event = collection.eventKey && feature.properties?.[collection.eventKey];
    const siblings = this.#explorer.siblings(collection.id).filter((other) => other.geometryType);
    if (event && siblings.length) {
      const onclick = () => this.#showEvent(collection, siblings, String(event));
      actions.push(element("button", { type: "button", text: say("Only this event"), onclick }));
    }
    const [story, before] = [this.#story, this.#before];
    if (event && story && before && before.event !== event && story.tells(collection.id)) {
      const onclick = () => this.#compare(before, String(event));
      actions.push(element("button", { type: "button", text: say("Compare with {name}", { name: before.name }), onclick }));
    }
    if (this.#hits.length > 1) {
      const text = say("{at} of {number} here", { at: this.#at + 1, number: this.#hits.length });
      const next = () => {
        this.#at = (this.#at + 1) % this.#hits.length;
        if (!this.#clicked) this.#position = null;
        this.#open({ fly: !this.#clicked, focus: true });
      };
      actions.push(element("button", { type: "button", text, title: say("Show the next feature at this place"), onclick: next }));
    }
    return actions;
  }

  /**
   * Follows the storm of before again, beside this one.
   * @param {Life} before
   * @param {string} event
   */
  async #compare(before, event) {
    this.clear();
    await this.#story?.follow(before.id, before.event, {}, { see: false });
    await this.#story?.compare(event);
  }

  /**
   * Shows what this and the sibling collections know about the event, and no other event of theirs.
   * @param {Collection} collection
   * @param {Collection[]} siblings
   * @param {string} event
   */
  async #showEvent(collection, siblings, event) {
    const explorer = this.#explorer;
    explorer.setEvents(collection.id, [event]);
    for (const member of [collection, ...siblings]) {
      try {
        await explorer.show(member.id);
      } catch (error) {
        explorer.emit("fault", `${member.label}: ${messageOf(error)}`);
      }
    }
  }
}
