// A time series inside a property: which of its numbers is meant, how sure it is, and what it is measured against.

import { propertyTitle, unitOf } from "./format.js";

const QUANTILE = /(?:^|_)(?:p|q|pct|perc|percentile|quantile)_?(\d{1,3})(?:_|$)/i;
const RETURN_PERIOD = /(?:^|_)(?:return|rp|rl)_?(?:period_)?(\d+)_?y?(?:_|$)/i;
const THRESHOLD = /(?:^|_)(threshold|warning|alarm)(?:_|$)/i;
const NEAR = 3; // times the highest value: a threshold farther off would make the line flat

/**
 * `{title, unit, points: [[time, value]], band: {low, high, points: [[time, least, most]]} | null}` of a property's
 * value: `[{time, value}]`, `[[time, value]]`, `{series: [...]}` or `{times: [], values: []}`. Times are milliseconds
 * since 1970; `low` and `high` are percentiles, 0 to 100. Null for anything else. `columns` are descriptions by name.
 */
export function seriesOf(name, value, columns = new Map()) {
  const entries = Array.isArray(value) ? value : Array.isArray(value?.series) ? value.series : zipped(value);
  const records = entries.map((entry) => (Array.isArray(entry) ? { time: entry[0], value: entry[1] } : (entry ?? {})));
  const timeKey = keyOf(records, (given) => typeof given === "string" && Number.isFinite(Date.parse(given))) ?? "time";
  const numeric = [...new Set(records.flatMap(Object.keys))].filter(
    (key) => key !== timeKey && records.some((record) => typeof record[key] === "number"),
  );
  const quantiles = numeric
    .map((key) => [Number(QUANTILE.exec(key)?.[1]), key])
    .filter(([percent]) => percent >= 0 && percent <= 100)
    .sort(([a], [b]) => a - b);
  const others = numeric.filter((key) => !quantiles.some(([, other]) => other === key));
  // a key that is a property as well is the one that the feature is about
  const main = others.find((key) => columns.has(key)) ?? others[0] ?? quantiles[Math.floor(quantiles.length / 2)]?.[1];
  if (main === undefined) return null;
  const rows = records
    .map((record) => ({ at: instant(record[timeKey]), record }))
    .filter(({ at, record }) => Number.isFinite(at) && Number.isFinite(record[main]));
  const points = rows.map(({ at, record }) => [at, record[main]]);
  if (points.length < 2 || points.every(([at]) => at === points[0][0])) return null;
  const own = columns.get(main);
  return {
    title: main === "value" ? propertyTitle(name, columns.get(name)) : propertyTitle(main, own),
    unit: own?.unit ?? unitOf(main) ?? unitOf(name, columns.get(name)) ?? null,
    points,
    band: bandOf(rows, quantiles),
  };
}

function bandOf(rows, quantiles) {
  if (quantiles.length < 2) return null;
  const [[low, lower], [high, upper]] = [quantiles[0], quantiles.at(-1)];
  const points = rows
    .map(({ at, record }) => [at, record[lower], record[upper]])
    .filter(([, least, most]) => Number.isFinite(least) && Number.isFinite(most));
  return points.length > 1 ? { low, high, points } : null;
}

/** `[{label, value}]` of a feature's return periods and thresholds in this unit, the lowest first. */
export function thresholdsOf(properties, unit, columns = new Map()) {
  return Object.entries(properties)
    .filter(([name, value]) => typeof value === "number" && (unitOf(name, columns.get(name)) ?? null) === unit)
    .flatMap(([name, value]) => {
      const years = RETURN_PERIOD.exec(name)?.[1];
      if (years) return [{ label: `${years}-year`, value }];
      return THRESHOLD.test(name) ? [{ label: propertyTitle(name, columns.get(name)), value }] : [];
    })
    .sort((a, b) => a.value - b.value);
}

/** Those that a chart up to `high` can show: all within it and the next above, where that is near. */
export function reachable(thresholds, high) {
  const above = thresholds.find(({ value }) => value > high);
  return thresholds.filter((one) => one.value <= high || (one === above && one.value <= high * NEAR));
}

const keyOf = (records, holds) => Object.keys(records[0] ?? {}).find((key) => holds(records[0][key]));
const instant = (given) => (typeof given === "string" ? Date.parse(given) : given);

function zipped(value) {
  const lists = Object.values(value ?? {}).filter(Array.isArray);
  const times = lists.find((list) => typeof list[0] === "string");
  const numbers = lists.find((list) => typeof list[0] === "number");
  return times && numbers ? times.map((time, at) => [time, numbers[at]]) : [];
}
