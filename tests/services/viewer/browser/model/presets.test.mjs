import assert from "node:assert/strict";
import { test } from "node:test";

import { pastPresets, presets } from "../../../../../services/viewer/browser/model/presets.js";

const NOW = Date.parse("2026-11-22T10:20:30Z");
const named = (collection) => Object.fromEntries(presets(collection, NOW).map(({ name, label, datetime }) => [name, [label, datetime]]));

test("of live data the last days end now, and stay open", () => {
  const found = named({ time: { start: "2020-01-01T00:00:00Z", end: "2026-11-22T09:00:00Z", lasts: false }, columns: [] });
  assert.deepEqual(found["24h"], ["Last 24 hours", "2026-11-21T10:00:00Z/.."]);
  assert.deepEqual(found["30d"], ["Last 30 days", "2026-10-23T10:00:00Z/.."]);
  assert.deepEqual(found.all, ["All time", null]);
  assert.deepEqual(Object.keys(found), ["all", "24h", "7d", "30d"]);
});

test("of older data they are the last of the data, and say so", () => {
  const found = named({ time: { start: "2018-01-31T19:13:00Z", end: "2018-02-07T19:07:00Z", lasts: false }, columns: [] });
  assert.deepEqual(found["7d"], ["Last 7 days of the data", "2018-01-31T19:00:00Z/2018-02-07T20:00:00Z"]);
});

test("seasons and what is in force are offered where there are any", () => {
  const storms = named({ time: { start: "1980-01-01", end: "2024-12-31", lasts: true }, columns: [{ name: "season" }] });
  assert.deepEqual(storms.season, ["Season 2024", "2024-01-01/2024-12-31"]);
  assert.deepEqual(storms.now, ["Active now", "2026-11-22T10:20:00Z"]);
});

test("a time of which nothing is known ends now", () => {
  assert.deepEqual(named(null)["24h"], ["Last 24 hours", "2026-11-21T10:00:00Z/.."]);
});

test("past times are offered as far as they are recorded, after the present", () => {
  assert.deepEqual(pastPresets(null, NOW), []);
  assert.deepEqual(pastPresets(Date.parse("2026-11-22T10:10:00Z"), NOW), [{ label: "Now", asOf: null }]);
  assert.deepEqual(pastPresets(Date.parse("2026-11-20T00:00:00Z"), NOW).slice(1), [
    { label: "1 h ago", asOf: "2026-11-22T09:20:00Z" },
    { label: "24 h ago", asOf: "2026-11-21T10:20:00Z" },
  ]);
});
