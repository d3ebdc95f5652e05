// The life of the followed storm, in place of the timeline: a bar for each step, as high as its wind, and one handle.
// The story holds the current step; the handle follows it.

import { DAY } from "../model/calendar.js";
import { stormPalette } from "../model/storm-palette.js";
import { numberOf } from "../model/storm-life.js";
import { element, find } from "../page/dom.js";
import { FROM_RIGHT, inARow, say } from "../words/say.js";
import { tickWords } from "../words/time.js";
import { strengthSigns, strengthWords, timeWords } from "../words/storm.js";
import { Player } from "./player.js";

/**
 * @import { Explorer } from "../model/explorer.js"
 * @import { Story } from "../model/story.js"
 * @import { Palette } from "../model/storm-drawing.js"
 */

const WIDTH = 360;
const HEIGHT = 36;
const STEP_MILLISECONDS = 350;
const PIXELS_OF_A_MARK = 62;

export class LifeAxis {
  #root;
  #explorer;
  #story;
  #input;
  #svg;
  #tip;
  #player;
  /** @type {Palette | null} */
  #palette = null;

  /**
   * @param {HTMLElement} root
   * @param {Explorer} explorer
   * @param {Story} story
   */
  constructor(root, explorer, story) {
    this.#root = root;
    this.#explorer = explorer;
    this.#story = story;
    this.#input = find(".range input", root, HTMLInputElement);
    this.#svg = find(".range svg", root, SVGElement);
    this.#tip = find(".tip", root);
    this.#player = new Player(find("button[data-act=play]", root), STEP_MILLISECONDS, { begin: () => this.#playing() });
    this.#input.addEventListener("input", () => {
      this.#player.stop();
      story.setStep(Number(this.#input.value));
    });
    find("button[data-act=before]", root).addEventListener("click", () => this.#move(-1));
    find("button[data-act=after]", root).addEventListener("click", () => this.#move(1));
    find("button[data-act=end]", root).addEventListener("click", () => this.#leave());
    this.#svg.addEventListener("pointermove", (event) => this.#point(event));
    this.#svg.addEventListener("pointerleave", () => (this.#tip.hidden = true));
    this.#svg.addEventListener("click", (event) => this.#choose(event));
    story.addEventListener("life", () => this.#begin());
    story.addEventListener("look", () => this.#show());
    new ResizeObserver(() => this.#drawTicks()).observe(root);
  }

  async #begin() {
    this.#player.stop();
    const { life } = this.#story;
    this.#root.hidden = life === null;
    document.body.classList.toggle("following", life !== null);
    if (!life) return;
    this.#root.setAttribute("aria-label", say("Life of {name}", { name: life.name }));
    find(".of", this.#root).textContent = life.name;
    this.#input.max = String(life.steps.length - 1);
    this.#root.style.setProperty("--steps", String(life.steps.length));
    this.#show();
    this.#drawTicks();
    this.#palette = await stormPalette(this.#explorer, life.collections).catch(() => null);
    this.#drawBars();
  }

  #show() {
    const { life, at, step } = this.#story;
    if (!life || !step) return;
    this.#input.value = String(at);
    this.#input.setAttribute("aria-valuetext", inARow([timeWords(step), strengthWords(step)], ", "));
    find("output", this.#root).textContent = timeWords(step);
    find(".strength", this.#root).textContent = strengthSigns(step);
    this.#drawBars();
  }

  #drawBars() {
    const steps = this.#story.life?.steps ?? [];
    const width = WIDTH / Math.max(1, steps.length);
    const winds = steps.map(({ properties }) => numberOf(properties.wind_kt) ?? 0);
    const most = Math.max(64, ...winds);
    const bars = steps.map((step, at) => {
      const height = Math.max(2, (HEIGHT * winds[at]) / most);
      const kind = [at === this.#story.at ? "now" : "", step.expected ? "expected" : ""].join(" ").trim();
      const style = this.#palette ? { fill: this.#palette.step(step.properties) } : {};
      return element("rect", { x: at * width, y: HEIGHT - height, width: width * 0.86, height, class: kind || null, style });
    });
    this.#svg.replaceChildren(...bars);
  }

  /** Draws the days below the axis, as many as fit. */
  #drawTicks() {
    const steps = this.#story.life?.steps ?? [];
    const days = steps.flatMap(({ moment }, at) => (moment % DAY === 0 || (at > 0 && dayOf(moment) !== dayOf(steps[at - 1].moment)) ? [at] : []));
    const most = Math.max(2, Math.floor(find(".range", this.#root).clientWidth / PIXELS_OF_A_MARK));
    const every = Math.ceil(days.length / most);
    const marks = days.filter((at, day) => day % every === 0 && (at + 0.5) / steps.length < 0.95);
    find(".ticks", this.#root).replaceChildren(
      ...marks.map((at) => {
        const text = tickWords(dayOf(steps[at].moment) * DAY, "day");
        return element("span", { text, style: { "inset-inline-start": `${((at + 0.5) / steps.length) * 100}%` } });
      }),
    );
  }

  /** @param {MouseEvent} event */
  #stepAt({ clientX }) {
    const { left, width } = this.#svg.getBoundingClientRect();
    const count = this.#story.life?.steps.length ?? 1;
    const share = (clientX - left) / width;
    return Math.max(0, Math.min(count - 1, Math.floor((FROM_RIGHT ? 1 - share : share) * count)));
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const steps = this.#story.life?.steps ?? [];
    const at = this.#stepAt(event);
    if (!steps[at]) return;
    if (event.buttons === 1) this.#choose(event);
    this.#tip.textContent = inARow([timeWords(steps[at]), strengthWords(steps[at])], ": ");
    this.#tip.style.setProperty("--at", `${((at + 0.5) / steps.length) * 100}%`);
    this.#tip.hidden = false;
  }

  /** @param {MouseEvent} event */
  #choose(event) {
    this.#player.stop();
    this.#story.setStep(this.#stepAt(event));
  }

  /** @param {number} steps */
  #move(steps) {
    this.#player.stop();
    this.#story.setStep(this.#story.at + steps);
  }

  /** Back to the time of all. */
  #leave() {
    const { life } = this.#story;
    if (life && this.#story.isShownAlone(life.event)) this.#explorer.setEvents(life.id, []);
    this.#story.end();
  }

  /** Goes on from where the storm is, or from its beginning, to its end. */
  #playing() {
    const last = (this.#story.life?.steps.length ?? 0) - 1;
    if (this.#story.at === last) this.#story.setStep(0);
    return () => {
      if (this.#story.at >= last) return false;
      this.#story.setStep(this.#story.at + 1);
      return true;
    };
  }
}

/** @param {number} moment */
const dayOf = (moment) => Math.floor(moment / DAY);
