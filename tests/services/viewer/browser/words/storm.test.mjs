import assert from "node:assert/strict";
import { test } from "node:test";

import { advisoryWords, forceWords, statusWords, strengthSigns, strengthWords, timeWords, zoneWords } from "../../../../../services/viewer/browser/words/storm.js";

test("what a storm is called is told where its category does not say it", () => {
  const words = [
    [null, { status: null, category: "TS" }],
    [null, { status: "HU", category: "C3" }],
    ["extratropical", { status: "EX", category: "TS" }],
    ...["disturbance", "low", "wave", "extratropical", "subtropical", "subtropical"].map((said, at) => [said, { status: ["DB", "LO", "WV", "ET", "SS", "SD"][at] }]),
    [null, { status: "Tropical Storm", category: "TS" }],
    [null, { status: "Hurricane", category: "C3" }],
    ["hurricane", { status: "Hurricane", category: null }],
    ["post-tropical cyclone", { status: "Post-Tropical Cyclone", category: "TS" }],
  ];
  for (const [said, properties] of words) assert.equal(statusWords({ properties }), said, JSON.stringify(properties));
});

test("how strong a storm is, is told as far as it is known", () => {
  const told = (wind_kt, category, pressure_hpa) => [strengthWords, strengthSigns].map((words) => words({ properties: { wind_kt, category, pressure_hpa } }));
  assert.deepEqual(told(160, "C5", 914), ["160 kt, category 5, 914 hPa", "160 kt · C5 · 914 hPa"]);
  assert.deepEqual(told(null, "XX", null), ["XX", "XX"]);
  assert.deepEqual(told(null, null, null), ["strength not known", ""]);
  assert.deepEqual([34, 50, 64, 80].map(forceWords), ["34 kt, gale force", "50 kt, storm force", "64 kt, hurricane force", "80 kt"]);
});

test("who says it and when is told", () => {
  const issued = "2017-09-06T03:00:00Z";
  const zones = [[null, true], [null, false], [issued, true], [issued, false]].map(([time, expected]) => zoneWords({ issued: time, expected }));
  assert.deepEqual(zones.slice(0, 2), ["As it is expected", "As it was analysed"]);
  assert.match(zones[2], /^As the advisory of 6 Sept 2017, 03:00 UTC expected it$/);
  assert.match(zones[3], /analysed it$/);
  assert.deepEqual([29, null].map((number) => advisoryWords({ number, issued })), ["6 Sept 2017, 03:00 UTC (29)", "6 Sept 2017, 03:00 UTC"]);
  assert.match(timeWords({ moment: Date.parse(issued), expected: true }), /03:00 UTC, expected$/);
  assert.match(timeWords({ moment: Date.parse(issued), expected: false }), /03:00 UTC$/);
});
