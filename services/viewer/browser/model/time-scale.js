// Between the positions of the time slider and moments: the whole time of a collection in equal steps.

export const FRAMES = 400; // positions of the slider
export const BINS = 36; // bars of the histogram

const FRAMES_PER_BIN = FRAMES / BINS;
const TWO_DAYS = 2 * 86400e3; // milliseconds

/** @param {number} time milliseconds since 1970 */
const iso = (time) => new Date(time).toISOString();

export class TimeScale {
  #start;
  #end;

  /**
   * @param {string | null | undefined} start
   * @param {string | null | undefined} end
   */
  constructor(start, end) {
    this.#start = Date.parse(start ?? "");
    this.#end = Date.parse(end ?? "");
  }

  /** Whether there is any time between start and end. */
  get isUsable() {
    return this.#end > this.#start;
  }

  /** Whether all of it is so short that days do not tell moments apart. */
  get isShort() {
    return this.#end - this.#start < TWO_DAYS;
  }

  /**
   * Milliseconds since 1970 at a position.
   * @param {number} frame
   */
  time(frame) {
    return this.#start + (frame / FRAMES) * (this.#end - this.#start);
  }

  /**
   * The positions of an interval's ends, as near as they are; open ends and null are those of the whole.
   * @param {string | null} datetime
   * @returns {[number, number]}
   */
  frames(datetime) {
    if (datetime === null) return [0, FRAMES];
    const [from, to = from] = datetime.split("/");
    return [this.#frame(from, 0), this.#frame(to, FRAMES)];
  }

  /**
   * @param {string} text
   * @param {number} open
   */
  #frame(text, open) {
    const at = ((Date.parse(text) - this.#start) / (this.#end - this.#start)) * FRAMES;
    return Number.isFinite(at) ? Math.min(FRAMES, Math.max(0, Math.round(at))) : open;
  }

  /**
   * `start/end` of a part of the whole, or null for all of it.
   * @param {number} from
   * @param {number} to
   */
  interval(from, to) {
    return from <= 0 && to >= FRAMES ? null : `${iso(this.time(from))}/${iso(this.time(to))}`;
  }

  /** The moments at which bars begin, and the first after the last bar. A bar ends just before the next begins. */
  edges() {
    const starts = Array.from({ length: BINS }, (_, bin) => iso(this.time(bin * FRAMES_PER_BIN)));
    return [...starts, iso(this.#end + 1)];
  }
}

/**
 * Whether a bar lies between two positions, at least partly.
 * @param {number} bin
 * @param {number} from
 * @param {number} to
 */
export const isBetween = (bin, from, to) => (bin + 1) * FRAMES_PER_BIN > from && bin * FRAMES_PER_BIN < to;

/**
 * How the slider plays: the width of what is shown at a time, where it begins, and how far each step goes.
 * @param {number} from
 * @param {number} to
 */
export function playSteps(from, to) {
  const width = to - from >= FRAMES ? Math.round(FRAMES / 10) : to - from || 1;
  return {
    width,
    first: to >= FRAMES ? 0 : from,
    /** @param {number} at */
    next: (at) => (at + width >= FRAMES ? 0 : at + Math.max(1, Math.round(width / 4))),
  };
}
