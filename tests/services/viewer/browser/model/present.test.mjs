// The present: which links open the map on it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { presentState } from "../../../../../services/viewer/browser/model/present.js";

const PRESENT = { shown: ["a.quakes", "a.alerts"], datetime: "2026-10-29/..", filters: { "a.quakes": "magnitude >= 4.5" }, ended: [] };
const STATE = { c: "a.quakes,a.alerts", t: "2026-10-29/..", "f.a.quakes": "magnitude >= 4.5" };

test("a link without a state opens the present", () => {
  assert.deepEqual(presentState(PRESENT, {}), STATE);
  assert.deepEqual(presentState(PRESENT, { theme: "dark", p: "globe" }), STATE);
});

test("a link with a state of its own opens that state", () => {
  for (const given of [{ map: "3/1/2" }, { c: "a.quakes" }, { "f.a.quakes": "x = 1" }, { id: "a.quakes/1" }]) {
    assert.deepEqual(presentState(PRESENT, given), {});
  }
});

test("without recent data the map opens the archive", () => {
  assert.deepEqual([presentState({ ...PRESENT, shown: [] }, {}), presentState(null, {}), presentState(undefined, {})], [{}, {}, {}]);
});
