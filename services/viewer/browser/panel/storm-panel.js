// The followed storm in words: the current step, the extent of its winds, and the forecasts for it.

import { difference } from "../model/storm-drawing.js";
import { numberOf } from "../model/storm-life.js";
import { stormPalette } from "../model/storm-palette.js";
import { element } from "../page/dom.js";
import { address } from "../service/api.js";
import { formatPosition } from "../words/coordinates.js";
import { lengthText } from "../words/measures.js";
import { inARow, say, withUnit } from "../words/say.js";
import { advisoryWords, forceWords, statusWords, strengthWords, timeWords, windWords, zoneWords } from "../words/storm.js";
import { spanWords } from "../words/time.js";
import { StormComparison } from "./storm-comparison.js";
import { StormPlaces } from "./storm-places.js";

/**
 * @import { Explorer } from "../model/explorer.js"
 * @import { Story, Life } from "../model/story.js"
 */

export class StormPanel {
  #story;
  #explorer;
  #title = element("h2");
  #span = element("p", { class: "muted" });
  #time = element("select", { "aria-label": say("At") });
  #state = element("p", { class: "state" });
  #winds = element("fieldset", {}, element("legend", { text: say("Winds of at least") }));
  #zone = element("p", { class: "muted" });
  #issue = element("select", { "aria-label": say("Compare with the advisory of") });
  #compare = element("div", { class: "compare" }, element("label", {}, element("span", { text: say("Compare with the advisory of") }), this.#issue));
  #compared = element("p", { class: "muted" });
  #legend = element("p", { class: "lines", hidden: true });
  #alone = element("button", { type: "button", text: say("Only this storm") });
  #links = element("p", { class: "links" });
  #places;
  #comparison;

  /**
   * @param {HTMLElement} root
   * @param {Explorer} explorer
   * @param {Story} story
   * @param {(offered: boolean) => void} offer whether the panel has something to show
   */
  constructor(root, explorer, story, offer) {
    this.#story = story;
    this.#explorer = explorer;
    this.#places = new StormPlaces(explorer, story);
    this.#comparison = new StormComparison(explorer, story);
    this.#legend.append(key("line"), say("what happened"), " ", key("line dashed"), say("what was expected"));
    this.#time.addEventListener("change", () => story.setStep(this.#time.selectedIndex));
    this.#alone.addEventListener("click", () => this.#showAlone());
    const followAlone = () => {
      this.#alone.hidden = story.isAlone;
      this.#alone.textContent = story.other ? say("Only these storms") : say("Only this storm");
    };
    explorer.addEventListener("query", followAlone);
    story.addEventListener("other", followAlone);
    this.#issue.addEventListener("change", () => story.setAdvisory(this.#issue.value || null));
    this.#compare.append(this.#stepButtons());
    root.append(
      element("header", {}, element("div", {}, this.#title, this.#span), this.#alone),
      element("label", {}, element("span", { text: say("At") }), this.#time),
      this.#state,
      this.#winds,
      this.#zone,
      this.#places.root,
      this.#compare,
      this.#compared,
      this.#legend,
      this.#comparison.root,
      this.#links,
    );
    story.addEventListener("life", () => {
      this.#begin();
      offer(story.life !== null);
    });
    story.addEventListener("look", () => this.#show());
  }

  #begin() {
    const { life } = this.#story;
    this.#places.forget();
    this.#comparison.offer();
    if (!life) return;
    this.#title.textContent = life.name;
    this.#alone.hidden = this.#story.isAlone;
    this.#span.textContent = spanWords(life.steps[0].moment, life.steps[life.steps.length - 1].moment);
    this.#time.replaceChildren(...life.steps.map((step) => element("option", { text: inARow([timeWords(step), windWords(step)], ", ") })));
    this.#issue.replaceChildren(
      element("option", { value: "", text: say("no advisory") }),
      ...life.advisories.map((advisory) => element("option", { value: advisory.issued, text: advisoryWords(advisory) })),
    );
    this.#compare.hidden = !life.advisories.length;
    this.#offerWinds(life);
    this.#links.replaceChildren(
      element("a", { href: address(`/events/${encodeURIComponent(life.event)}`, { f: "html" }), text: say("Everything about this event") }),
      element("a", { href: address(`/events/${encodeURIComponent(life.event)}`, { f: "geojson" }), download: `${life.event}.geojson`, text: say("Download all") }),
    );
    this.#show();
  }

  #showAlone() {
    const { life, other } = this.#story;
    if (life) this.#explorer.setEvents(life.id, [life.event, ...(other ? [other.event] : [])]);
  }

