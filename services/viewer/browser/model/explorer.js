// The state of the map: its collections, time and filters. Parts of the page listen to its events.

import { withVersion } from "../cartography/style-document.js";
import { count, messageOf } from "../service/api.js";
import { faded } from "./faded.js";
import { parametersOf, pastOf } from "./parameters.js";
import { Styles } from "./styles.js";
import { Together } from "./together.js";
import { Totals } from "./totals.js";

/**
 * @import { Area, Collection, Engine, Parameters, Style } from "../types.d.ts"
 * @import { Total } from "./totals.js"
 */

class ExplorerEvent extends Event {
  /**
   * @param {string} name
   * @param {string} [detail]
   */
  constructor(name, detail) {
    super(name);
    this.detail = detail;
  }
}

/**
 * Events: `shown` (collections on the map changed), `subject` (the collection that list and timeline are about),
 * `query` (time, area, filter or event changed), `move` (the view changed), `data` (a collection's data changed; detail: its
 * id), `classes` (it is known which classes a collection's features fall in), `fault` (detail: a sentence).
 */
export class Explorer extends EventTarget {
  /** @type {Engine | null} */
  #engine = null;
  /** @type {Together | null} */
  #together = null;
  /**
   * Style documents by collection id, as they are drawn.
   * @type {Map<string, Promise<Style>>}
   */
  #styles = new Map();
  #totals = new Totals();

  /** @param {{ collections: Collection[], tileMatrixSet: string, styleParameters: (id: string) => Parameters }} page */
  constructor({ collections, tileMatrixSet, styleParameters }) {
    super();
    this.collections = new Map(collections.map((collection) => [collection.id, collection]));
    this.tileMatrixSet = tileMatrixSet;
    this.styleParameters = styleParameters;
    this.styles = new Styles(tileMatrixSet, (id) => this.styleParameters(id));
    /** @type {Map<string, Style>} */
    this.shown = new Map();
    /** @type {string | null} */
    this.subject = null;
    /** @type {string | null} */
    this.datetime = null;
    /**
     * The past time whose state is shown (RFC 3339); null for the present.
     * @type {string | null}
     */
    this.asOf = null;
    /** @type {Area | null} */
    this.area = null;
    /** Whether the time player is running. */
    this.playing = false;
    /**
     * CQL2 texts by collection id.
     * @type {Map<string, string>}
     */
    this.filters = new Map();
    /**
     * The searches as CQL2 text, by collection id.
     * @type {Map<string, string>}
     */
    this.searches = new Map();
    /**
     * The only events that are shown of a collection, by its id. Siblings share one list.
     * @type {Map<string, string[]>}
     */
    this.events = new Map();
    /**
     * The totals of collections, by collection id, for those whose legend depends on them.
     * @type {Map<string, Total>}
     */
    this.known = new Map();
  }

  /** @param {Engine} engine */
  attach(engine) {
    this.#engine = engine;
    this.#together = new Together(engine, this.tileMatrixSet, (ids) => this.styles.templateOf(ids));
    engine.onTogetherFault?.(() => this.separate());
    engine.onMove(() => this.emit("move"));
  }

