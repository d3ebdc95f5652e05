// Words at their edges: numbers of things, storms, series, coordinates, values.

import assert from "node:assert/strict";
import { test } from "node:test";

import { formatPosition, parseCoordinates } from "../../../../../services/viewer/browser/words/coordinates.js";
import { countWords, downloadWords, drawnWords, named, omittedWords } from "../../../../../services/viewer/browser/words/counts.js";
import { featureName } from "../../../../../services/viewer/browser/words/feature-name.js";
import { formatDay, formatInstant, formatText, propertyTitle, unitOf } from "../../../../../services/viewer/browser/words/format.js";
import { areaText, lengthText } from "../../../../../services/viewer/browser/words/measures.js";
import { NEARBY, nearbyWords } from "../../../../../services/viewer/browser/words/nearby.js";
import { FROM_RIGHT, inARow, isolated, LANGUAGE, LOCALE, say, sayMany, withUnit } from "../../../../../services/viewer/browser/words/say.js";
import { reachable, seriesOf, thresholdsOf, ticks, timeTicks } from "../../../../../services/viewer/browser/words/series.js";
import { statusWords, strengthSigns, strengthWords, windWords, zoneWords } from "../../../../../services/viewer/browser/words/storm.js";

test("what a download has is said by where it is from", () => {
  assert.deepEqual(["view", "area", "found"].map((where) => [null, 1, 2345].map((number) => downloadWords(where, number))), [
    ["Download what is in view:", "Download the one in view:", "Download all 2,345 in view:"],
    ["Download what is in the area:", "Download the one in the area:", "Download all 2,345 in the area:"],
    ["Download what is found:", "Download the one found:", "Download all 2,345 found:"],
  ]);
});

test("up to three collections are counted one by one", () => {
  const counted = (label, number) => ({ label, total: number, matched: number, narrowed: false });
  assert.equal(countWords([counted("Earthquakes", 1), counted("Floods", 2), counted("USGS tsunami events", 3)]), "6 features: 1 earthquake, 2 floods, 3 USGS tsunamis");
  assert.equal(countWords(["a", "b", "c", "d"].map((label) => counted(label, 1))), "4 features in 4 collections");
  assert.equal(countWords([{ label: "A", total: null, matched: 3, narrowed: true }]), "3 features", "of a total that is not known nothing is said");
  assert.equal(countWords([counted("A", null), counted("B", null)]), "");
  assert.deepEqual([named(1, "Glass"), named(3, "Wildfire events"), named(0, "Storms")], ["1 glass", "3 wildfires", "0 storms"]);
  assert.deepEqual([named(1, "GDACS events"), named(3, "GDACS events")], ["1 GDACS event", "3 GDACS events"]);
});

test("where all is drawn, or nobody knows how much, no number is said", () => {
  for (const left of [{ number: 10, estimated: false }, { number: 11, estimated: false }]) assert.match(drawnWords(10, left, true), /^Only the strongest/);
  assert.match(drawnWords(10, { number: 9, estimated: false }, false), /^Showing 1 of 10 in view; /);
  assert.match(omittedWords([{ number: 1 }], true), /^Only the strongest/);
  // parcels have no strength
  for (const words of [omittedWords([{ number: 1 }], false), drawnWords(null, { number: 9, estimated: false }, false)]) assert.match(words, /^Some features are not drawn here;/);
});

test("the strength of a storm is said by what is known of it", () => {
  const step = (wind_kt, category, pressure_hpa) => ({ properties: { wind_kt, category, pressure_hpa } });
  const names = ["TD", "TS", "C1", "C2", "C3", "C4", "C5", "XX"].map((category) => strengthWords(step(null, category, null)));
  assert.deepEqual(names, ["depression", "tropical storm", "category 1", "category 2", "category 3", "category 4", "category 5", "XX"]);
  assert.deepEqual([windWords(step(1600, "C5", 914)), windWords(step(null, "C5", 914)), windWords(step(null, null, null))], ["1,600 kt", "category 5", "strength not known"]);
  assert.deepEqual([strengthSigns(step(0, null, 1013)), strengthWords(step(0, null, 1013))], ["0 kt · 1013 hPa", "0 kt, 1013 hPa"], "pressures are not grouped");
  for (const status of ["Tropical Depression", "Tropical Storm", "HURRICANE", "Typhoon"]) assert.equal(statusWords({ properties: { status, category: "TS" } }), null);
  assert.deepEqual(["XX", "ET", 5].map((status) => statusWords({ properties: { status, category: null } })), [null, "extratropical", null]);
  assert.match(zoneWords({ issued: "2017-09-06T03:00:00Z", expected: false }), /^As the advisory of 6 Sept? 2017, 03:00 UTC analysed it$/);
});

