// Property values as people read them.

import { formatNumber, isolated, LOCALE, placeName, say, withUnit } from "./say.js";

export { formatNumber };

/** @import { Column } from "../types.d.ts" */

/** @type {Record<string, string>} */
const UNITS = { _kt: "kt", _hpa: "hPa", _km2: "km²", _km: "km", _m3s: "m³/s", _mm: "mm", _pct: "%" };
const plain = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 3, useGrouping: false });
/** @type {Intl.DateTimeFormatOptions} the styles of Intl have months as numbers in Arabic */
export const DATE = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" };
/** @type {Intl.DateTimeFormatOptions} */
export const CLOCK = { ...DATE, hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const dateTime = new Intl.DateTimeFormat(LOCALE, CLOCK);
const date = new Intl.DateTimeFormat(LOCALE, DATE);
// without credentials, which a link would publish
const WEB = /^https?:\/\/[^\s/?#@\\]+([/?#]\S*)?$/i;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** @param {number | string} value milliseconds since 1970, or ISO 8601 */
export const formatInstant = (value) => `${dateTime.format(new Date(value))} UTC`;
/** @param {number | string} value milliseconds since 1970, or ISO 8601 */
export const formatDay = (value) => date.format(new Date(value));

/**
 * Whether a value is an address that may become a link.
 * @param {unknown} value
 * @returns {value is string}
 */
export function isWebAddress(value) {
  return typeof value === "string" && WEB.test(value);
}

/** @param {string} name */
const suffixOf = (name) => Object.keys(UNITS).find((suffix) => name.endsWith(suffix));

/**
 * The unit of a property: the catalogue's, or what its name ends with; undefined where neither says.
 * @param {string} name
 * @param {Partial<Column>} [column]
 */
export const unitOf = (name, column) => column?.unit ?? UNITS[suffixOf(name) ?? ""];

/**
 * `max_wind_kt` to `Max wind`; a title from the catalogue wins.
 * @param {string} name
 * @param {Partial<Column>} [column]
 */
export function propertyTitle(name, column) {
  if (column?.title) return column.title;
  const unit = suffixOf(name);
  const words = (unit ? name.slice(0, -unit.length) : name).replaceAll("_", " ").trim().replace(/ url\b/gi, "");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The value as text with its unit, or null where there is nothing to show.
 * @param {string} name
 * @param {unknown} value
 * @param {Partial<Column>} [column]
 */
export function formatText(name, value, column) {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "boolean") return value ? say("yes") : say("no");
  if (typeof value === "number") {
    const unit = unitOf(name, column);
    // years and identifiers are not quantities
    return withUnit(/(^|_)(id|season|year|code)$/.test(name) ? plain.format(value) : value, unit && say(unit));
  }
  if (typeof value === "string") {
    const instant = column?.format === "date-time" || INSTANT.test(value);
    if (instant && Number.isFinite(Date.parse(value))) return formatInstant(value);
    if ((column?.format === "date" || DAY.test(value)) && Number.isFinite(Date.parse(value))) return formatDay(value);
    if (!column?.worded) return isolated(value);
    return isolated(/(^|_)country$/.test(name) ? placeName(value) : say(value));
  }
  return JSON.stringify(value);
}
