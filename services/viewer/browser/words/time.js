// Times as people read them, in UTC.

import { formatInstant } from "./format.js";

/** @type {Intl.DateTimeFormatOptions} */
const UTC = { timeZone: "UTC" };
const days = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", ...UTC });
const minutes = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", ...UTC });
const dayAndMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...UTC });
const month = new Intl.DateTimeFormat("en-GB", { month: "short", ...UTC });
const DAY = 86400e3; // milliseconds
const RECENT = 60 * DAY;

/**
 * The time from one moment to another, both in milliseconds since 1970; null is an open end. Whole days by their dates.
 * @param {number | null} from
 * @param {number | null} to
 */
export function spanWords(from, to) {
  if (from !== null && to !== null) {
    if (from === to) return formatInstant(from);
    return from % DAY === 0 && (to + 1) % DAY === 0 ? days.formatRange(from, to) : `${minutes.formatRange(from, to)} UTC`;
  }
  if (to !== null) return `until ${(to + 1) % DAY === 0 ? days.format(to) : formatInstant(to)}`;
  if (from !== null) return `since ${from % DAY === 0 ? days.format(from) : formatInstant(from)}`;
  return "any time";
}

/**
 * What stands at a mark of the axis: the hour, at midnight the day, at the new year the year.
 * @param {number} moment milliseconds since 1970
 * @param {"hour" | "day" | "month" | "year"} unit
 */
export function tickWords(moment, unit) {
  const date = new Date(moment);
  const isMidnight = moment % DAY === 0;
  if (unit === "year" || (isMidnight && date.getUTCMonth() === 0 && date.getUTCDate() === 1)) return String(date.getUTCFullYear());
  if (unit === "month") return month.format(date);
  return isMidnight ? dayAndMonth.format(date) : date.toISOString().slice(11, 16);
}

const dayMonthClock = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", ...UTC });

/**
 * `Wed 6 Sept, 12:00 UTC`.
 * @param {number} moment milliseconds since 1970
 */
export const clockWords = (moment) => `${dayMonthClock.format(moment)} UTC`;

/**
 * What stands beside a step of a track: the day at midnight, else the hour.
 * @param {number} moment milliseconds since 1970
 */
export const hourWords = (moment) => (moment % DAY === 0 ? dayAndMonth.format(moment) : `${new Date(moment).toISOString().slice(11, 16)}`);

/** @type {[number, number, string][]} up to how many of the unit, its milliseconds, what it is called */
const AGES = [[60, 60e3, "min"], [48, 3600e3, "h"], [60, DAY, "days"], [24, 2629800e3, "months"], [Infinity, 31557600e3, "years"]];

/**
 * How long before `now` a moment was, in one unit: `3 h ago`, `2 years ago`; `in 3 h` of what is to come.
 * libs/web/page_text.py says the same on pages.
 * @param {number} moment milliseconds since 1970
 * @param {number} now
 */
export function agoWords(moment, now) {
  const away = Math.abs(now - moment);
  if (away < 60e3) return "just now";
  const [, size, unit] = AGES.find(([most, length]) => away < most * length) ?? AGES[AGES.length - 1];
  const number = Math.floor(away / size);
  const words = `${number} ${number === 1 ? unit.replace(/s$/, "") : unit}`;
  return now > moment ? `${words} ago` : `in ${words}`;
}

/**
 * How new what a feature says is: `issued 3 h ago`, `ended 2 days ago`, `withdrawn 2 h ago`, `3 h ago`; nothing of what
 * is long past.
 * @param {{ moment: number | null, issued: number | null, over: number | null, withdrawn: boolean }} times
 * @param {number} now
 */
export function ageWords({ moment, issued, over, withdrawn }, now) {
  const known = [
    issued !== null && `issued ${agoWords(issued, now)}`,
    over !== null && `${withdrawn ? "withdrawn" : "ended"} ${agoWords(over, now)}`,
    issued === null && over === null && moment !== null && Math.abs(now - moment) < RECENT && agoWords(moment, now),
  ];
  return known.filter(Boolean).join(", ");
}