test("a series is that of a property, by the unit and the title that are nearest", () => {
  const two = (...rows) => rows.map((row, at) => ({ time: `2026-01-0${at + 1}`, ...row }));
  const columns = new Map([["rain", { title: "Rainfall", unit: "mm" }], ["b_kt", { title: "Wind" }]]);
  const own = seriesOf("rain", two({ a: 1, b_kt: 2 }, { a: 3, b_kt: 4 }), columns);
  assert.deepEqual([own.title, own.unit, own.points.map(([, value]) => value)], ["Wind", "kt", [2, 4]], "the one that is a property as well");
  const value = seriesOf("rain", two({ value: 1 }, { value: 2 }), columns);
  assert.deepEqual([value.title, value.unit], ["Rainfall", "mm"]);
  assert.equal(seriesOf("rain", two({ level: 1 }, { level: 2 })).unit, null);
  assert.equal(seriesOf("rain", two({ level: 1 }, { level: 2 }), new Map([["level", { unit: "m" }]])).unit, "m");
  assert.deepEqual(seriesOf("x", [[0, 5], [3600e3, 6]]).points, [[0, 5], [3600e3, 6]], "times may be numbers");
  assert.equal(seriesOf("x", two({ p50: 1 }, { p50: 2 })).band, null);
  const gaps = seriesOf("x", two({ p10: 1, a: 2, p90: 3 }, { p10: 1, a: 2 }, { p10: 4, a: 5, p90: 6 }, { a: 7, p90: 9 }));
  assert.deepEqual([gaps.points.length, gaps.band.points.map(([, ...edges]) => edges)], [4, [[1, 3], [4, 6]]]);
  assert.equal(seriesOf("x", two({ p10: 1, a: 2, p90: 3 }, { a: 2 })).band, null, "one position is no band");
  assert.equal(seriesOf("x", two({ a: "1" }, { a: "2" })), null);
});

test("thresholds are those in the unit of the chart, and the next above it that is near", () => {
  const found = thresholdsOf({ warning_m3s: 5, alarm_level: 3, rp_5_m3s: 9, other_m3s: 1, threshold_m3s: "4" }, "m³/s");
  assert.deepEqual(found, [{ label: "Warning", value: 5 }, { label: "5-year", value: 9 }]);
  assert.deepEqual(thresholdsOf({ alarm_level: 3 }, null), [{ label: "Alarm level", value: 3 }]);
  assert.deepEqual(thresholdsOf({ alarm: 3 }, "m", new Map([["alarm", { unit: "m", title: "Red" }]])), [{ label: "Red", value: 3 }]);
  const values = [10, 20, 40].map((value) => ({ label: "", value }));
  assert.deepEqual([3, 4, 10, 13, 20].map((high) => reachable(values, high).map(({ value }) => value)), [[], [10], [10, 20], [10, 20], [10, 20, 40]]);
  assert.deepEqual(reachable([{ label: "", value: 9 }], 3).length, 1, "three times as high is near");
});