  /** The collections that are drawn from shared tiles; throws before there is an engine. */
  get together() {
    if (!this.#together) throw new Error("the map is not there yet");
    return this.#together;
  }

  /** The engine that draws the map; throws before there is one. */
  get engine() {
    if (!this.#engine) throw new Error("the map is not there yet");
    return this.#engine;
  }

  /**
   * @param {string} name
   * @param {string} [detail]
   */
  emit(name, detail) {
    this.dispatchEvent(new ExplorerEvent(name, detail));
  }

  /**
   * Calls `listener` with the detail of an event.
   * @param {"data" | "fault"} name
   * @param {(detail: string) => void} listener
   */
  on(name, listener) {
    this.addEventListener(name, (event) => {
      if (event instanceof ExplorerEvent && event.detail !== undefined) listener(event.detail);
    });
  }

  /**
   * The description of a collection. Throws if there is none with this id.
   * @param {string} id
   */
  collection(id) {
    const found = this.collections.get(id);
    if (!found) throw new Error(`there is no collection ${id}`);
    return found;
  }

  /** The collection that list, timeline and filter are about, or null. */
  subjectCollection() {
    return this.subject === null ? null : this.collection(this.subject);
  }

  /**
   * The style document of a collection, fetched once.
   * @param {string} id
   * @returns {Promise<Style>}
   */
  style(id) {
    const before = this.#styles.get(id);
    if (before) return before;
    const loading = this.styles.of(id).then((style) => faded(style, this.collection(id), Date.now()));
    loading.catch(() => this.#styles.delete(id));
    this.#styles.set(id, loading);
    return loading;
  }

  /**
   * Asks for the styles of collections in one request, where they are not there.
   * @param {string[]} ids
   */
  prepare(ids) {
    this.styles.prepare(ids.filter((id) => this.collections.get(id)?.geometryType));
  }

  /**
   * The totals of all features of a collection, requested after the first tile of data. Throws ApiError.
   * @param {string} id
   */
  async total(id) {
    await this.engine.asked?.();
    return this.#totals.of(this.collection(id), this.shown.get(id));
  }

  /** @param {string} id */
  async show(id) {
    if (this.shown.has(id)) return;
    const style = await this.style(id);
    if (this.shown.has(id)) return;
    this.shown.set(id, style);
    this.engine.add(style, this.parameters(id));
    if (this.subject === null) this.setSubject(id);
    this.emit("shown");
  }

  /**
   * Shows collections, as many as possible from shared tiles. It announces what fails and shows the rest.
   * @param {string[]} ids
   */
  async showAll(ids) {
    const styles = await this.#stylesOf(ids);
    for (const [id, style] of styles) this.shown.set(id, style);
    const plain = new Map([...styles].filter(([id]) => this.isPlain(id)));
    const joined = await this.together.add(plain, () => ({ datetime: this.datetime }), (id) => this.shown.has(id) && this.isPlain(id));
    for (const [id, style] of styles) {
      if (this.shown.has(id) && !joined.includes(id)) this.engine.add(style, this.parameters(id));
    }
    // the requests of legend, list and timeline would occupy the browser's six connections
    await this.engine.asked?.();
    if (this.subject === null) this.setSubject([...this.shown.keys()][0] ?? null);
    if (styles.size) this.emit("shown");
  }

  /** @param {string[]} ids */
  async #stylesOf(ids) {
    /** @type {Map<string, Style>} */
    const found = new Map();
    const wanted = ids.filter((id) => !this.shown.has(id));
    this.prepare(wanted);
    const loading = await Promise.allSettled(wanted.map((id) => this.style(id)));
    loading.forEach((outcome, at) => {
      if (outcome.status === "fulfilled") found.set(wanted[at], outcome.value);
      else this.emit("fault", `${this.collection(wanted[at]).label}: ${messageOf(outcome.reason)}`);
    });
    return found;
  }

  /**
   * Whether the time is the only filter on a collection.
   * @param {string} id
   */
  isPlain(id) {
    const { datetime: _, ...others } = this.parameters(id);
    return Object.values(others).every((value) => value === null) && !Object.keys(this.styleParameters(id)).length;
  }

  /** Draws each collection from its own tiles, so that a failure of one does not affect the others. */
  separate() {
    for (const id of this.together.ids) this.#leave(id);
  }

  /** @param {string} id */
  #leave(id) {
    const style = this.shown.get(id);
    if (this.together.remove(id) && style) this.engine.add(style, this.parameters(id));
  }

  /** @param {string} id */
  hide(id) {
    if (!this.shown.delete(id)) return;
    if (!this.together.remove(id)) this.engine.remove(id);
    // the tiles on the map still contain the collection; new tiles need not
    else this.together.renew().catch(() => {});
    this.filters.delete(id);
    this.searches.delete(id);
    if (this.subject === id) this.setSubject([...this.shown.keys()][0] ?? null);
    this.emit("shown");
  }

  /** @param {string | null} id */
  setSubject(id) {
    if (this.subject === id) return;
    this.subject = id;
    this.emit("subject");
  }

  /**
   * Shows only features in an interval `start/end`; null shows all.
   * @param {string | null} datetime
   */
  setDatetime(datetime) {
    if (this.datetime === datetime) return;
    this.datetime = datetime;
    for (const id of this.shown.keys()) if (!this.together.has(id) || !this.isPlain(id)) this.#refresh(id);
    this.together.setParameters({ datetime });
    this.emit("query");
  }

  /**
   * Shows the data as they were known at a past time (RFC 3339); null shows the present.
   * @param {string | null} asOf
   */
  setAsOf(asOf) {
    if (this.asOf === asOf) return;
    this.asOf = asOf;
    for (const id of this.collections.keys()) this.#totals.forget(id);
    for (const id of this.shown.keys()) {
      this.#refresh(id);
      if (this.collection(id).history) this.emit("data", id);
    }
    this.emit("query");
  }

  /**
   * The past time that requests for a collection ask for; null for the present.
   * @param {string} id
   */
  pastOf(id) {
    return pastOf(this, id);
  }

  /**
   * Shows only features in an area; null shows all.
   * @param {Area | null} area
   */
  setArea(area) {
    if (JSON.stringify(this.area) === JSON.stringify(area)) return;
    this.area = area;
    for (const id of this.shown.keys()) this.#refresh(id);
    this.emit("query");
  }

  /**
   * Shows only the features of a collection for which a CQL2 text holds; null shows all.
   * @param {string} id
   * @param {string | null} filter
   */
  setFilter(id, filter) {
    if ((this.filters.get(id) ?? null) === filter) return;
    if (filter === null) this.filters.delete(id);
    else this.filters.set(id, filter);
    if (this.shown.has(id)) this.#refresh(id);
    this.emit("query");
  }

  /**
   * Shows only the features of a collection that a search finds; null shows all.
   * @param {string} id
   * @param {string | null} search CQL2 text
   */
  setSearch(id, search) {
    if ((this.searches.get(id) ?? null) === search) return;
    if (search === null) this.searches.delete(id);
    else this.searches.set(id, search);
    if (this.shown.has(id)) this.#refresh(id);
    this.emit("query");
  }

  /**
   * As setFilter, once the service has taken the text. Returns how many features match, or null. Throws ApiError.
   * @param {string} id
   * @param {string} text
   */
  async filter(id, text) {
    const matched = await count(id, { filter: text });
    this.setFilter(id, text);
    return matched;
  }

  /**
   * Shows, of a collection and its siblings, only what belongs to these events; none shows all.
   * @param {string} id
   * @param {string[]} events
   */
  setEvents(id, events) {
    for (const member of [this.collection(id), ...this.siblings(id)]) {
      if (!events.length) this.events.delete(member.id);
      else this.events.set(member.id, events);
      if (this.shown.has(member.id)) this.#refresh(member.id);
    }
    this.emit("query");
  }

  /**
   * The query parameters that select the shown features of a collection, for tiles and for items.
   * @param {string} id
   * @param {{ searched?: boolean }} [options] `false` leaves out the search, for callers that add it themselves
   */
  parameters(id, options) {
    return parametersOf(this, id, options);
  }

  /**
   * Collections about the same events: same group, and they share the property that names the event.
   * @param {string} id
   */
  siblings(id) {
    const own = this.collections.get(id);
    if (!own?.eventKey) return [];
    return [...this.collections.values()].filter(
      (other) => other.id !== id && other.group === own.group && other.eventKey === own.eventKey,
    );
  }

  /**
   * Redraws the collections whose data changed at the service, and remembers the new versions.
   * @param {Map<string, string | undefined>} changed versions by collection id
   */
  renew(changed) {
    this.styles.forgetTemplate();
    for (const [id, version] of changed) {
      const source = /** @type {{ tiles?: string[] } | undefined} */ (this.shown.get(id)?.sources?.[id]);
      if (source?.tiles) source.tiles = source.tiles.map((template) => withVersion(template, version));
      if (this.shown.has(id) && !this.together.has(id)) this.engine.renew(id, version);
    }
    if ([...changed.keys()].some((id) => this.together.has(id))) this.together.renew().catch(() => this.separate());
    for (const id of changed.keys()) {
      this.#totals.forget(id);
      this.emit("data", id);
    }
  }

  /** @param {string} id */
  #refresh(id) {
    if (this.together.has(id)) this.#leave(id);
    else this.engine.setParameters(id, this.parameters(id));
  }
}
