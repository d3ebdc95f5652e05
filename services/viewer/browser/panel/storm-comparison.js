// Another storm beside the followed one: its choice, and the facts of both as a table.

import { firstStep, numberOf } from "../model/storm-life.js";
import { element } from "../page/dom.js";
import { address, getItems, messageOf } from "../service/api.js";
import { featureName } from "../words/feature-name.js";
import { inARow, say, withUnit } from "../words/say.js";
import { strengthWords, timeWords } from "../words/storm.js";
import { spanWords } from "../words/time.js";
import { figuresOf, peopleWords } from "./impact-words.js";

/**
 * @import { Explorer } from "../model/explorer.js"
 * @import { Life, Story } from "../model/story.js"
 * @import { Step } from "../model/storm-life.js"
 * @import { Collection, Item, Parameters } from "../types.d.ts"
 */

const LISTED = 60; // storms of a group of the choice

export class StormComparison {
  #explorer;
  #story;
  #choice = element("select", { "aria-label": say("Compare with another storm") });
  #table = element("table");
  #links = element("p", { class: "links" });
  /** @type {Map<string, string>} by event */
  #people = new Map();

  /**
   * @param {Explorer} explorer
   * @param {Story} story
   */
  constructor(explorer, story) {
    this.#explorer = explorer;
    this.#story = story;
    this.#choice.addEventListener("change", () => story.compare(this.#choice.value || null));
    const label = element("label", {}, element("span", { text: say("Compare with another storm") }), this.#choice);
    this.root = element("div", { class: "compare storms" }, label, this.#table, this.#links);
    story.addEventListener("other", () => this.#begin());
  }

  /** Called when another storm is followed. */
  async offer() {
    const { life } = this.#story;
    this.#people.clear();
    this.#choice.replaceChildren(element("option", { value: "", text: say("no other storm") }));
    this.#begin();
    const collection = life && eventsOf(this.#explorer, life);
    if (!life || !collection) return;
    try {
      const groups = await Promise.all(groupsOf(life, collection).map(async ([label, query]) => ({ label, found: await stormsOf(collection, query) })));
      if (this.#story.life !== life) return;
      for (const { label, found } of groups) this.#add(collection, label, found);
      this.#choose();
    } catch (error) {
      this.#explorer.emit("fault", messageOf(error));
    }
  }

  /**
   * @param {Collection} collection
   * @param {string} label
   * @param {Item[]} found
   */
  #add(collection, label, found) {
    const { life } = this.#story;
    const options = found.flatMap((feature) => {
      const event = String(feature.properties[collection.eventKey ?? ""] ?? "");
      return event && event !== life?.event ? [element("option", { value: event, text: featureName(collection, feature) })] : [];
    });
    if (options.length) this.#choice.append(element("optgroup", { label }, ...options));
  }

  /** Marks the compared storm, which a link may name although it is not in the list. */
  #choose() {
    const { other } = this.#story;
    const event = other?.event ?? "";
    if (other && ![...this.#choice.options].some(({ value }) => value === event)) this.#choice.append(element("option", { value: event, text: other.name }));
    this.#choice.value = event;
  }

  async #begin() {
    this.#choose();
    this.show();
    const { life, other } = this.#story;
    if (!life || !other || this.#people.has(other.event)) return;
    const { steps } = life.collections;
    const events = [life, other].map(({ event }) => /** @type {Item} */ ({ type: "Feature", properties: { [steps.eventKey ?? ""]: event }, geometry: null }));
    for (const [event, figure] of await figuresOf(steps, events)) this.#people.set(event, peopleWords(figure));
    if (this.#story.other === other) this.show();
  }

  /** Called when the step has changed. */
  show() {
    const { life, other, step, otherStep } = this.#story;
    this.#table.hidden = this.#links.hidden = other === null;
    if (!life || !other) return this.#people.clear();
    const lives = [life, other];
    const rows = [
      [say("Time"), ...lives.map(({ steps }) => spanWords(steps[0].moment, steps[steps.length - 1].moment))],
      [say("Strongest"), ...lives.map(({ steps }) => strengthWords(steps[strongest(steps)]))],
      [say("Lowest pressure"), ...lives.map(({ steps }) => lowestPressure(steps))],
      [say("Landfalls"), ...lives.map(({ steps }) => landfalls(steps))],
      [say("People"), ...lives.map(({ event }) => this.#people.get(event) ?? "–")],
      [say("On the map"), ...[step, otherStep].map((each) => (each ? inARow([timeWords(each), strengthWords(each)], ", ") : "–"))],
    ];
    const head = ["", ...lives.map(({ name }) => name)].map((text) => (text ? element("th", { scope: "col", text }) : element("td")));
    this.#table.replaceChildren(
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows.map(([title, ...cells]) => element("tr", {}, element("th", { scope: "row", text: title }), ...cells.map((text) => element("td", { text }))))),
    );
    const events = lives.map(({ event }) => event).join();
    this.#links.replaceChildren(element("a", { href: address("/impacts", { events, f: "html" }), text: say("People and land side by side") }));
  }
}

/**
 * The collection with one named feature for each storm; null if there is none.
 * @param {Explorer} explorer
 * @param {Life} life
 */
function eventsOf(explorer, { collections: { steps } }) {
  const members = explorer.siblings(steps.id).filter(({ id, columns, time }) => /events$/.test(id) && time && columns.some(({ name }) => name === "name"));
  return members[0] ?? null;
}

/**
 * The storms that the choice offers: those of the same year, and the strongest of the same basin.
 * @param {Life} life
 * @param {Collection} collection
 * @returns {[string, Parameters][]}
 */
function groupsOf({ steps: [{ moment, properties }] }, { columns, importance }) {
  const year = new Date(moment).getUTCFullYear();
  const basin = properties.basin;
  const { labels = {} } = columns.find(({ name }) => name === "basin") ?? {};
  const sortby = importance;
  /** @type {[string, Parameters][]} */
  const ofBasin = typeof basin === "string" ? [[say("Strongest of the basin {basin}", { basin: say(labels[basin] ?? basin) }), { basin, sortby }]] : [];
  return [[say("Storms of {year}", { year: String(year) }), { datetime: `${year}-01-01/${year}-12-31`, sortby }], ...ofBasin];
}

/**
 * @param {Collection} collection
 * @param {Parameters} query
 */
async function stormsOf({ id }, query) {
  return (await getItems(id, { ...query, limit: LISTED, "bbox-only": true, numberMatched: false })).features;
}

/** @param {Step[]} steps */
const strongest = (steps) => firstStep(steps.map((step) => ({ ...step, expected: false })));

/** @param {Step[]} steps */
function lowestPressure(steps) {
  const known = steps.flatMap(({ properties }) => numberOf(properties.pressure_hpa) ?? []);
  return known.length ? withUnit(String(Math.min(...known)), "hPa") : "–";
}

/** @param {Step[]} steps */
function landfalls(steps) {
  const found = steps.filter(({ landfall }) => landfall !== null);
  const places = [...new Set(found.map(({ landfall }) => landfall).filter(Boolean))];
  return found.length ? inARow([String(found.length), places.join(", ")], ": ") : "–";
}