test("an axis has steps of one, two and five, and of hours that people count by", () => {
  assert.deepEqual([ticks(0, 3), ticks(0, 6), ticks(0, 15), ticks(0, 27), ticks(0, 2, 2)], [[0, 1, 2, 3], [0, 2, 4, 6], [0, 5, 10, 15], [0, 10, 20], [0, 1, 2]]);
  assert.deepEqual([ticks(0.1, 0.34), ticks(0.1, 0.3), ticks(-0.3, -0.1)], [[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [-0.3, -0.2, -0.1]]);
  const HOUR = 3600e3;
  const steps = [5, 6, 15, 16, 30, 31, 60, 61, 120, 121, 240, 241, 600, 601, 1200, 1201, 3600, 3601, 10800, 10801, 99_999].map((hours) => {
    const [first, second] = timeTicks(0, hours * HOUR);
    return (second - first) / HOUR;
  });
  assert.deepEqual(steps, [1, 3, 3, 6, 6, 12, 12, 24, 24, 48, 48, 120, 120, 240, 240, 720, 720, 2160, 2160, 8760, 8760]);
  assert.deepEqual(timeTicks(0, 10 * HOUR, 10).length, 11);
});

test("coordinates are read to the second, on each side, the direction before or after", () => {
  const near = (text, expected) => parseCoordinates(text).forEach((value, at) => assert.ok(Math.abs(value - expected[at]) < 1e-9, text));
  near("S33°54'30\" E151°12'36\"", [151.21, -(33 + 54.5 / 60)]);
  near("W70°30' S33°15'", [-70.5, -33.25]);
  near("E121°33' N25°2'", [121 + 33 / 60, 25 + 2 / 60]);
  for (const text of ["25 deg N 121.5 deg E", "25deg N, 121.5degE", "25 degrees N 121.5 degrees E"]) near(text, [121.5, 25]);
  near("0°30'S 0°15'W", [-0.25, -0.5]);
  for (const text of ["N25 S30", "91N 0E", "0N 181E", "E25 E30"]) assert.equal(parseCoordinates(text), null, text);
  assert.deepEqual([formatPosition([0, 0]), formatPosition([-0.0004, -90]), formatPosition([-180, 12.34567])], ["0°N 0°E", "90°S 0°W", "12.346°N 180°W"]);
});

test("a feature is named by the month and the day of its time", () => {
  const months = Array.from({ length: 12 }, (_, at) => {
    const day = `2015-${String(at + 1).padStart(2, "0")}-03`;
    return featureName({ label: "Floods", time: { column: "day" } }, { properties: { day } });
  });
  assert.deepEqual(months, "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ").map((month) => `Flood, 3 ${month} 2015`));
  const called = (properties) => featureName({ label: "Floods" }, { id: 5, properties });
  assert.deepEqual([called({ place: "P", name: "N", title: "T" }), called({ place: "P", name: "N" }), called({ city_name: "C", label: "L" }), called({ city_name: "C" }), called(null)], ["T", "N", "L", "C", "Flood 5"]);
});

test("values have their unit, times their zone, and codes no grouping", () => {
  assert.deepEqual(["a_kt", "a_hpa", "a_km2", "a_km", "a_m3s", "a_mm", "a_pct"].map((name) => formatText(name, 1)), ["1 kt", "1 hPa", "1 km²", "1 km", "1 m³/s", "1 mm", "1 %"]);
  assert.deepEqual(["id", "flood_id", "season", "year", "code", "identity"].map((name) => formatText(name, 12_345)), ["12345", "12345", "12345", "12345", "12345", "12,345"]);
  assert.equal(formatText("code", 1.23456), "1.235");
  assert.match(formatInstant("2018-02-07T00:05:00Z"), /^7 Feb 2018, 00:05 UTC$/);
  assert.deepEqual([formatText("a", "2018-02-07", { format: "date" }), formatText("a", "Feb 7 2018 06:00 UTC", { format: "date-time" }), formatDay(0)], ["7 Feb 2018", "7 Feb 2018, 06:00 UTC", "1 Jan 1970"]);
  assert.deepEqual([unitOf("a_kt", { unit: null }), propertyTitle("area_km2"), propertyTitle("url"), propertyTitle("curl_url")], ["kt", "Area", "Url", "Curl"]);
});

test("lengths and areas change their unit where they are long", () => {
  assert.deepEqual([lengthText(0), lengthText(1852)], ["0 m", "1.852 km (1 nmi)"]);
  assert.deepEqual([areaText(0), areaText(1e5), areaText(3e12)], ["0 m²", "0.1 km²", "3,000,000 km²"]);
});

test("what tells the nearest place is told in words alone", () => {
  assert.deepEqual([...NEARBY], ["nearest_place", "nearest_place_km", "nearest_place_bearing", "nearest_place_population"]);
  assert.deepEqual([nearbyWords({}), nearbyWords({ nearest_place: "A", nearest_place_km: 0, nearest_place_bearing: "N", nearest_place_population: 0 })], ["", "0 km N of A"]);
});

test("a page without words of another language is English, from the left", () => {
  assert.deepEqual([LANGUAGE, LOCALE, FROM_RIGHT, isolated("a"), say("{a} {b}", { a: 1234.5678 })], ["en", "en-GB", false, "a", "1,234.568 {b}"]);
  assert.deepEqual([sayMany("one", "{number} of {what}", 0, { what: "x" }), inARow(["a", "", "b"]), withUnit("5", "kt"), withUnit(5)], ["0 of x", "a · b", "5 kt", "5"]);
});
