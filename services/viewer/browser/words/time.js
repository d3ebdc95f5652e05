// Times as people read them, in UTC.

import { CLOCK, DATE, formatInstant } from "./format.js";
import { inARow, LANGUAGE, LOCALE, say } from "./say.js";

const days = new Intl.DateTimeFormat(LOCALE, DATE);
const minutes = new Intl.DateTimeFormat(LOCALE, CLOCK);
const dayAndMonth = new Intl.DateTimeFormat(LOCALE, { ...DATE, year: undefined });
const month = new Intl.DateTimeFormat(LOCALE, { ...DATE, day: undefined, year: undefined });
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
  if (to !== null) return say("until {time}", { time: (to + 1) % DAY === 0 ? days.format(to) : formatInstant(to) });
  if (from !== null) return say("since {time}", { time: from % DAY === 0 ? days.format(from) : formatInstant(from) });
  return say("any time");
}

/**
 * The label of a mark of the axis: the hour; at midnight the day; at the new year the year.
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

const dayMonthClock = new Intl.DateTimeFormat(LOCALE, { ...CLOCK, weekday: "short", year: undefined });

/**
 * `Wed 6 Sept, 12:00 UTC`.
 * @param {number} moment milliseconds since 1970
 */
export const clockWords = (moment) => `${dayMonthClock.format(moment)} UTC`;

/**
 * The label of a step of a track: the day at midnight, else the hour.
 * @param {number} moment milliseconds since 1970
 */
export const hourWords = (moment) => (moment % DAY === 0 ? dayAndMonth.format(moment) : `${new Date(moment).toISOString().slice(11, 16)}`);

/** @type {[number, number, string, Intl.RelativeTimeFormatUnit][]} up to how many of the unit, its milliseconds, what it is called */
const AGES = [
  [60, 60e3, "min", "minute"], [48, 3600e3, "h", "hour"], [60, DAY, "days", "day"], [24, 2629800e3, "months", "month"],
  [Infinity, 31557600e3, "years", "year"],
];
// Arabic has no short forms for some units
const ages = new Intl.RelativeTimeFormat(LOCALE, { style: LANGUAGE === "ar" ? "long" : "short" });

/**
 * The time from a moment to `now`, in one unit: `3 h ago`, `2 years ago`; `in 3 h` for a moment in the future.
 * libs/web/page_text.py makes the same texts for pages.
 * @param {number} moment milliseconds since 1970
 * @param {number} now
 */
export function agoWords(moment, now) {
  const away = Math.abs(now - moment);
  if (away < 60e3) return say("just now");
  const [, size, unit, name] = AGES.find(([most, length]) => away < most * length) ?? AGES[AGES.length - 1];
  const number = Math.floor(away / size);
  if (LANGUAGE !== "en") return ages.format(now > moment ? -number : number, name);
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
    issued !== null && say("issued {time}", { time: agoWords(issued, now) }),
    over !== null && (withdrawn ? say("withdrawn {time}", { time: agoWords(over, now) }) : say("ended {time}", { time: agoWords(over, now) })),
    issued === null && over === null && moment !== null && Math.abs(now - moment) < RECENT && agoWords(moment, now),
  ];
  return inARow(known, ", ");
}