  /** @param {Life} life */
  async #offerWinds(life) {
    const speeds = [...new Set(life.steps.flatMap(({ winds }) => [...(winds?.radii.keys() ?? [])]))].sort((a, b) => a - b);
    this.#winds.hidden = !speeds.length;
    const swatches = speeds.map(() => element("i", { "aria-hidden": "true" }));
    const choices = speeds.map((speed, at) => {
      const input = element("input", { type: "radio", name: "storm-wind", value: speed });
      input.addEventListener("change", () => this.#story.setWind(speed));
      return element("label", { title: forceWords(speed) }, input, swatches[at], withUnit(speed, "kt"));
    });
    this.#winds.replaceChildren(/** @type {Node} */ (this.#winds.firstChild), ...choices);
    const palette = await stormPalette(this.#explorer, life.collections).catch(() => null);
    if (palette) speeds.forEach((speed, at) => swatches[at].style.setProperty("background", palette.zone(speed)));
  }

  #show() {
    const { life, step, at, wind, advisory } = this.#story;
    if (!life || !step) return;
    this.#time.selectedIndex = at;
    const { gust_kt: gust } = step.properties;
    // the winds of advisories differ from those of the analysis after the storm, which titles have
    const source = typeof step.properties.advisory_time === "string" && say("by the advisory of the time");
    const told = [strengthWords(step), source, numberOf(gust) !== null && say("gusts {speed}", { speed: withUnit(numberOf(gust) ?? "", "kt") }), statusWords(step), formatPosition(step.position)];
    this.#state.replaceChildren(inARow(told), ...(step.landfall === null ? [] : [" ", element("strong", { text: step.landfall ? say("Landfall, {place}", { place: step.landfall }) : say("Landfall") })]));
    for (const input of this.#winds.querySelectorAll("input")) input.checked = Number(input.value) === wind;
    this.#zone.textContent = this.#zoneText();
    this.#places.show();
    this.#comparison.show();
    this.#issue.value = advisory?.issued ?? "";
    this.#legend.hidden = advisory === null;
    this.#compared.textContent = this.#comparedText();
  }

  #zoneText() {
    const { life, step, wind } = this.#story;
    if (!step?.winds) return life?.steps.some(({ winds }) => winds) ? say("No wind-radius data for this time.") : say("No wind-radius data for this storm.");
    return step.winds.radii.has(wind) ? zoneWords(step.winds) : say("No winds of {speed} at this hour.", { speed: withUnit(wind, "kt") });
  }

  #comparedText() {
    const { advisory, step } = this.#story;
    if (!this.#story.life?.advisories.length) return say("No advisories for this storm.");
    if (!advisory || !step) return "";
    const found = difference(advisory, step);
    if (!found) return say("This advisory does not cover {time}.", { time: timeWords(step) });
    const values = { number: found.hours, distance: lengthText(Math.round(found.metres / 1000) * 1000) };
    const ahead = step.expected
      ? say("{number} hours ahead it expected the storm {distance} from where it is expected now", values)
      : say("{number} hours ahead it expected the storm {distance} from where it was", values);
    return found.wind === null ? say("{ahead}.", { ahead }) : say("{ahead}, with {speed}.", { ahead, speed: withUnit(found.wind, "kt") });
  }

  #stepButtons() {
    const move = (/** @type {number} */ by) => {
      const at = Math.max(0, Math.min(this.#issue.options.length - 1, this.#issue.selectedIndex + by));
      this.#story.setAdvisory(this.#issue.options[at].value || null);
    };
    return element(
      "span",
      { class: "acts" },
      element("button", { type: "button", class: "icon", "aria-label": say("Advisory before"), text: "‹", onclick: () => move(-1) }),
      element("button", { type: "button", class: "icon", "aria-label": say("Next advisory"), text: "›", onclick: () => move(1) }),
    );
  }
}

/** @param {string} name */
const key = (name) => element("i", { class: name, "aria-hidden": "true" });
