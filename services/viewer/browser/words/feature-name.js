// The name of a feature. libs/catalogue/feature_name.py makes the same names for pages. The cases of
// tests/services/feature_names.json test both.

import { nearbyWords } from "./nearby.js";
import { inARow, LANGUAGE, LOCALE, placeName, say } from "./say.js";

/** @import { Column, Properties, Time } from "../types.d.ts" */

/** @type {Intl.DateTimeFormatOptions} */
const DAY = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" };
const days = new Intl.DateTimeFormat(LOCALE, DAY);

const OWN = ["title", "name", "place"];
const WORD = /^(title|name|label|place|nom|nombre|nome|naam|namn|nazwa|bezeichnung)$/i;
const PART = /^((name|nom|nombre|nome)_|.*_(name|nom|nombre|nome|naam|namn|nazwa|bezeichnung)$)/is;
const COMPOUND = /^(?!(user|sur|fore|nick|file|path|host|layer|table|column|type)name$).{3,}(name|bezeichnung)$/is;
const STRENGTH = ["max_wind_kt", "wind_speed_kt", "wind_kt"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d.*)?$/;

/**
 * The text that names a feature: its own; storms, which are mostly nameless, by basin, time and wind, for their titles
 * repeat; others by what and where they are. `collection` is as the page's data have it.
 * @param {{ label: string, time?: Time | null, columns?: Column[] }} collection
 * @param {{ id?: string | number | null, properties: Properties | null }} feature
 */
export function featureName({ label, time = null, columns = [] }, { id = null, properties }) {
  const values = properties ?? {};
  const inLanguage = LANGUAGE === "en" ? "" : nameInLanguage(values, time);
  if (inLanguage) return inLanguage;
  if (text(values.basin)) return stormName(values, time, columns);
  const own = nameColumns(Object.keys(values)).map((name) => text(values[name])).find(Boolean);
  if (own) return own;
  const kind = label.replace(/([^s])s$/, "$1");
  const parts = [text(values.country), when(values, time)].filter(Boolean);
  return parts.length ? inARow([kind, ...parts], ", ") : `${kind} ${id ?? ""}`.trim();
}

/**
 * Those of these columns whose text may name a feature, the likeliest first, as libs/catalogue/name_columns.py has them.
 * @param {string[]} names
 */
const nameColumns = (names) => [
  ...new Set([
    ...OWN.filter((name) => names.includes(name)),
    ...names.filter((name) => WORD.test(name)),
    ...names.filter((name) => PART.test(name)),
    ...names.filter((name) => COMPOUND.test(name)),
  ]),
];

/**
 * The name of an earthquake, flood or alert in the language of the page, in place of the English title of its source;
 * empty if its properties do not suffice.
 * @param {Properties} values
 * @param {Time | null} time
 */
function nameInLanguage(values, time) {
  const { magnitude, alert_level: level, main_cause: cause } = values;
  if (typeof magnitude === "number" && text(values.nearest_place)) return `M ${magnitude.toFixed(1)} - ${nearbyWords({ ...values, nearest_place_population: null })}`;
  const what = text(cause) ? say(text(cause)) : text(level) ? say("{level} alert", { level: say(text(level)) }) : "";
  return what && text(values.country) ? inARow([what, placeName(text(values.country)), when(values, time)], ", ") : "";
}

/**
 * @param {Properties} values
 * @param {Time | null} time
 * @param {Column[]} columns
 */
function stormName(values, time, columns) {
  const name = text(values.name);
  const basin = text(values.basin);
  const labels = columns.find((column) => column.name === "basin")?.labels ?? {};
  const where = Object.hasOwn(labels, basin) ? labels[basin] : basin;
  const wind = STRENGTH.map((property) => values[property]).find((value) => typeof value === "number");
  return inARow([name || where, when(values, time), wind !== undefined && `${wind} kt`], ", ");
}

/**
 * `20–24 Oct 2015` of a start and an end, `20 Oct 2015, 06:00 UTC` of a moment, `20 Oct 2015` of a day.
 * @param {Properties} values
 * @param {Time | null} time
 */
function when(values, time) {
  const start = time && moment(values[time.column]);
  if (!start) return "";
  const end = moment(values[time.endColumn ?? ""]);
  if (end) return period(start, end);
  const clock = String(values[time.column]).includes("T") ? `, ${start.toISOString().slice(11, 16)} UTC` : "";
  return day(start) + clock;
}

/**
 * @param {Date} start
 * @param {Date} end
 */
function period(start, end) {
  if (LANGUAGE !== "en") return days.formatRange(start, end);
  const [first, last] = [day(start), day(end)];
  if (first === last) return first;
  if (first.slice(-8) === last.slice(-8)) return `${start.getUTCDate()}–${last}`;
  return first.slice(-4) === last.slice(-4) ? `${first.slice(0, -5)} – ${last}` : `${first} – ${last}`;
}

/** @param {Date} time */
const day = (time) => LANGUAGE !== "en" ? days.format(time) : `${time.getUTCDate()} ${MONTHS[time.getUTCMonth()]} ${String(time.getUTCFullYear()).padStart(4, "0")}`;

/** @param {unknown} value */
function moment(value) {
  if (typeof value !== "string" || !MOMENT.test(value)) return null;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** @param {unknown} value */
const text = (value) => (typeof value === "string" ? value.trim() : "");
