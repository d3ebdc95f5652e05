// Converts the parameter `datetime` to moments (milliseconds since 1970) and back.

import { DAY } from "./calendar.js";

/** @typedef {{ from: number | null, to: number | null }} Interval null is an open end; both moments belong to it */

const DATE = /^[+-]?\d{4,6}-\d\d-\d\d$/;
const ZONE = /(Z|[+-]\d\d:\d\d)$/i;

/**
 * An instant, a date (which is its whole day), or `start/end` of these, where `..` or an empty text is an open end.
 * Returns null for null and for a text that it cannot parse.
 * @param {string | null} datetime
 * @returns {Interval | null}
 */
export function parseInterval(datetime) {
  if (!datetime) return null;
  const parts = datetime.split("/");
  const first = boundsOf(parts[0]);
  const last = parts.length === 1 ? first : boundsOf(parts[1]);
  if (!first || !last || parts.length > 2) return null;
  const interval = { from: first.from, to: last.to };
  return interval.from === null && interval.to === null ? null : interval;
}

/**
 * @param {string} text
 * @returns {Interval | null}
 */
function boundsOf(text) {
  if (text === "" || text === "..") return { from: null, to: null };
  // the service also reads a time without a zone as UTC
  const moment = Date.parse(DATE.test(text) || ZONE.test(text) ? text : `${text.replace(" ", "T")}Z`);
  if (!Number.isFinite(moment)) return null;
  return DATE.test(text) ? { from: moment, to: moment + DAY - 1 } : { from: moment, to: moment };
}

/**
 * A moment as short as it can be said: seconds only where there are any.
 * @param {number} moment
 */
export const instantText = (moment) => new Date(moment).toISOString().replace(".000Z", "Z");

/**
 * The day of a moment.
 * @param {number} moment
 */
export const dateText = (moment) => new Date(moment).toISOString().split("T")[0];

/**
 * The value of the parameter for the time from one moment until just before another: dates if these are whole days.
 * @param {number} from
 * @param {number} until
 */
export function partText(from, until) {
  if (from % DAY || until % DAY || until <= from) return instantsText(from, until);
  const [first, last] = [dateText(from), dateText(until - 1)];
  return first === last ? first : `${first}/${last}`;
}

/**
 * The value of the parameter for the time between two moments; a single instant if they are equal.
 * @param {number} from
 * @param {number} to
 */
export const instantsText = (from, to) => (from === to ? instantText(from) : `${instantText(from)}/${instantText(to)}`);
