// The time slider: a histogram of the subject's features, two ends, play.

import { count } from "../service/api.js";
import { element, find } from "../page/dom.js";
import { formatDay, formatInstant, formatNumber } from "../words/format.js";

const BINS = 36;
const FRAMES = 400; // positions of the slider
const STEP_MILLISECONDS = 700;
const TWO_DAYS = 2 * 86400e3;

export class Timeline {
  #explorer;
  #root;
  #inputs;
  #bars;
  #start = 0;
  #end = 0;
  #counts = new Map(); // collection id and what selects of it -> numbers
  #loading = null;
  #counting = null; // key of what is being counted
  #timer = null;
  #applying = false;
  #settle = null;

  constructor(root, explorer) {
    this.#root = root;
    this.#explorer = explorer;
    this.#inputs = [...root.querySelectorAll("input")];
    this.#bars = find(".range svg", root);
    for (const input of this.#inputs) {
      input.max = String(FRAMES);
      input.addEventListener("input", () => {
        this.#stop();
        this.#changed();
      });
    }
    find("button[data-act=play]", root).addEventListener("click", () => (this.#timer ? this.#stop() : this.#play()));
    find("button[data-act=all]", root).addEventListener("click", () => {
      this.#stop();
      this.#set(0, FRAMES);
      this.#apply();
    });
    for (const event of ["shown", "subject", "query"]) explorer.addEventListener(event, () => this.#follow());
    explorer.addEventListener("data", ({ detail }) => {
      this.#counts.clear();
      if (detail === explorer.subject) this.#follow();
    });
  }

  /** The explorer's interval decides; the slider shows it as well as it can. */
  #follow() {
    const time = this.#explorer.collections.get(this.#explorer.subject)?.time;
    this.#start = Date.parse(time?.start ?? "");
    this.#end = Date.parse(time?.end ?? "");
    this.#root.hidden = !(this.#end > this.#start);
    const label = this.#explorer.collections.get(this.#explorer.subject)?.label ?? "";
    this.#root.setAttribute("aria-label", `Time of ${label}`);
    find(".of", this.#root).textContent = this.#explorer.shown.size > 1 ? label : "";
    if (this.#root.hidden) return;
    if (!this.#applying) this.#set(...this.#framesOf(this.#explorer.datetime));
    this.#load();
  }

  #framesOf(datetime) {
    if (datetime === null) return [0, FRAMES];
    const ends = datetime.split("/");
    const frame = (text, open) => {
      const at = ((Date.parse(text) - this.#start) / (this.#end - this.#start)) * FRAMES;
      return Number.isFinite(at) ? Math.min(FRAMES, Math.max(0, Math.round(at))) : open;
    };
    return [frame(ends[0], 0), frame(ends[1] ?? ends[0], FRAMES)];
  }

  #time(frame) {
    return this.#start + (frame / FRAMES) * (this.#end - this.#start);
  }

  /** `start/end` of a part of the whole, or null for all of it. */
  #interval(from, to) {
    if (from <= 0 && to >= FRAMES) return null;
    return `${iso(this.#time(from))}/${iso(this.#time(to))}`;
  }

  #ends() {
    const values = this.#inputs.map((input) => Number(input.value));
    return [Math.min(...values), Math.max(...values)];
  }

  #set(from, to) {
    this.#inputs[0].value = String(from);
    this.#inputs[1].value = String(to);
    this.#draw();
  }

  #changed() {
    this.#draw();
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => this.#apply(), 200);
  }

  #apply() {
    clearTimeout(this.#settle);
    this.#applying = true;
    this.#explorer.setDatetime(this.#interval(...this.#ends()));
    this.#applying = false;
    this.#draw();
  }

  /** What selects, besides the time. */
  #key() {
    const { datetime, "datetime-column": column, ...parameters } = this.#explorer.parameters(this.#explorer.subject);
    return JSON.stringify([this.#explorer.subject, parameters]);
  }

  async #load() {
    const id = this.#explorer.subject;
    const { column, lasts } = this.#explorer.collections.get(id).time;
    const key = this.#key();
    if (this.#counts.has(key) || this.#counting === key) return this.#draw();
    this.#loading?.abort();
    this.#counting = key;
    const parameters = { ...this.#explorer.parameters(id), "datetime-column": lasts ? null : column };
    const loading = (this.#loading = new AbortController());
    const numbers = new Array(BINS).fill(null);
    const queue = [...numbers.keys()];
    const width = FRAMES / BINS;
    const work = async () => {
      for (let bin = queue.shift(); bin !== undefined; bin = queue.shift()) {
        // intervals are closed: a bin ends just before the next begins
        const last = bin === BINS - 1 ? this.#end : this.#time((bin + 1) * width) - 1;
        const datetime = `${iso(this.#time(bin * width))}/${iso(last)}`;
        numbers[bin] = await count(id, { ...parameters, datetime }, loading).catch(() => null);
        if (loading.signal.aborted) return;
      }
    };
    await Promise.all([work(), work(), work()]);
    if (loading.signal.aborted) return undefined;
    this.#counting = null;
    if (numbers.some((number) => number !== null)) this.#counts.set(key, numbers);
    return this.#draw();
  }

  #draw() {
    const [from, to] = this.#ends();
    const numbers = this.#counts.get(this.#key()) ?? new Array(BINS).fill(null);
    const most = Math.max(1, ...numbers);
    const width = FRAMES / BINS;
    this.#bars.replaceChildren(
      ...numbers.map((number, bin) => {
        // a root keeps single events beside hundreds visible
        const height = number ? 2 + 34 * Math.sqrt(number / most) : 1;
        const inside = (bin + 1) * width > from && bin * width < to;
        return element("rect", { x: bin * 10 + 1, y: 36 - height, width: 8, height, rx: 1.5, class: inside ? "inside" : "outside" });
      }),
    );
    const text = this.#end > this.#start ? `${this.#label(from)} – ${this.#label(to)}` : "";
    find("output", this.#root).textContent = text;
    const kept = numbers.reduce((sum, number, bin) => ((bin + 1) * width > from && bin * width < to ? sum + (number ?? 0) : sum), 0);
    this.#bars.setAttribute("aria-label", `Features over time; about ${formatNumber(kept)} between the ends`);
    this.#inputs.forEach((input) => input.setAttribute("aria-valuetext", this.#label(Number(input.value))));
    find("button[data-act=all]", this.#root).hidden = this.#explorer.datetime === null && from <= 0 && to >= FRAMES;
  }

  #label(frame) {
    const time = this.#time(frame);
    return this.#end - this.#start < TWO_DAYS ? formatInstant(time) : formatDay(time);
  }

  #play() {
    const [from, to] = this.#ends();
    const width = to - from >= FRAMES ? Math.round(FRAMES / 10) : to - from || 1;
    let at = to >= FRAMES ? 0 : from;
    const button = find("button[data-act=play]", this.#root);
    button.setAttribute("aria-pressed", "true");
    button.setAttribute("aria-label", "Pause");
    const step = () => {
      this.#set(at, Math.min(FRAMES, at + width));
      this.#apply();
      at = at + width >= FRAMES ? 0 : at + Math.max(1, Math.round(width / 4));
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
    const button = find("button[data-act=play]", this.#root);
    button.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-label", "Play");
  }
}

const iso = (time) => new Date(time).toISOString();
