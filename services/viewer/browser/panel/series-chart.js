// A time series inside a property (gauge forecasts) as a small line chart with its numbers as a caption.

import { element } from "../page/dom.js";
import { formatDay, formatNumber } from "../words/format.js";
import { inARow, say, withUnit } from "../words/say.js";
import { reachable, seriesOf, thresholdsOf, ticks, timeTicks } from "../words/series.js";
import { tickWords } from "../words/time.js";

/** @import { Properties } from "../types.d.ts" */
/** @import { Columns, Series, Threshold } from "../words/series.js" */

const DAY = 86400e3; // milliseconds
const WIDTH = 280;
const HEIGHT = 112;
const LEFT = 34; // pixels for the numbers
const BOTTOM = 16; // pixels for the dates
const LABEL = 10; // pixels above a threshold's line

/**
 * A figure for what seriesOf takes, with the feature's thresholds; null for anything else.
 * @param {string} name
 * @param {unknown} value
 * @param {Properties} [properties]
 * @param {Columns} [columns]
 * @param {number} [now] milliseconds since 1970
 */
export function seriesChart(name, value, properties = {}, columns = new Map(), now = Date.now()) {
  const series = seriesOf(name, value, columns);
  if (!series) return null;
  const { unit, points, band } = series;
  const [start, end] = range(points.map(([time]) => time));
  const drawn = range([...points.map(([, number]) => number), ...(band?.points ?? []).flatMap(([, ...edges]) => edges)]);
  const known = thresholdsOf(properties, unit, columns);
  const thresholds = reachable(known, drawn[1]).filter((one) => one.value >= drawn[0]);
  const [low, high] = range([...drawn, ...thresholds.map((one) => one.value)]);
  const floor = HEIGHT - BOTTOM;
  /** @param {number} time */
  const x = (time) => (LEFT + ((time - start) / (end - start)) * (WIDTH - LEFT - 2)).toFixed(1);
  /** @param {number} number */
  const y = (number) => (floor - 4 - ((number - low) / (high - low || 1)) * (floor - 8 - LABEL)).toFixed(1);
  /** @param {[number, number][]} positions */
  const path = (positions) => positions.map(([time, number]) => `${x(time)},${y(number)}`).join(" ");
  const above = known.find((one) => one.value > drawn[1]);
  const caption = captionOf(series, thresholds, known.length > 0 && (above ? say("below {threshold}", { threshold: above.label }) : say("below all thresholds")));
  const dates = timeTicks(start, end);
  const unitOfDates = dates.length > 1 && dates[1] - dates[0] < DAY ? "hour" : "day";
  return element(
    "figure",
    { class: "series" },
    element(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": caption },
      ...ticks(low, high).flatMap((number) => [
        element("path", { class: "grid", d: `M${LEFT} ${y(number)}H${WIDTH}` }),
        element("text", { x: LEFT - 4, y: Number(y(number)) + 3, "text-anchor": "end", text: formatNumber(number) }),
      ]),
      ...dates.flatMap((time) => [
        element("path", { class: "grid", d: `M${x(time)} ${floor}v4` }),
        element("text", { x: x(time), y: HEIGHT - 2, "text-anchor": anchorAt(Number(x(time))), text: tickWords(time, unitOfDates) }),
      ]),
      band && element("polygon", {
        points: [path(band.points.map(([time, edge]) => [time, edge])), path(band.points.map(([time, , edge]) => /** @type {[number, number]} */ ([time, edge])).reverse())].join(" "),
      }),
      ...thresholds.flatMap((one) => [
        element("line", { x1: LEFT, x2: WIDTH, y1: y(one.value), y2: y(one.value) }),
        element("text", { x: WIDTH - 2, y: Number(y(one.value)) - 3, "text-anchor": "end", text: one.label }),
      ]),
      element("polyline", { points: path(points) }),
      ...(start <= now && now <= end
        ? [
            element("path", { class: "now", d: `M${x(now)} ${LABEL}V${floor}` }),
            element("text", { x: x(now), y: LABEL - 2, "text-anchor": anchorAt(Number(x(now))), text: say("now") }),
          ]
        : []),
    ),
    element("figcaption", { text: caption, "aria-hidden": "true" }),
  );
}

/**
 * Words at the edges stay within the chart.
 * @param {number} place
 */
const anchorAt = (place) => (place < LEFT + 14 ? "start" : place > WIDTH - 16 ? "end" : "middle");

/**
 * The chart in words; `none` where no threshold is drawn.
 * @param {Series} series
 * @param {Threshold[]} thresholds
 * @param {string | false} none
 */
function captionOf({ title, unit, points, band }, thresholds, none) {
  const [least, most] = range(points.map(([, number]) => number));
  const [start, end] = range(points.map(([time]) => time));
  const values = { title, least, most: withUnit(most, unit), start: formatDay(start), end: formatDay(end) };
  return inARow([
    say("{title}: {least} to {most}, {start} to {end}", values),
    band && say("shaded: {first}th to {last}th percentile", { first: band.low, last: band.high }),
    ...thresholds.map((one) => `${one.label}: ${withUnit(one.value, unit)}`),
    !thresholds.length && none,
  ], "; ");
}

/** @param {number[]} values */
const range = (values) => [Math.min(...values), Math.max(...values)];
