// What is shown: which collections, in which time, with which filter. Parts of the page listen to its events.

import { address, collectionPath, count, getJson } from "../service/api.js";

/**
 * Events: `shown` (collections on the map changed), `subject` (the collection that list and timeline are about),
 * `query` (time, filter or event changed), `move` (the view changed), `data` (a collection's data changed; detail: its
 * id), `unclassed` (a collection was found to have features without a class), `fault` (detail: a sentence).
 */
export class Explorer extends EventTarget {
  /** `collections`: descriptions by id, as the page's data have them. */
  constructor({ collections, tileMatrixSet, styleParameters }) {
    super();
    this.collections = new Map(collections.map((collection) => [collection.id, collection]));
    this.tileMatrixSet = tileMatrixSet;
    this.styleParameters = styleParameters;
    this.engine = null;
    this.shown = new Map(); // id -> style
    this.subject = null;
    this.datetime = null;
    this.playing = false; // whether time moves by itself
    this.filters = new Map(); // id -> CQL2 text
    this.events = new Map(); // id -> the one event that is shown of the collection
    this.unclassed = new Map(); // id -> whether it has features that fall in none of its style's classes
    this.pending = new Map(); // id -> promise of a style
  }

  attach(engine) {
    this.engine = engine;
    engine.onMove(() => this.emit("move"));
  }

  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** The style document of a collection, fetched once. */
  style(id) {
    if (!this.pending.has(id)) {
      const path = `${collectionPath(id)}/tiles/${this.tileMatrixSet}/style.json`;
      const loading = getJson(address(path, this.styleParameters(id)));
      loading.catch(() => this.pending.delete(id));
      this.pending.set(id, loading);
    }
    return this.pending.get(id);
  }

  async show(id) {
    if (this.shown.has(id)) return;
    const style = await this.style(id);
    if (this.shown.has(id)) return;
    this.shown.set(id, style);
    this.engine.add(style, this.parameters(id));
    if (this.subject === null) this.setSubject(id);
    this.emit("shown");
  }

  hide(id) {
    if (!this.shown.delete(id)) return;
    this.engine.remove(id);
    this.filters.delete(id);
    if (this.subject === id) this.setSubject([...this.shown.keys()][0] ?? null);
    this.emit("shown");
  }

  setSubject(id) {
    if (this.subject === id) return;
    this.subject = id;
    this.emit("subject");
  }

  /** Shows only what lies in an interval `start/end`; null shows all. */
  setDatetime(datetime) {
    if (this.datetime === datetime) return;
    this.datetime = datetime;
    for (const id of this.shown.keys()) this.#refresh(id);
    this.emit("query");
  }

  /** Shows only the features of a collection for which a CQL2 text holds; null shows all. */
  setFilter(id, filter) {
    if ((this.filters.get(id) ?? null) === filter) return;
    if (filter === null) this.filters.delete(id);
    else this.filters.set(id, filter);
    if (this.shown.has(id)) this.#refresh(id);
    this.emit("query");
  }

  /** As setFilter, once the service has taken the text. Returns how many features match, or null. Throws ApiError. */
  async filter(id, text) {
    const matched = await count(id, { filter: text });
    this.setFilter(id, text);
    return matched;
  }

  /** Shows, of a collection and its siblings, only what belongs to one event; null shows all. */
  setEvent(id, event) {
    for (const member of [this.collections.get(id), ...this.siblings(id)]) {
      if (event === null) this.events.delete(member.id);
      else this.events.set(member.id, event);
      if (this.shown.has(member.id)) this.#refresh(member.id);
    }
    this.emit("query");
  }

  /** The query parameters that select what is shown of a collection, for tiles and items alike. */
  parameters(id) {
    const { time, eventKey } = this.collections.get(id);
    const timed = time !== null && this.datetime !== null;
    return {
      datetime: timed ? this.datetime : null,
      "datetime-column": timed && !time.lasts ? time.column : null,
      filter: this.filters.get(id) ?? null,
      ...(this.events.has(id) ? { [eventKey]: this.events.get(id) } : {}),
    };
  }

  /** Collections about the same events: same group, and they share `event_id`. */
  siblings(id) {
    const own = this.collections.get(id);
    if (!own?.eventKey) return [];
    return [...this.collections.values()].filter(
      (other) => other.id !== id && other.group === own.group && other.eventKey === own.eventKey,
    );
  }

  /** Draws anew what has changed at the service. */
  renew(id) {
    if (this.shown.has(id)) this.engine.renew(id);
    this.emit("data", id);
  }

  #refresh(id) {
    this.engine.setParameters(id, this.parameters(id));
  }
}
