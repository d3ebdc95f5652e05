// The timeline: bars of the subject's features, the two ends of the time that is shown, names of times, play.

import { BarCounts } from "../model/bar-counts.js";
import { DAY } from "../model/calendar.js";
import { parseInterval } from "../model/interval.js";
import { TimeAxis } from "../model/time-axis.js";
import { find } from "../page/dom.js";
import { listed } from "../words/counts.js";
import { formatDay, formatInstant } from "../words/format.js";
import { say } from "../words/say.js";
import { spanWords } from "../words/time.js";
import { Player } from "./player.js";
import { TimeBars } from "./time-bars.js";
import { TimeChoice } from "./time-choice.js";

/** @import { Explorer } from "../model/explorer.js" */

const STEP_MILLISECONDS = 700;
const SETTLE_MILLISECONDS = 200;

export class Timeline {
  #explorer;
  #root;
  /** @type {HTMLInputElement[]} */
  #inputs;
  #bars;
  #player;
  #counts = new BarCounts();
  /** @type {TimeAxis | null} the whole time range of the subject */
  #whole = null;
  /** @type {TimeAxis | null} the visible part of it */
  #axis = null;
  /** @type {string | null} the chosen interval, until it is applied */
  #datetime = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #settling;

  /**
   * @param {HTMLElement} root
   * @param {Explorer} explorer
   */
  constructor(root, explorer) {
    this.#root = root;
    this.#explorer = explorer;
    this.#inputs = [...root.querySelectorAll(".range input")].map((input) => /** @type {HTMLInputElement} */ (input));
    this.#bars = new TimeBars(find(".range", root), (from, to, done) => this.#drawn(from, to, done));
    this.#player = new Player(find("button[data-act=play]", root), STEP_MILLISECONDS, {
      begin: () => this.#playing(),
      end: () => {
        explorer.playing = false;
        explorer.emit("query");
      },
    });
    for (const input of this.#inputs) input.addEventListener("input", () => this.#moved());
    const choose = (/** @type {string | null} */ datetime) => {
      this.#player.stop();
      this.#apply(datetime);
      if (this.#axis?.hides(datetime)) this.#show(this.#axis.around(datetime));
    };
    new TimeChoice(find("form", root, HTMLFormElement), find("button[data-act=choose]", root), explorer, choose);
    find("button[data-act=all]", root).addEventListener("click", () => choose(null));
    find("button[data-act=zoom]", root).addEventListener("click", () => this.#show(this.#axis?.around(this.#datetime) ?? null));
    find("button[data-act=whole]", root).addEventListener("click", () => this.#show(this.#whole));
    for (const event of ["shown", "subject", "query"]) explorer.addEventListener(event, () => this.#follow());
    explorer.on("data", (id) => {
      this.#counts.forget(id);
      if (id === explorer.subject) this.#follow();
    });
  }

  /** The explorer's time decides; the axis is that of the subject, or a part around a time that would not be seen on it. */
  #follow() {
    const collection = this.#explorer.subjectCollection();
    const whole = TimeAxis.of(collection?.time?.start, collection?.time?.end);
    this.#root.hidden = whole === null;
    this.#root.setAttribute("aria-label", say("Time of {collection}", { collection: collection?.label ?? "" }));
    find(".of", this.#root).textContent = this.#explorer.shown.size > 1 ? (collection?.label ?? "") : "";
    const isSame = whole?.start === this.#whole?.start && whole?.end === this.#whole?.end;
    const isElsewhere = this.#datetime !== this.#explorer.datetime;
    this.#datetime = this.#explorer.datetime;
    if (!isSame || !whole) this.#axis = this.#whole = whole;
    if (this.#axis && (!isSame || isElsewhere) && this.#axis.hides(this.#datetime)) this.#axis = this.#axis.around(this.#datetime);
    this.#load();
  }

  /** @param {TimeAxis | null} axis */
  #show(axis) {
    this.#axis = axis;
    this.#load();
  }

  /** An end was moved. */
  #moved() {
    if (!this.#axis || !this.#whole) return;
    this.#player.stop();
    const [a, b] = this.#inputs.map((input) => Number(input.value));
    const isAll = Math.min(a, b) === 0 && Math.max(a, b) === this.#axis.positions;
    this.#settle(isAll && this.#isWhole() ? null : this.#axis.interval(a, b));
  }

  /**
   * A time was drawn over the bars.
   * @param {number} a milliseconds since 1970
   * @param {number} b milliseconds since 1970
   * @param {boolean} done
   */
  #drawn(a, b, done) {
    if (!this.#axis) return;
    this.#player.stop();
    this.#datetime = this.#axis.interval(this.#axis.position(a), this.#axis.position(b));
    if (done) this.#apply(this.#datetime);
    else this.#draw();
  }

  /** @param {string | null} datetime */
  #settle(datetime) {
    this.#datetime = datetime;
    // the thumbs are where the hand holds them
    this.#draw({ thumbs: false });
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#apply(datetime), SETTLE_MILLISECONDS);
  }

  /** @param {string | null} datetime */
  #apply(datetime) {
    clearTimeout(this.#settling);
    this.#datetime = datetime;
    this.#explorer.setDatetime(datetime);
    this.#draw();
  }

  #isWhole() {
    return this.#axis !== null && this.#axis.start === this.#whole?.start && this.#axis.end === this.#whole.end;
  }

  /** The filters of the bars' counts, without the time. */
  #selection() {
    const id = this.#explorer.subject;
    if (id === null) return {};
    const { datetime: _, "datetime-column": __, ...parameters } = this.#explorer.parameters(id);
    return parameters;
  }

  async #load() {
    const collection = this.#explorer.subjectCollection();
    if (!collection?.time || !this.#axis) return;
    this.#draw();
    const timed = { "datetime-column": collection.time.lasts ? null : collection.time.column };
    await this.#counts.load(collection.id, this.#selection(), timed, this.#axis);
    this.#draw();
  }

  #draw({ thumbs = true } = {}) {
    const axis = this.#axis;
    if (!axis) return;
    const ends = axis.ends(this.#datetime);
    if (thumbs) this.#place(axis, ends);
    const numbers = this.#counts.numbers(this.#explorer.subject ?? "", this.#selection(), axis);
    const [from, to] = ends.map((position) => position / axis.positions);
    // a moment marks the bar in which it lies
    this.#bars.draw(axis, numbers, [from, Math.max(to, from + 1e-9)]);
    const words = this.#words();
    find("output", this.#root).textContent = words;
    const isAll = this.#datetime === null;
    find("button[data-act=all]", this.#root).hidden = isAll;
    find("button[data-act=whole]", this.#root).hidden = this.#isWhole();
    find("button[data-act=zoom]", this.#root).hidden = isAll || to - from > 0.3 || axis.end - axis.start <= 4 * DAY;
    this.#sayWhatIsAbsent();
  }

  /**
   * @param {TimeAxis} axis
   * @param {[number, number]} ends
   */
  #place(axis, ends) {
    this.#inputs.forEach((input, at) => {
      input.max = String(axis.positions);
      input.value = String(ends[at]);
      const moment = axis.moment(ends[at]);
      // the end of whole days is the last of them
      input.setAttribute("aria-valuetext", axis.unit === DAY ? formatDay(at ? moment - 1 : moment) : formatInstant(moment));
    });
  }

  /** The text of the shown time: the requested interval to the minute, even where the thumbs are less exact. */
  #words() {
    const interval = parseInterval(this.#datetime);
    if (interval) return spanWords(interval.from, interval.to);
    const { start, end, unit } = this.#whole ?? { start: null, end: 0, unit: DAY };
    return start === null ? "" : spanWords(start, unit === DAY ? end - 1 : end);
  }

  /** Collections that end before the chosen time, or begin after it, would be empty without a word. */
  #sayWhatIsAbsent() {
    const interval = parseInterval(this.#datetime);
    const absent = interval ? [...this.#explorer.shown.keys()].map((id) => this.#explorer.collection(id)).filter(({ time }) => isAbsent(time, interval)) : [];
    find(".absent", this.#root).textContent = absent.length ? say("No data at this time: {collections}", { collections: listed(absent.map(({ label }) => label)) }) : "";
  }

  /** Shows the next time at once, and gives what shows the one after that. */
  #playing() {
    const frames = this.#axis?.frames(this.#datetime) ?? [];
    let at = Math.max(0, frames.indexOf(this.#datetime ?? ""));
    const step = () => {
      this.#apply(frames[at]);
      at = (at + 1) % frames.length;
      return true;
    };
    this.#explorer.playing = true;
    step();
    return step;
  }
}

/**
 * Whether a collection has no feature in an interval, judging by the start and end of its own time range.
 * @param {import("../types.d.ts").Time | null} time
 * @param {import("../model/interval.js").Interval} interval
 */
function isAbsent(time, { from, to }) {
  const whole = time?.start && time.end ? parseInterval(`${time.start}/${time.end}`) : null;
  if (!whole || whole.from === null || whole.to === null) return false;
  return (to !== null && to < whole.from) || (from !== null && from > whole.to);
}
