import assert from "node:assert/strict";
import { test } from "node:test";

import { BINS, FRAMES, isBetween, playSteps, TimeScale } from "../../../../../services/viewer/browser/model/time-scale.js";

const YEAR = new TimeScale("2020-01-01T00:00:00Z", "2020-04-10T00:00:00Z"); // a hundred days: four positions each

test("positions are moments in equal steps", () => {
  assert.equal(YEAR.time(0), Date.UTC(2020, 0, 1));
  assert.equal(YEAR.time(4), Date.UTC(2020, 0, 2));
  assert.equal(YEAR.time(FRAMES), Date.UTC(2020, 3, 10));
  assert.deepEqual([YEAR.isUsable, YEAR.isShort], [true, false]);
});

test("an interval is where its ends are, and open ends are those of the whole", () => {
  assert.deepEqual(YEAR.frames(null), [0, FRAMES]);
  assert.deepEqual(YEAR.frames("2020-01-02T00:00:00Z/2020-01-11T00:00:00Z"), [4, 40]);
  assert.deepEqual(YEAR.frames("../2020-01-11T00:00:00Z"), [0, 40]);
  assert.deepEqual(YEAR.frames("2020-01-02T00:00:00Z/.."), [4, FRAMES]);
  assert.deepEqual(YEAR.frames("2020-01-11T00:00:00Z"), [40, 40]);
  assert.deepEqual(YEAR.frames("1990-01-01/2090-01-01"), [0, FRAMES]);
});

test("positions make the interval again, all of them none", () => {
  assert.equal(YEAR.interval(4, 40), "2020-01-02T00:00:00.000Z/2020-01-11T00:00:00.000Z");
  assert.equal(YEAR.interval(0, FRAMES), null);
  assert.equal(YEAR.interval(0, 40), "2020-01-01T00:00:00.000Z/2020-01-11T00:00:00.000Z");
  assert.deepEqual(YEAR.frames(YEAR.interval(17, 311)), [17, 311]);
});

test("bars cover the whole, and no moment twice", () => {
  const edges = YEAR.edges().map(Date.parse);
  assert.equal(edges.length, BINS + 1);
  assert.equal(edges[0], Date.UTC(2020, 0, 1));
  assert.equal(edges[BINS], Date.UTC(2020, 3, 10) + 1);
  for (let bin = 1; bin <= BINS; bin++) assert.ok(edges[bin] > edges[bin - 1]);
});

test("bars are inside where they meet the interval", () => {
  assert.deepEqual([0, 1, 2, 35].map((bin) => isBetween(bin, 0, FRAMES)), [true, true, true, true]);
  assert.deepEqual([0, 1, 2, 3].map((bin) => isBetween(bin, 12, 23)), [false, true, true, false]);
});

test("there is no time without two ends", () => {
  for (const [start, end] of [[null, null], ["2020-01-01", null], [undefined, "2020-01-01"], ["2020-01-02", "2020-01-01"], ["2020-01-01", "2020-01-01"]]) {
    assert.equal(new TimeScale(start, end).isUsable, false);
  }
  assert.equal(new TimeScale("2020-01-01T00:00:00Z", "2020-01-02T23:59:59Z").isShort, true);
  assert.equal(new TimeScale("2020-01-01T00:00:00Z", "2020-01-03T00:00:00Z").isShort, false);
});

test("playing moves a window by a quarter of its width, and begins again", () => {
  const all = playSteps(0, FRAMES);
  assert.deepEqual([all.width, all.first, all.next(0), all.next(10), all.next(360)], [40, 0, 10, 20, 0]);
  const part = playSteps(100, 108);
  assert.deepEqual([part.width, part.first, part.next(100), part.next(392)], [8, 100, 102, 0]);
  const moment = playSteps(7, 7);
  assert.deepEqual([moment.width, moment.first, moment.next(7)], [1, 7, 8]);
  assert.equal(playSteps(300, FRAMES).first, 0);
});
