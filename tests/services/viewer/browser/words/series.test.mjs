import assert from "node:assert/strict";
import { test } from "node:test";

import { reachable, seriesOf, thresholdsOf, ticks, timeTicks } from "../../../../../services/viewer/browser/words/series.js";

const GAUGE = [
  { time: "2026-11-01T00:00:00Z", p25_m3s: 48.1, p75_m3s: 48.1, discharge_m3s: 48.1 },
  { time: "2026-11-02T00:00:00Z", p25_m3s: 50.2, p75_m3s: 52.2, discharge_m3s: 51.2 },
];

test("the series is the one meant, with its quartiles as a band", () => {
  const series = seriesOf("time_series", GAUGE, new Map([["discharge_m3s", { title: "Discharge", unit: "m³/s" }]]));
  assert.deepEqual([series.title, series.unit], ["Discharge", "m³/s"]);
  assert.deepEqual(series.points, [[Date.UTC(2026, 10, 1), 48.1], [Date.UTC(2026, 10, 2), 51.2]]);
  assert.deepEqual([series.band.low, series.band.high], [25, 75]);
  assert.deepEqual(series.band.points.map(([, ...edges]) => edges), [[48.1, 48.1], [50.2, 52.2]]);
});

for (const [value, values, unit, title] of [
  [GAUGE, [48.1, 51.2], "m³/s", "Discharge"],
  [[["2026-01-01", 1], ["2026-01-02", 2]], [1, 2], "mm", "Rain"],
  [{ times: ["2026-01-01", "2026-01-02"], rain: [3, 4] }, [3, 4], "mm", "Rain"],
  [{ series: [{ at: "2026-01-01", value: 5 }, { at: "2026-01-02", value: 6 }] }, [5, 6], "mm", "Rain"],
  // nothing but quantiles: the median
  [[1, 2].map((day) => ({ t: `2026-01-0${day}`, q10: 0, q50: day, q90: 9 })), [1, 2], "mm", "Q50"],
  // gaps are left out
  [[["2026-01-01", 1], ["2026-01-02", null], ["2026-01-03", 2]], [1, 2], "mm", "Rain"],
]) {
  test(`a series of any form: ${JSON.stringify(value).slice(0, 60)}`, () => {
    const series = seriesOf("rain_mm", value);
    assert.deepEqual(series.points.map(([, number]) => number), values);
    assert.deepEqual([series.unit, series.title], [unit, title]);
  });
}

test("a series has the title of its column, and the median of several quantiles", () => {
  const titled = seriesOf("a", GAUGE, new Map([["discharge_m3s", { title: "Outflow" }]]));
  assert.deepEqual([titled.title, titled.unit], ["Outflow", "m³/s"]);
  assert.equal(seriesOf("values", { times: ["2026-01-01", "2026-01-02"] }), null);
  assert.equal(seriesOf("values", { rain: [1, 2] }), null);
});

test("what is beyond percentiles is a series of its own", () => {
  const series = seriesOf("a", [1, 2].map((day) => ({ t: `2026-01-0${day}`, p0: 1, p50: 2, p100: 3, p101: 4 })));
  assert.deepEqual([series.title, series.band.low, series.band.high], ["P101", 0, 100]);
});

for (const value of [[], { a: 1 }, [1, 2, 3], null, [["2026-01-01", 1]], [["2026-01-01", 1], ["2026-01-01", 2]], [null, null]]) {
  test(`what is no series makes no chart: ${JSON.stringify(value)}`, () => assert.equal(seriesOf("a", value), null));
}

test("thresholds are return periods in the same unit", () => {
  const gauge = { return_20y_m3s: 263.5, return_2y_m3s: 138, peak_discharge_m3s: 58.1, flood_threshold_mm: 3, warning_m3s: 200 };
  const found = thresholdsOf(gauge, "m³/s");
  assert.deepEqual(found, [{ label: "2-year", value: 138 }, { label: "Warning", value: 200 }, { label: "20-year", value: 263.5 }]);
  // a chart shows those within it and the next above, unless that is far off
  const reached = (high) => reachable([found[0], found[2]], high).map(({ label }) => label);
  assert.deepEqual([reached(60), reached(150), reached(20), reached(300)], [["2-year"], ["2-year", "20-year"], [], ["2-year", "20-year"]]);
});

test("an axis has round numbers and midnights", () => {
  assert.deepEqual([ticks(48.1, 52.2), ticks(0, 1000), ticks(0.1, 0.34), ticks(5, 5)], [[50, 52], [0, 500, 1000], [0.1, 0.2, 0.3], [5]]);
  // between two of them there is none
  assert.deepEqual([ticks(1.1, 1.4, 1), timeTicks(3_600_001, 7_199_999)], [[], []]);
  const days = timeTicks(Date.parse("2026-11-01T06:00:00Z"), Date.parse("2026-11-20T00:00:00Z"));
  assert.deepEqual(days.map((time) => new Date(time).toISOString().slice(5, 16)), ["11-03T00:00", "11-08T00:00", "11-13T00:00", "11-18T00:00"]);
  assert.equal(timeTicks(0, 6 * 3600e3).length, 3);
});
