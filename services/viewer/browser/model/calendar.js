// Steps of the calendar, in UTC: where they begin and which is fit for a span of time. Moments are milliseconds since 1970.

/**
 * @typedef {"hour" | "day" | "month" | "year"} Unit
 * @typedef {{ unit: Unit, count: number }} Step
 */

export const MINUTE = 60e3;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** @type {Record<Unit, number>} */
const LENGTHS = { hour: HOUR, day: DAY, month: 30.44 * DAY, year: 365.25 * DAY };

/** @type {Step[]} */
const STEPS = [
  ...[1, 2, 3, 6, 12].map((count) => ({ unit: /** @type {const} */ ("hour"), count })),
  ...[1, 2, 7].map((count) => ({ unit: /** @type {const} */ ("day"), count })),
  ...[1, 3].map((count) => ({ unit: /** @type {const} */ ("month"), count })),
  ...[1, 2, 5, 10, 20, 50, 100].map((count) => ({ unit: /** @type {const} */ ("year"), count })),
];

// the first Monday after the beginning of 1970, in days
const MONDAY = 4;

/**
 * About how long a step is.
 * @param {Step} step
 */
export const lengthOf = ({ unit, count }) => LENGTHS[unit] * count;

/**
 * The shortest step of which no more than `most` lie between two moments; the longest where all are more.
 * @param {number} start
 * @param {number} end
 * @param {number} most
 */
export const stepFor = (start, end, most) => STEPS.find((step) => (end - start) / lengthOf(step) <= most) ?? STEPS[STEPS.length - 1];

/**
 * The beginning of the step in which a moment lies.
 * @param {number} moment
 * @param {Step} step
 */
export function beginning(moment, { unit, count }) {
  if (unit === "hour") return Math.floor(moment / (HOUR * count)) * HOUR * count;
  if (unit === "day") {
    const offset = count === 7 ? MONDAY : 0;
    return (Math.floor((moment / DAY - offset) / count) * count + offset) * DAY;
  }
  const date = new Date(moment);
  const months = unit === "year" ? count * 12 : count;
  const month = Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / months) * months;
  return firstOfMonth(month);
}

/**
 * The beginning of the step after the one that begins at a moment.
 * @param {number} moment
 * @param {Step} step
 */
export function after(moment, { unit, count }) {
  if (unit === "hour" || unit === "day") return moment + LENGTHS[unit] * count;
  const date = new Date(moment);
  return firstOfMonth(date.getUTCFullYear() * 12 + date.getUTCMonth() + (unit === "year" ? count * 12 : count));
}

/**
 * The beginnings of all steps that have a part between two moments, and the end of the last.
 * @param {number} start
 * @param {number} end
 * @param {Step} step
 */
export function edgesOf(start, end, step) {
  const edges = [beginning(start, step)];
  do edges.push(after(edges[edges.length - 1], step));
  while (edges[edges.length - 1] <= end);
  return edges;
}

/**
 * The first moment of a month, counted from the beginning of the year 0.
 * @param {number} month
 */
function firstOfMonth(month) {
  const date = new Date(0);
  // Date.UTC takes the years before 100 for others
  date.setUTCFullYear(Math.floor(month / 12), month % 12, 1);
  return date.getTime();
}
