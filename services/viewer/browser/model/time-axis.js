// The axis of the timeline: a part of a collection's time, the positions of its ends and the bars above it.

import { after, beginning, DAY, edgesOf, HOUR, lengthOf, stepFor } from "./calendar.js";
import { instantsText, instantText, parseInterval, partText } from "./interval.js";

const MOST_BARS = 60;
const HOURS_UP_TO = 60 * DAY; // longer times go by days

/** @import { Step } from "./calendar.js" */

export class TimeAxis {
  /**
   * The first moment that is shown, and the last.
   * @param {number} start
   * @param {number} end
   */
  constructor(start, end) {
    const isLong = end - start > HOURS_UP_TO;
    this.unit = isLong ? DAY : HOUR;
    this.start = Math.floor(start / this.unit) * this.unit;
    // the end of the unit in which the last moment lies
    this.end = (Math.floor(end / this.unit) + 1) * this.unit;
    /** @type {Step} */
    this.step = stepFor(this.start, this.end, MOST_BARS);
  }

  /**
   * The axis of a collection's whole time; null where it has none.
   * @param {string | null | undefined} start
   * @param {string | null | undefined} end
   */
  static of(start, end) {
    const whole = start && end ? parseInterval(`${start}/${end}`) : null;
    return whole && whole.from !== null && whole.to !== null && whole.to > whole.from ? new TimeAxis(whole.from, whole.to) : null;
  }

  /** The number of the last position; the first is 0. */
  get positions() {
    return Math.round((this.end - this.start) / this.unit);
  }

  /** @param {number} position */
  moment(position) {
    return this.start + position * this.unit;
  }

  /**
   * The position next to a moment.
   * @param {number} moment
   */
  position(moment) {
    return Math.round((moment - this.start) / this.unit);
  }

  /**
   * Where a moment lies, from 0 to 1 on the axis.
   * @param {number} moment
   */
  share(moment) {
    return (moment - this.start) / (this.end - this.start);
  }

  /**
   * The positions of an interval's ends, as far as they are on the axis; null is all of it.
   * @param {string | null} datetime
   * @returns {[number, number]}
   */
  ends(datetime) {
    const interval = parseInterval(datetime);
    const from = interval?.from ?? this.start;
    const to = interval?.to ?? this.end;
    const clamp = (/** @type {number} */ position) => Math.min(this.positions, Math.max(0, position));
    return [clamp(Math.floor((from - this.start) / this.unit)), clamp(Math.ceil((to - this.start) / this.unit))];
  }

  /**
   * The value of `datetime` between two positions: of whole days by their dates, else from one hour to another.
   * @param {number} a
   * @param {number} b
   */
  interval(a, b) {
    let [from, to] = [Math.min(a, b), Math.max(a, b)];
    if (this.unit === HOUR) return instantsText(this.moment(from), this.moment(to));
    // the same position twice is a day, too
    if (from === to) [from, to] = to === this.positions ? [from - 1, to] : [from, to + 1];
    return partText(this.moment(from), this.moment(to));
  }

  /** Where the bars begin, and the end of the last, in milliseconds since 1970. */
  get edges() {
    return edgesOf(this.start, this.end - 1, this.step);
  }

  /**
   * The part of the axis that `datetime` names with as much again on both sides, at least two days.
   * @param {string | null} datetime
   */
  around(datetime) {
    const interval = parseInterval(datetime);
    const [from, to] = [interval?.from ?? this.start, interval?.to ?? this.end];
    const margin = Math.max(to - from, DAY);
    return new TimeAxis(from - margin, to + margin);
  }

  /**
   * Whether an interval is so short, or lies so far off, that it cannot be seen on this axis.
   * @param {string | null} datetime
   */
  hides(datetime) {
    const interval = parseInterval(datetime);
    if (!interval || interval.from === null || interval.to === null) return false;
    return this.share(interval.to) - this.share(interval.from) < 1 / 60 || interval.to < this.start || interval.from > this.end;
  }

  /**
   * The intervals that the player shows in turn. They are as long as the given interval and advance by one bar, or by
   * their own length if that is shorter. Without an interval, each bar is one.
   * @param {string | null} datetime
   */
  frames(datetime) {
    const { edges } = this;
    const interval = parseInterval(datetime);
    const [from, to] = [interval?.from ?? this.start, interval?.to ?? this.end];
    const width = to - from;
    if (!interval || width >= this.end - this.start) return this.#windows(edges, 1);
    const bars = Math.round(width / lengthOf(this.step));
    return bars >= 1 ? this.#windows(edges, bars) : this.#moved(from, width);
  }

  /**
   * @param {number[]} edges
   * @param {number} bars
   */
  #windows(edges, bars) {
    return edges.slice(0, Math.max(1, edges.length - bars)).map((from, at) => partText(from, edges[Math.min(at + bars, edges.length - 1)]));
  }

  /**
   * @param {number} from
   * @param {number} width
   */
  #moved(from, width) {
    const step = Math.max(Math.round(width / this.unit), 1) * this.unit;
    const first = from - Math.floor((from - this.start) / step) * step;
    const count = Math.max(1, Math.floor((this.end - first) / step));
    return Array.from({ length: count }, (_, at) => {
      const start = first + at * step;
      return width >= DAY - 1 && start % DAY === 0 ? partText(start, start + Math.round(width / DAY) * DAY) : instantsText(start, start + width);
    });
  }

  /**
   * Marks below the axis, at most `most`: where, and of which step.
   * @param {number} most
   * @returns {{ moment: number, step: Step }[]}
   */
  ticks(most) {
    const step = stepFor(this.start, this.end, most);
    const first = beginning(this.start, step);
    const marks = [];
    for (let moment = first < this.start ? after(first, step) : first; moment < this.end; moment = after(moment, step)) marks.push({ moment, step });
    return marks;
  }
}

/** The edges as the service takes them: a bar ends just before the next begins. @param {number[]} edges */
export const edgeTexts = (edges) => edges.map(instantText);
