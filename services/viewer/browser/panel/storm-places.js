// The places within the current wind zone, and its downloads. The first request needs a click. Later the list follows
// the step, after the user stops moving it.

import { bboxOf } from "../cartography/geometry.js";
import { zoneRing } from "../model/storm-drawing.js";
import { areaText, zoneItem } from "../model/storm-zone.js";
import { debounced } from "../page/debounced.js";
import { element } from "../page/dom.js";
import { viewPadding } from "../page/layout.js";
import { address, getJson, isAbort, itemAddress, messageOf } from "../service/api.js";
import { formatNumber } from "../words/format.js";
import { inARow, LANGUAGE, say, sayMany } from "../words/say.js";
import { forceWords } from "../words/storm.js";

/**
 * @import { Explorer } from "../model/explorer.js"
 * @import { Story } from "../model/story.js"
 * @import { Item, Position } from "../types.d.ts"
 * @typedef {{ features: { geometry: { coordinates: Position }, properties: { name: string, province: string | null, country: string | null, people: number | null } }[], numberMatched: number }} Places
 */

const LISTED = 12;
const LEAST = 1000; // people, of places that are known

export class StormPlaces {
  #story;
  #button = element("button", { type: "button", class: "wide", "aria-expanded": "false" });
  #told = element("p", { role: "status" });
  #list = element("ol");
  #downloads = element("p", { class: "links" });
  #separator = element(
    "select",
    {},
    ...["comma", "semicolon", "tab"].map((value) => element("option", { value, text: say(value) })),
  );
  #isOpen = false;
  #asked = "";
  /** @type {AbortController | null} */
  #loading = null;
  #soon = debounced(() => this.#load(), 300);

  /**
   * @param {Explorer} explorer
   * @param {Story} story
   */
  constructor(explorer, story) {
    this.#story = story;
    this.#button.addEventListener("click", () => {
      this.#isOpen = !this.#isOpen;
      this.show();
      const ring = zoneRing(story.step, story.wind);
      if (this.#isOpen && ring) explorer.engine.fit(bboxOf({ type: "LineString", coordinates: ring }), viewPadding());
    });
    this.#separator.value = ["es", "fr"].includes(LANGUAGE) ? "semicolon" : "comma";
    this.root = element("div", { class: "places" }, this.#button, this.#told, this.#list, this.#downloads);
  }

  forget() {
    this.#isOpen = false;
    this.#asked = "";
  }

  /** Called when the step, wind or advisory has changed. */
  show() {
    const { step, wind } = this.#story;
    const ring = zoneRing(step, wind);
    this.#button.hidden = ring === null;
    this.#button.textContent = this.#isOpen ? say("Hide the places") : say("Places within {wind}", { wind: forceWords(wind) });
    this.#button.setAttribute("aria-expanded", String(this.#isOpen));
    const isShown = this.#isOpen && ring !== null;
    for (const part of [this.#told, this.#list, this.#downloads]) part.hidden = !isShown;
    if (isShown) this.#soon();
  }

  async #load() {
    const { life, step, wind } = this.#story;
    const ring = zoneRing(step, wind);
    if (!life || !step || !ring) return;
    const area = areaText(ring);
    if (area === this.#asked) return;
    this.#asked = area;
    this.#loading?.abort();
    const { signal } = (this.#loading = new AbortController());
    this.root.setAttribute("aria-busy", "true");
    try {
      const [places, zone] = await Promise.all([
        getJson(address("/places/within", { area, limit: LISTED, f: "geojson" }), { signal }),
        zoneItem(life, step, wind, signal).catch(() => null),
      ]);
      if (signal.aborted) return;
      this.#fill(places, zone, area);
    } catch (error) {
      if (isAbort(error)) return;
      this.#asked = "";
      this.#told.textContent = messageOf(error);
    }
    this.root.removeAttribute("aria-busy");
  }

  /**
   * @param {Places} places
   * @param {Item | null} zone
   * @param {string} area
   */
  #fill({ features, numberMatched }, zone, area) {
    const people = zone?.properties.population_in_places;
    const more = numberMatched - features.length;
    const places = sayMany("{number} place of about {people} people and more", "{number} places of about {people} people and more", numberMatched, { people: LEAST });
    const living = typeof people === "number" && say("at least {number} people in them", { number: people });
    this.#told.textContent = numberMatched ? inARow([places, living], "; ") : say("No place with {people} or more people", { people: LEAST });
    this.#list.replaceChildren(
      ...features.map(({ properties: { name, province, country, people: each } }) =>
        element(
          "li",
          {},
          element("span", { text: name }),
          element("small", { text: [...new Set([province, country])].filter((part) => part && part !== name).join(", ") }),
          element("b", { text: each === null ? "" : formatNumber(each) }),
        ),
      ),
      ...(more > 0 ? [element("li", { class: "empty", text: sayMany("and {number} smaller one", "and {number} smaller ones", more) })] : []),
    );
    const link = (/** @type {string} */ text, /** @type {string} */ href, /** @type {string} */ file) => element("a", { text, href, download: file });
    const { event, collections } = /** @type {import("../model/story.js").Life} */ (this.#story.life);
    const within = (/** @type {string} */ f) => {
      const separator = f === "csv" && this.#separator.value !== "comma" ? this.#separator.value : null;
      return address("/places/within", { area, limit: Math.max(1, numberMatched), f, separator });
    };
    const lines = link(say("Places as CSV"), within("csv"), `${event}-places.csv`);
    this.#separator.onchange = () => (lines.href = within("csv"));
    const separated = element("label", {}, `${say("Separator")} `, this.#separator);
    this.#downloads.replaceChildren(
      ...(numberMatched ? [lines, link(say("as GeoJSON"), within("geojson"), `${event}-places.geojson`)] : []),
      ...(zone && collections.zones ? [link(say("Zone as GeoJSON"), itemAddress(collections.zones.id, zone.id ?? "", "geojson"), `${event}-zone.geojson`)] : []),
      ...(numberMatched ? [separated] : []),
    );
  }
}
