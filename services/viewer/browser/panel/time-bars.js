// The bars of the timeline, the marks below them, what a bar says when it is pointed at, and choosing a time by drawing.

import { element, find } from "../page/dom.js";
import { formatNumber } from "../words/format.js";
import { FROM_RIGHT, inARow, say } from "../words/say.js";
import { spanWords, tickWords } from "../words/time.js";

/**
 * @import { TimeAxis } from "../model/time-axis.js"
 * @import { Numbers } from "../model/bar-counts.js"
 */

const WIDTH = 360;
const HEIGHT = 36;
const PIXELS_OF_A_MARK = 62;
const LEAST_DRAG = 4; // pixels

export class TimeBars {
  #root;
  #svg;
  #ticks;
  #tip;
  /** @type {TimeAxis | null} */
  #axis = null;
  /** @type {Numbers} */
  #numbers = [];
  /** @type {number | null} where drawing began, from 0 to 1 */
  #from = null;

  /**
   * @param {HTMLElement} root
   * @param {(from: number, to: number, done: boolean) => void} choose called with two moments, milliseconds since 1970,
   *   while a time is drawn, and when it is
   */
  constructor(root, choose) {
    this.#root = root;
    this.#svg = find("svg", root, SVGElement);
    this.#ticks = find(".ticks", root);
    this.#tip = find(".tip", root);
    this.#svg.addEventListener("pointermove", (event) => this.#moved(event, choose));
    this.#svg.addEventListener("pointerleave", () => (this.#tip.hidden = true));
    this.#svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#from = this.#share(event);
      this.#svg.setPointerCapture(event.pointerId);
    });
    this.#svg.addEventListener("pointerup", (event) => this.#ended(event, choose));
    this.#svg.addEventListener("pointercancel", () => (this.#from = null));
    // as many marks as there is room for
    new ResizeObserver(() => this.#axis && this.#drawTicks(this.#axis)).observe(root);
  }

  /**
   * @param {TimeAxis} axis
   * @param {Numbers} numbers
   * @param {[number, number]} ends the shares of the axis between which bars are marked
   */
  draw(axis, numbers, [from, to]) {
    if (axis !== this.#axis) this.#drawTicks(axis);
    this.#axis = axis;
    this.#numbers = numbers;
    const most = Math.max(1, ...numbers.map(Number));
    const { edges } = axis;
    let between = 0;
    const bars = numbers.map((number, bar) => {
      const [left, right] = [axis.share(edges[bar]), axis.share(edges[bar + 1])].map((share) => Math.min(1, Math.max(0, share)));
      // a root keeps single events beside hundreds visible
      const height = number ? 2 + (HEIGHT - 2) * Math.sqrt(number / most) : 1;
      const inside = right > from && left < to;
      if (inside) between += number ?? 0;
      const width = Math.max(0.5, (right - left) * WIDTH * 0.84);
      return element("rect", { x: left * WIDTH + (right - left) * WIDTH * 0.08, y: HEIGHT - height, width, height, class: inside ? "inside" : "outside" });
    });
    this.#svg.replaceChildren(...bars);
    this.#svg.setAttribute("aria-label", say("Features over time; about {number} in the chosen time", { number: between }));
  }

  /** @param {TimeAxis} axis */
  #drawTicks(axis) {
    const most = Math.max(2, Math.floor(this.#root.clientWidth / PIXELS_OF_A_MARK));
    const marks = axis.ticks(most).map(({ moment, step }) => {
      const share = axis.share(moment);
      return { share, text: tickWords(moment, step.unit) };
    });
    // leave out marks that would extend beyond the axis
    const inside = marks.filter(({ share }) => share > 0.01 && share < 0.97);
    this.#ticks.replaceChildren(...inside.map(({ share, text }) => element("span", { text, style: { "inset-inline-start": `${share * 100}%` } })));
  }

  /** @param {PointerEvent} event */
  #share({ clientX }) {
    const { left, width } = this.#svg.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - left) / width));
    return FROM_RIGHT ? 1 - share : share;
  }

  /** @param {number} share */
  #moment(share) {
    const axis = /** @type {TimeAxis} */ (this.#axis);
    return axis.start + share * (axis.end - axis.start);
  }

  /**
   * @param {PointerEvent} event
   * @param {(from: number, to: number, done: boolean) => void} choose
   */
  #moved(event, choose) {
    if (!this.#axis) return;
    const share = this.#share(event);
    if (this.#from !== null && this.#isDrag(share)) choose(this.#moment(this.#from), this.#moment(share), false);
    const bar = this.#barAt(this.#moment(share));
    const number = this.#numbers[bar];
    const { edges } = this.#axis;
    const counted = number === null || number === undefined ? "" : formatNumber(number);
    this.#tip.textContent = inARow([spanWords(edges[bar], edges[bar + 1] - 1), counted], ": ");
    this.#tip.style.setProperty("--at", `${share * 100}%`);
    this.#tip.hidden = false;
  }

  /**
   * @param {PointerEvent} event
   * @param {(from: number, to: number, done: boolean) => void} choose
   */
  #ended(event, choose) {
    if (this.#from === null || !this.#axis) return;
    const [from, to] = [this.#from, this.#share(event)];
    this.#from = null;
    if (this.#isDrag(to, from)) {
      choose(this.#moment(from), this.#moment(to), true);
    } else {
      // a click takes the bar
      const bar = this.#barAt(this.#moment(to));
      choose(this.#axis.edges[bar], this.#axis.edges[bar + 1], true);
    }
  }

  /**
   * @param {number} to
   * @param {number | null} from
   */
  #isDrag(to, from = this.#from) {
    return from !== null && Math.abs(to - from) * this.#svg.getBoundingClientRect().width >= LEAST_DRAG;
  }

  /** @param {number} moment */
  #barAt(moment) {
    const edges = this.#axis?.edges ?? [];
    const after = edges.findIndex((edge) => edge > moment);
    return after < 0 ? edges.length - 2 : Math.max(0, after - 1);
  }
}
