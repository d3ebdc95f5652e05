// A time series inside a property: which of its numbers is meant, how sure it is, and what it is measured against.

import { propertyTitle, unitOf } from "./format.js";
import { say } from "./say.js";

/**
 * @import { Column, Properties } from "../types.d.ts"
 * @typedef {Map<string, Partial<Column>>} Columns descriptions by name
 * @typedef {{ label: string, value: number }} Threshold
 * @typedef {{ low: number, high: number, points: [number, number, number][] }} Band percentiles, [time, least, most]
 * @typedef {{ title: string, unit: string | null, points: [number, number][], band: Band | null }} Series
 */

const QUANTILE = /(?:^|_)(?:p|q|pct|perc|percentile|quantile)_?(\d{1,3})(?:_|$)/i;
const RETURN_PERIOD = /(?:^|_)(?:return|rp|rl)_?(?:period_)?(\d+)_?y?(?:_|$)/i;
const THRESHOLD = /(?:^|_)(threshold|warning|alarm)(?:_|$)/i;
const HOUR = 3600e3; // milliseconds
const TIME_STEPS = [1, 3, 6, 12, 24, 48, 120, 240, 720, 2160, 8760]; // hours
const NEAR = 3; // times the highest value: a threshold farther off would make the line flat

/**
 * The series in a property's value: `[{time, value}]`, `[[time, value]]`, `{series: [...]}` or `{times: [], values: []}`.
 * Times are milliseconds since 1970. Null for anything else.
 * @param {string} name
 * @param {unknown} value
 * @param {Columns} [columns]
 * @returns {Series | null}
 */
export function seriesOf(name, value, columns = new Map()) {
  const records = recordsOf(value);
  const timeKey = keyOf(records, (given) => typeof given === "string" && Number.isFinite(Date.parse(given))) ?? "time";
  const numeric = [...new Set(records.flatMap(Object.keys))].filter(
    (key) => key !== timeKey && records.some((record) => typeof record[key] === "number"),
  );
  const quantiles = numeric
    .map((key) => /** @type {[number, string]} */ ([Number(QUANTILE.exec(key)?.[1]), key]))
    .filter(([percent]) => percent >= 0 && percent <= 100)
    .sort(([a], [b]) => a - b);
  const others = numeric.filter((key) => !quantiles.some(([, other]) => other === key));
  // a key that is a property as well is the one that the feature is about
  const main = others.find((key) => columns.has(key)) ?? others[0] ?? quantiles[Math.floor(quantiles.length / 2)]?.[1];
  if (main === undefined) return null;
  const rows = records
    .map((record) => ({ at: instant(record[timeKey]), record }))
    .filter(({ at, record }) => Number.isFinite(at) && Number.isFinite(record[main]));
  const points = rows.map(({ at, record }) => /** @type {[number, number]} */ ([at, record[main]]));
  if (points.length < 2 || points.every(([at]) => at === points[0][0])) return null;
  const own = columns.get(main);
  return {
    title: main === "value" ? propertyTitle(name, columns.get(name)) : propertyTitle(main, own),
    unit: own?.unit ?? unitOf(main) ?? unitOf(name, columns.get(name)) ?? null,
    points,
    band: bandOf(rows, quantiles),
  };
}

/**
 * @param {unknown} value
 * @returns {Properties[]}
 */
function recordsOf(value) {
  const { series } = /** @type {{ series?: unknown }} */ (value ?? {});
  const entries = Array.isArray(value) ? value : Array.isArray(series) ? series : zipped(value);
  return entries.map((entry) => (Array.isArray(entry) ? { time: entry[0], value: entry[1] } : (entry ?? {})));
}

/**
 * @param {{ at: number, record: Properties }[]} rows
 * @param {[number, string][]} quantiles
 * @returns {Band | null}
 */
function bandOf(rows, quantiles) {
  if (quantiles.length < 2) return null;
  const [low, lower] = quantiles[0];
  const [high, upper] = quantiles[quantiles.length - 1];
  const points = rows
    .map(({ at, record }) => /** @type {[number, number, number]} */ ([at, record[lower], record[upper]]))
    .filter(([, least, most]) => Number.isFinite(least) && Number.isFinite(most));
  return points.length > 1 ? { low, high, points } : null;
}

/**
 * A feature's return periods and thresholds in this unit, the lowest first.
 * @param {Properties} properties
 * @param {string | null} unit
 * @param {Columns} [columns]
 * @returns {Threshold[]}
 */
export function thresholdsOf(properties, unit, columns = new Map()) {
  return Object.entries(properties)
    .flatMap(([name, value]) => {
      if (typeof value !== "number" || (unitOf(name, columns.get(name)) ?? null) !== unit) return [];
      const years = RETURN_PERIOD.exec(name)?.[1];
      if (years) return [{ label: say("{number}-year", { number: years }), value }];
      return THRESHOLD.test(name) ? [{ label: propertyTitle(name, columns.get(name)), value }] : [];
    })
    .sort((a, b) => a.value - b.value);
}

/**
 * Those that a chart up to `high` can show: all within it and the next above, where that is near.
 * @param {Threshold[]} thresholds the lowest first
 * @param {number} high
 */
export function reachable(thresholds, high) {
  const above = thresholds.find(({ value }) => value > high);
  return thresholds.filter((one) => one.value <= high || (one === above && one.value <= high * NEAR));
}

/**
 * Round numbers within a range, some `about` of them; services/features/pages/series_chart.py has the same.
 * @param {number} low
 * @param {number} high
 * @param {number} [about]
 */
export function ticks(low, high, about = 3) {
  const rough = (high - low || 1) / about;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((times) => times * unit >= rough) ?? 10) * unit;
  // 0.3 / 0.1 is a little less than 3
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(high / step + 1e-9) - first + 1) }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/**
 * Midnights, or hours of a short time, within a range of milliseconds since 1970.
 * @param {number} start
 * @param {number} end
 * @param {number} [most]
 */
export function timeTicks(start, end, most = 5) {
  const step = (TIME_STEPS.find((hours) => (end - start) / (hours * HOUR) <= most) ?? TIME_STEPS[TIME_STEPS.length - 1]) * HOUR;
  const first = Math.ceil(start / step);
  return Array.from({ length: Math.max(0, Math.floor(end / step) - first + 1) }, (_, at) => (first + at) * step);
}

/**
 * @param {Properties[]} records
 * @param {(value: unknown) => boolean} holds
 */
const keyOf = (records, holds) => Object.keys(records[0] ?? {}).find((key) => holds(records[0][key]));

/** @param {unknown} given */
const instant = (given) => (typeof given === "string" ? Date.parse(given) : Number(given ?? NaN));

/** @param {unknown} value */
function zipped(value) {
  const lists = Object.values(value ?? {}).filter(Array.isArray);
  const times = lists.find((list) => typeof list[0] === "string");
  const numbers = lists.find((list) => typeof list[0] === "number");
  return times && numbers ? times.map((time, at) => [time, numbers[at]]) : [];
}
