// A time series inside a property (gauge forecasts) as a small line chart with its numbers as a caption.

import { element } from "./dom.js";
import { formatDay, formatNumber } from "./format.js";

const WIDTH = 280;
const HEIGHT = 64;

/** A figure for `[{time, value}]`, `[[time, value]]` or `{times: [], values: []}`; null for anything else. */
export function seriesChart(title, value) {
  const points = seriesPoints(value);
  if (points.length < 2) return null;
  const times = points.map(([time]) => time);
  const values = points.map(([, number]) => number);
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (end === start) return null;
  const x = (time) => 2 + ((time - start) / (end - start)) * (WIDTH - 4);
  const y = (number) => HEIGHT - 4 - ((number - low) / (high - low || 1)) * (HEIGHT - 8);
  const line = points.map(([time, number]) => `${x(time).toFixed(1)},${y(number).toFixed(1)}`).join(" ");
  return element(
    "figure",
    { class: "series" },
    element(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}: ${formatNumber(low)} to ${formatNumber(high)}` },
      element("polyline", { points: line }),
    ),
    element("figcaption", {
      text: `${title}: ${formatNumber(low)} to ${formatNumber(high)}, ${formatDay(start)} to ${formatDay(end)}`,
    }),
  );
}

function seriesPoints(value) {
  const series = Array.isArray(value) ? value : Array.isArray(value?.series) ? value.series : zipped(value);
  return series
    .map((entry) => (Array.isArray(entry) ? entry : [timeOf(entry), numberOf(entry)]))
    .map(([time, number]) => [typeof time === "string" ? Date.parse(time) : time, number])
    .filter(([time, number]) => Number.isFinite(time) && typeof number === "number" && Number.isFinite(number));
}

function zipped(value) {
  const lists = Object.values(value ?? {}).filter(Array.isArray);
  const times = lists.find((list) => typeof list[0] === "string");
  const numbers = lists.find((list) => typeof list[0] === "number");
  return times && numbers ? times.map((time, at) => [time, numbers[at]]) : [];
}

const timeOf = (entry) => Object.values(entry ?? {}).find((value) => typeof value === "string" && Number.isFinite(Date.parse(value)));
const numberOf = (entry) => Object.values(entry ?? {}).find((value) => typeof value === "number");
