// The followed storm. Its life is fetched once; then the user chooses the step, wind and advisory from the fetched
// data. Parts of the page listen to its events.

import { pathLength } from "../cartography/geodesic.js";
import { getItems, messageOf } from "../service/api.js";
import { pairOf, pairsOf } from "./deep-link.js";
import { presentColumns, stormCollections } from "./storm-collections.js";
import { advisoriesOf, firstStep, lifeOf, nextTo, STEP_COLUMNS } from "./storm-life.js";

/**
 * @import { Collection, Item, Position } from "../types.d.ts"
 * @import { State } from "../page/link.js"
 * @import { Explorer } from "./explorer.js"
 * @import { StormCollections } from "./storm-collections.js"
 * @import { Advisory, Step } from "./storm-life.js"
 * @typedef {object} Life
 * @property {string} id the collection that the event was chosen in
 * @property {string} event
 * @property {string} name
 * @property {StormCollections} collections
 * @property {Step[]} steps
 * @property {Advisory[]} advisories the oldest first
 */

const MOST = 10000; // features that the service gives on a page
const HURRICANE = 64; // kt
const METRES_PER_PIXEL = 78271.517; // at the equator, of a world 512 pixels wide
const NEAR = 12; // pixels

/** Events: `life` (another storm is followed, or none), `other` (another one is compared, or none), `look` (another step, wind or advisory is looked at). */
export class Story extends EventTarget {
  #explorer;
  /**
   * @type {{ id: string, event: string, state: State, see: boolean } | null} the storm being fetched, and the state to
   * show then
   */
  #loading = null;
  #loaded = Promise.resolve();
  /** @type {Life | null} */
  life = null;
  /** The number of the step that is looked at. */
  at = 0;
  /** The wind whose zone is looked at, in kt. */
  wind = HURRICANE;
  /** @type {Advisory | null} the advisory that is compared with what happened */
  advisory = null;
  #isBeginning = false;
  /**
   * The storm that is compared with the followed one.
   * @type {Life | null}
   */
  other = null;
  /**
   * @type {string | null} the event that is compared, also while its life is being fetched
   */
  #compared = null;
  /** Whether the map must zoom to the storm's whole life. */
  isToBeSeen = true;
  /**
   * The zones of all of an advisory, by its time.
   * @type {Map<string, Item[]>}
   */
  #zones = new Map();
  #asOf;

  /** @param {Explorer} explorer */
  constructor(explorer) {
    super();
    this.#explorer = explorer;
    this.#asOf = explorer.asOf;
    explorer.addEventListener("query", () => {
      this.#followEvent();
      this.#followAsKnown();
    });
  }

  /** The step that is looked at. */
  get step() {
    return this.life?.steps[this.at] ?? null;
  }

  /** Whether the map hides the other features of the storm's collections. */
  get isAlone() {
    return this.life !== null && [this.life, ...(this.other ? [this.other] : [])].every(({ event }) => this.isShownAlone(event));
  }

  /** The step of the compared storm at the moment that is looked at; if it was at another time, its strongest. */
  get otherStep() {
    const [steps, moment] = [this.other?.steps ?? [], this.step?.moment];
    if (!steps.length || moment === undefined) return null;
    const isThen = moment >= steps[0].moment && moment <= steps[steps.length - 1].moment;
    return steps[isThen ? nextTo(steps, moment) : firstStep(steps)];
  }

