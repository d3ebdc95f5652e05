// The time slider: a histogram of the subject's features, two ends, play.

import { BarCounts } from "../model/bar-counts.js";
import { FRAMES, isBetween, playSteps, TimeScale } from "../model/time-scale.js";
import { element, find } from "../page/dom.js";
import { formatDay, formatInstant, formatNumber } from "../words/format.js";

/** @import { Explorer } from "../model/explorer.js" */

const STEP_MILLISECONDS = 700;
const SETTLE_MILLISECONDS = 200;

export class Timeline {
  #explorer;
  #root;
  /** @type {HTMLInputElement[]} */
  #inputs;
  #bars;
  #play;
  #scale = new TimeScale(null, null);
  #counts = new BarCounts();
  /** @type {ReturnType<typeof setInterval> | null} */
  #timer = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #settling;
  #applying = false;

  /**
   * @param {HTMLElement} root
   * @param {Explorer} explorer
   */
  constructor(root, explorer) {
    this.#root = root;
    this.#explorer = explorer;
    this.#inputs = [...root.querySelectorAll("input")];
    this.#bars = find(".range svg", root, SVGElement);
    this.#play = find("button[data-act=play]", root);
    for (const input of this.#inputs) {
      input.max = String(FRAMES);
      input.addEventListener("input", () => {
        this.#stop();
        this.#changed();
      });
    }
    this.#play.addEventListener("click", () => (this.#timer ? this.#stop() : this.#start()));
    find("button[data-act=all]", root).addEventListener("click", () => {
      this.#stop();
      this.#set(0, FRAMES);
      this.#apply();
    });
    for (const event of ["shown", "subject", "query"]) explorer.addEventListener(event, () => this.#follow());
    explorer.on("data", (id) => {
      this.#counts.forget(id);
      if (id === explorer.subject) this.#follow();
    });
  }

  /** The explorer's interval decides; the slider shows it as well as it can. */
  #follow() {
    const collection = this.#explorer.subjectCollection();
    const label = collection?.label ?? "";
    this.#scale = new TimeScale(collection?.time?.start, collection?.time?.end);
    this.#root.hidden = !this.#scale.isUsable;
    this.#root.setAttribute("aria-label", `Time of ${label}`);
    find(".of", this.#root).textContent = this.#explorer.shown.size > 1 ? label : "";
    if (!this.#scale.isUsable) return;
    if (!this.#applying) this.#set(...this.#scale.frames(this.#explorer.datetime));
    this.#load();
  }

  /** @returns {[number, number]} */
  #ends() {
    const values = this.#inputs.map((input) => Number(input.value));
    return [Math.min(...values), Math.max(...values)];
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  #set(from, to) {
    this.#inputs[0].value = String(from);
    this.#inputs[1].value = String(to);
    this.#draw();
  }

  #changed() {
    this.#draw();
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#apply(), SETTLE_MILLISECONDS);
  }

  #apply() {
    clearTimeout(this.#settling);
    this.#applying = true;
    this.#explorer.setDatetime(this.#scale.interval(...this.#ends()));
    this.#applying = false;
    this.#draw();
  }

  /** What the bars count, besides the time. */
  #selection() {
    const id = this.#explorer.subject;
    if (id === null) return {};
    const { datetime: _, "datetime-column": __, ...parameters } = this.#explorer.parameters(id);
    return parameters;
  }

  async #load() {
    const collection = this.#explorer.subjectCollection();
    if (!collection?.time) return;
    this.#draw();
    const timed = { "datetime-column": collection.time.lasts ? null : collection.time.column };
    await this.#counts.load(collection.id, this.#selection(), timed, this.#scale);
    this.#draw();
  }

  #draw() {
    const [from, to] = this.#ends();
    const numbers = this.#counts.numbers(this.#explorer.subject ?? "", this.#selection());
    const most = Math.max(1, ...numbers.map(Number));
    this.#bars.replaceChildren(
      ...numbers.map((number, bin) => {
        // a root keeps single events beside hundreds visible
        const height = number ? 2 + 34 * Math.sqrt(number / most) : 1;
        const inside = isBetween(bin, from, to) ? "inside" : "outside";
        return element("rect", { x: bin * 10 + 1, y: 36 - height, width: 8, height, rx: 1.5, class: inside });
      }),
    );
    const text = this.#scale.isUsable ? `${this.#label(from)} – ${this.#label(to)}` : "";
    find("output", this.#root).textContent = text;
    const between = numbers.reduce((/** @type {number} */ sum, number, bin) => sum + (isBetween(bin, from, to) ? (number ?? 0) : 0), 0);
    this.#bars.setAttribute("aria-label", `Features over time; about ${formatNumber(between)} between the ends`);
    if (this.#scale.isUsable) {
      for (const input of this.#inputs) input.setAttribute("aria-valuetext", this.#label(Number(input.value)));
    }
    find("button[data-act=all]", this.#root).hidden = this.#explorer.datetime === null && from <= 0 && to >= FRAMES;
  }

  /** @param {number} frame */
  #label(frame) {
    const time = this.#scale.time(frame);
    return this.#scale.isShort ? formatInstant(time) : formatDay(time);
  }

  #start() {
    const steps = playSteps(...this.#ends());
    let at = steps.first;
    this.#showPlaying(true);
    const step = () => {
      this.#set(at, Math.min(FRAMES, at + steps.width));
      this.#apply();
      at = steps.next(at);
    };
    this.#explorer.playing = true;
    step();
    this.#timer = setInterval(step, STEP_MILLISECONDS);
  }

  #stop() {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#explorer.playing = false;
    this.#explorer.emit("query");
    this.#showPlaying(false);
  }

  /** @param {boolean} playing */
  #showPlaying(playing) {
    this.#play.setAttribute("aria-pressed", String(playing));
    this.#play.setAttribute("aria-label", playing ? "Pause" : "Play");
  }
}
