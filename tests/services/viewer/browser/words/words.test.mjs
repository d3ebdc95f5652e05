import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Omitted } from "../../../../../services/viewer/browser/engines/omitted.js";
import { countWords, drawnWords, named, omittedWords, simplifiedWords } from "../../../../../services/viewer/browser/words/counts.js";
import { featureName } from "../../../../../services/viewer/browser/words/feature-name.js";
import { formatText, isWebAddress, propertyTitle, unitOf } from "../../../../../services/viewer/browser/words/format.js";
import { areaText, lengthText } from "../../../../../services/viewer/browser/words/measures.js";

// the pages of items have the same cases
const BASIN = { name: "basin", type: "string", labels: { NA: "North Atlantic", EP: "East Pacific", SI: "South Indian Ocean" } };
const NAMES = JSON.parse(readFileSync(new URL("../../../feature_names.json", import.meta.url), "utf8"));

for (const { says, title, time, id, properties, name } of NAMES) {
  test(`features are named as on their pages: ${says}`, () => {
    const [start, end] = time ?? [null, null];
    const collection = { label: title, time: start && { column: start, endColumn: end }, columns: [BASIN] };
    assert.equal(featureName(collection, { id, properties }), name);
  });
}

const counted = (label, total, matched = total) => ({ label, total, matched, narrowed: matched !== total });

for (const [counts, words] of [
  [[], ""],
  [[counted("Earthquakes", 1707)], "1,707 features"],
  [[counted("Earthquakes", 1)], "1 feature"],
  [[counted("Earthquakes", 1707, 320)], "320 of 1,707 features"],
  [[counted("Earthquakes", 1, 0)], "0 of 1 feature"],
  [[counted("Earthquakes", null)], ""],
  [[counted("Earthquakes", null, 3)], "3 features"],
  [[counted("Earthquake events", 1707), counted("Flood events", 1)], "1,708 features: 1,707 earthquakes, 1 flood"],
  [[counted("Earthquake events", 1707), counted("USGS events", null)], "over 1,707 features: 1,707 earthquakes, USGS events not counted"],
  [[1, 2, 3, 4].map((number) => counted("Nodes", number)), "10 features in 4 collections"],
]) {
  test(`counts in words: ${words || "none"}`, () => assert.equal(countWords(counts), words));
}

test("a number of things", () => {
  assert.deepEqual([named(1, "Flood events"), named(2, "Flood events"), named(1, "Buoys"), named(1, "Glass")],
    ["1 flood", "2 floods", "1 buoy", "1 glass"]);
});

test("lengths and areas have their unit", () => {
  assert.deepEqual([999.4, 1000, 12_345, 1_234_567].map(lengthText),
    ["999.4 m", "1 km (0.54 nmi)", "12.35 km (6.666 nmi)", "1,235 km (666.6 nmi)"]);
  assert.deepEqual([850, 99_999, 100_000, 12_345_678].map(areaText), ["850 m²", "100,000 m²", "0.1 km²", "12.35 km²"]);
});

test("properties have titles and units", () => {
  assert.equal(propertyTitle("max_wind_kt"), "Max wind");
  assert.equal(propertyTitle("area_km2"), "Area");
  assert.equal(propertyTitle("_max_wind_"), "Max wind");
  assert.equal(propertyTitle("report_url"), "Report");
  assert.equal(propertyTitle("max_wind_kt", { title: "Peak" }), "Peak");
  assert.deepEqual(["wind_kt", "length_km", "area_km2", "other"].map((name) => unitOf(name)), ["kt", "km", "km²", undefined]);
  assert.equal(unitOf("wind_kt", { unit: "m/s" }), "m/s");
});

for (const [name, value, text, column] of [
  ["a", null, null], ["a", undefined, null], ["a", "", null],
  ["a", true, "yes"], ["a", false, "no"],
  ["count", 12_345.6789, "12,345.679"], ["code", 12_345.67891, "12345.679"], ["wind_kt", 50, "50 kt"], ["season", 2015, "2015"], ["event_id", 12_345, "12345"],
  ["at", "2018-02-07T06:05:00Z", "7 Feb 2018, 06:05 UTC"], ["at", "2018-02-07", "7 Feb 2018"],
  ["at", "2018-99-99T00:00:00Z", "2018-99-99T00:00:00Z"], ["day", "20180207", "20180207", { format: "date" }],
  ["a", "text", "text"], ["a", [1, 2], "[1,2]"],
]) {
  test(`a value as people read it: ${name} ${JSON.stringify(value)}`, () => assert.equal(formatText(name, value, column), text));
}

test("only addresses of the web become links", () => {
  assert.deepEqual(["https://a.example/b", "HTTP://a.example", "javascript:alert(1)", "https://a b", "x https://a", 1, null].map(isWebAddress),
    [true, true, false, false, false, false, false]);
  const withSigns = ["https://a.example?b=c@d", "https://me:secret@a.example/b", "https://token@a.example", "https://a\\@b/", "https://"];
  assert.deepEqual(withSigns.map(isWebAddress), [true, false, false, false, false]);
});

test("how many are drawn follows from what the tiles leave out", () => {
  assert.equal(drawnWords(149703, { number: 115703, estimated: false }, true), "Showing 34,000 of 149,703 in view, strongest first; zoom in to see the rest");
  assert.equal(drawnWords(149703, { number: 115650, estimated: true }, false), "Showing about 34,000 of 149,703 in view; zoom in to see the rest");
  // lines in several tiles are left out several times
  for (const matched of [null, 90]) assert.match(drawnWords(matched, { number: 90, estimated: false }, true), /^Only the strongest are shown here/);
  assert.equal(omittedWords([], true), "");
});

test("tiles tell what they leave out, each once, until they tell otherwise", () => {
  globalThis.document = { baseURI: "http://here/map" };
  const omitted = new Omitted();
  omitted.note("http://here/tiles/0/0/0?filter=a%20%3D%20%27b%27", "120;estimate", "4");
  omitted.note("http://here/tiles/1/0/0", "30");
  omitted.note("http://here/tiles/1/0/1", "0");
  assert.deepEqual(omitted.of(["/tiles/0/0/0?filter=a%20%3D%20'b'", "/tiles/1/0/0", "/tiles/1/0/0"]), { number: 150, estimated: true, simplified: 4 });
  assert.deepEqual(omitted.of(["/tiles/1/0/0", "/tiles/1/0/1"]), { number: 30, estimated: false, simplified: 0 });
  omitted.note("http://here/tiles/1/0/0", "0");
  assert.equal(omitted.of(["/tiles/1/0/0"]), null);
  omitted.note("http://here/tiles/1/0/0", "0", "7");
  assert.deepEqual(omitted.of(["/tiles/1/0/0"]), { number: 0, estimated: false, simplified: 7 });
  assert.equal(simplifiedWords([{ simplified: 0 }, { simplified: 7 }]), "Shapes are simplified; zoom in for detail");
  assert.equal(simplifiedWords([{ simplified: 0 }]), "");
});