  /** @param {string} event */
  isShownAlone(event) {
    return [...this.#explorer.events.values()].some((events) => events.includes(event));
  }

  /** The zones of all of the advisory that is compared, as far as they are there. */
  get expectedZones() {
    return (this.advisory && this.#zones.get(this.advisory.issued)) ?? [];
  }

  /**
   * Whether a collection has the data for following a storm.
   * @param {string} id of a collection that tells of it
   */
  tells(id) {
    return stormCollections(this.#explorer.collections, id) !== null;
  }

  /**
   * Follows an event; does nothing if it is followed already. Announces what fails.
   * @param {string} id of a collection that tells of it
   * @param {string} event
   * @param {State} [state] the step, wind and advisory to look at, as a link says it
   * @param {{ see?: boolean }} [options] whether the map is to show all of it
   */
  async follow(id, event, state = {}, { see = true } = {}) {
    const collections = stormCollections(this.#explorer.collections, id);
    if (!collections) return;
    if (this.#loading?.event === event) {
      Object.assign(this.#loading.state, state);
      this.#loading.see &&= see;
    } else if (this.life?.event === event && this.life.collections.steps.id === collections.steps.id) {
      this.#loading = null;
      this.#look(state);
    } else {
      this.#loaded = this.#load({ id, event, state: { ...state }, see }, collections);
      await this.#loaded;
    }
  }

  /**
   * @param {{ id: string, event: string, state: State, see: boolean }} wanted
   * @param {StormCollections} collections
   */
  async #load(wanted, collections) {
    this.#loading = wanted;
    this.#compared = null;
    try {
      const life = await lifeStory(wanted.id, wanted.event, collections);
      if (this.#loading !== wanted) return;
      this.#loading = null;
      if (!life.steps.length) return this.end();
      this.#zones.clear();
      Object.assign(this, { life, other: null, advisory: null, wind: firstWind(life), at: firstStep(life.steps), isToBeSeen: wanted.see });
      this.#isBeginning = true;
      this.#look(wanted.state);
      this.#isBeginning = false;
      this.#emit("life");
    } catch (error) {
      if (this.#loading !== wanted) return;
      this.#loading = null;
      this.#explorer.emit("fault", messageOf(error));
    }
  }

  /**
   * Compares the followed storm with another one; null compares with none. Announces what fails.
   * @param {string | null} event
   * @param {{ see?: boolean }} [options] whether the map is to show both
   */
  async compare(event, { see = true } = {}) {
    const { life } = this;
    if (!life || event === life.event || event === this.#compared) return;
    this.#compared = event;
    try {
      const other = event === null ? null : await lifeStory(life.id, event, life.collections);
      if (this.#compared !== event || this.life !== life) return;
      this.other = other?.steps.length ? other : null;
      this.#compared = this.other?.event ?? null;
      this.isToBeSeen = see && this.other !== null;
      this.#emit("other");
    } catch (error) {
      if (this.#compared !== event) return;
      this.#compared = null;
      this.#explorer.emit("fault", messageOf(error));
    }
  }

  end() {
    this.#loading = null;
    this.#compared = null;
    this.other = null;
    if (!this.life) return;
    this.life = null;
    this.advisory = null;
    this.#emit("life");
  }

  /**
   * Looks at the step with a number; the first or last where there is none.
   * @param {number} at
   */
  setStep(at) {
    const last = (this.life?.steps.length ?? 0) - 1;
    const wanted = Math.max(0, Math.min(last, at));
    if (wanted === this.at) return;
    this.at = wanted;
    this.#emit("look");
  }

  /**
   * Looks at the step next to a moment.
   * @param {number} moment milliseconds since 1970
   */
  setMoment(moment) {
    if (this.life) this.setStep(nextTo(this.life.steps, moment));
  }

  /**
   * Looks at the step that was pointed at; false where none is near.
   * @param {Position} position
   * @param {number} zoom
   */
  pick(position, zoom) {
    const pixel = (METRES_PER_PIXEL * Math.cos((position[1] * Math.PI) / 180)) / 2 ** zoom;
    const away = (this.life?.steps ?? []).map((step) => pathLength([position, step.position]) / pixel);
    const least = Math.min(...away);
    if (!(least < NEAR)) return false;
    this.setStep(away.indexOf(least));
    return true;
  }

  /** @param {number} wind kt */
  setWind(wind) {
    if (wind === this.wind) return;
    this.wind = wind;
    this.#emit("look");
  }

  /**
   * Compares with what an advisory expected; null compares with none.
   * @param {string | null} issued
   */
  setAdvisory(issued) {
    const found = this.life?.advisories.find((each) => each.issued === issued) ?? null;
    if (found === this.advisory) return;
    this.advisory = found;
    this.#emit("look");
    this.#loadZones();
  }

  /**
   * The parts of a link for the chosen step, wind and advisory; null for each that has its default.
   * @returns {Record<"follow" | "with" | "step" | "wind" | "issue", string | null>}
   */
  state() {
    const { life, step } = this;
    const followed = this.#loading ?? life;
    return {
      follow: followed && !this.isShownAlone(followed.event) ? `${followed.id}/${followed.event}` : null,
      with: this.#compared && !this.isShownAlone(this.#compared) ? this.#compared : null,
      step: step && this.at !== firstStep(life?.steps ?? []) ? shortText(step.moment) : null,
      wind: life && this.wind !== firstWind(life) ? String(this.wind) : null,
      issue: this.advisory ? shortText(this.advisory.moment) : null,
    };
  }

  /**
   * Follows what a link says, or nothing.
   * @param {State} state
   */
  async restore(state) {
    const [first, second] = pairsOf(state.e);
    const wanted = pairOf(state.follow) ?? first;
    if (!wanted) return this.end();
    await this.follow(...wanted, { step: "", wind: "", issue: "", ...state }, { see: !state.map });
    await this.#loaded;
    await this.compare(state.with ?? (state.follow ? null : (second?.[1] ?? null)), { see: !state.map });
  }

  /**
   * Chooses the step, wind and advisory of a link; an empty text means the default.
   * @param {State} state
   */
  #look({ step, wind, issue }) {
    const { steps, advisories } = this.life ?? { steps: [], advisories: [] };
    if (step !== undefined) {
      const moment = Date.parse(step);
      this.setStep(Number.isFinite(moment) ? nextTo(steps, moment) : firstStep(steps));
    }
    if (wind !== undefined && this.life) this.setWind(Number(wind) > 0 ? Number(wind) : firstWind(this.life));
    if (issue !== undefined) this.setAdvisory(advisories.find(({ moment }) => moment === Date.parse(issue))?.issued ?? null);
  }

  /** One event alone is followed, and no longer when all are shown again. */
  #followEvent() {
    const [alone] = this.#explorer.events;
    if (alone && !alone[1].includes(this.life?.event ?? "")) this.follow(alone[0], alone[1][0]);
  }

  /** Loads the followed storms again, as they were known at another time; leaves them if they were not known. */
  async #followAsKnown() {
    if (this.#asOf === this.#explorer.asOf) return;
    this.#asOf = this.#explorer.asOf;
    const { life, other } = this;
    if (!life) return;
    const { step, wind, issue } = this.state();
    const state = { step: step ?? "", wind: wind ?? "", issue: issue ?? "" };
    await this.#load({ id: life.id, event: life.event, state, see: false }, life.collections);
    if (other && this.life?.event === life.event) await this.compare(other.event, { see: false });
  }

  async #loadZones() {
    const { life, advisory } = this;
    if (!life?.collections.zones || !advisory || this.#zones.has(advisory.issued)) return;
    const { zones } = life.collections;
    try {
      const query = { [zones.eventKey ?? ""]: life.event, advisory_time: advisory.issued, scope: "whole" };
      const { features } = await getItems(zones.id, { ...query, properties: presentColumns(zones, ["wind_speed_kt", "kind"]), limit: 20 });
      this.#zones.set(advisory.issued, features);
      if (this.advisory === advisory) this.#emit("look");
    } catch (error) {
      this.#explorer.emit("fault", messageOf(error));
    }
  }

  /** @param {"life" | "other" | "look"} name */
  #emit(name) {
    if (name === "life" || (this.life && !this.#isBeginning)) this.dispatchEvent(new Event(name));
  }
}

/**
 * @param {string} id
 * @param {string} event
 * @param {StormCollections} collections
 * @returns {Promise<Life>}
 */
async function lifeStory(id, event, collections) {
  const { steps, advisories } = collections;
  const [nodes, advised] = await Promise.all([steps, advisories].map(async (collection) => {
    if (!collection) return [];
    const query = { [collection.eventKey ?? ""]: event, properties: presentColumns(collection, STEP_COLUMNS), limit: MOST };
    return (await getItems(collection.id, query)).features;
  }));
  const issued = advisoriesOf(advised);
  return { id, event, name: nameOf([...nodes, ...advised], steps) ?? event, collections, steps: lifeOf(nodes, issued), advisories: issued };
}

/**
 * The name of a storm, else the name of its basin; null if the data have neither.
 * @param {Item[]} nodes
 * @param {Collection} collection
 */
function nameOf(nodes, { columns }) {
  const [name, basin] = ["name", "basin"].map((column) => nodes.map(({ properties }) => properties[column]).find((value) => typeof value === "string" && value));
  const labels = columns.find((column) => column.name === "basin")?.labels ?? {};
  if (name) return String(name);
  return basin ? `${labels[String(basin)] ?? basin} storm` : null;
}

/**
 * The wind whose zone is looked at first: that of a hurricane, else the strongest that is known of the storm.
 * @param {Life} life
 */
function firstWind({ steps }) {
  const known = steps.flatMap(({ winds }) => [...(winds?.radii.keys() ?? [])]);
  return !known.length || known.includes(HURRICANE) ? HURRICANE : Math.max(...known);
}

/**
 * A moment to the minute, as short as it can be read again.
 * @param {number} moment
 */
const shortText = (moment) => `${new Date(moment).toISOString().slice(0, 16)}Z`;
