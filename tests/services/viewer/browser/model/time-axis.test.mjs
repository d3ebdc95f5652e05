import assert from "node:assert/strict";
import { test } from "node:test";

import { DAY, HOUR } from "../../../../../services/viewer/browser/model/calendar.js";
import { edgeTexts, TimeAxis } from "../../../../../services/viewer/browser/model/time-axis.js";

const at = Date.parse;
const WEEK = TimeAxis.of("2018-01-31T19:13:00Z", "2018-02-07T19:07:00Z");
const AGES = TimeAxis.of("1980-01-01", "2024-12-31");

test("a week goes by hours, years go by days", () => {
  assert.deepEqual([WEEK.unit, WEEK.positions], [HOUR, 7 * 24 + 1]);
  assert.deepEqual([WEEK.start, WEEK.end], [at("2018-01-31T19:00:00Z"), at("2018-02-07T20:00:00Z")]);
  assert.deepEqual([AGES.unit, AGES.positions], [DAY, 16437]);
  assert.equal(AGES.moment(1), at("1980-01-02T00:00:00Z"));
  assert.equal(AGES.position(at("1980-01-02T11:00:00Z")), 1);
});

test("there is no axis without two ends", () => {
  for (const [start, end] of [[null, null], ["2020-01-01", null], [undefined, "2020-01-01"], ["2020-01-02", "2020-01-01"], ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"]]) {
    assert.equal(TimeAxis.of(start, end), null);
  }
});

test("positions and intervals are each other's", () => {
  const day = (at("2017-09-06T00:00:00Z") - AGES.start) / DAY;
  assert.deepEqual(AGES.ends("2017-09-06/2017-09-07"), [day, day + 2]);
  assert.equal(AGES.interval(day, day + 2), "2017-09-06/2017-09-07");
  assert.equal(AGES.interval(day + 2, day), "2017-09-06/2017-09-07");
  assert.equal(AGES.interval(day, day), "2017-09-06");
  assert.equal(AGES.interval(AGES.positions, AGES.positions), "2024-12-31");
  assert.equal(WEEK.interval(5, 11), "2018-02-01T00:00:00Z/2018-02-01T06:00:00Z");
  assert.equal(WEEK.interval(5, 5), "2018-02-01T00:00:00Z");
  assert.deepEqual(WEEK.ends("2018-02-01T00:00:00Z/2018-02-01T06:00:00Z"), [5, 11]);
});

test("what lies beyond the axis, and what is open, ends with it", () => {
  assert.deepEqual(WEEK.ends(null), [0, WEEK.positions]);
  assert.deepEqual(WEEK.ends("1990-01-01/2018-02-01T00:00:00Z"), [0, 5]);
  assert.deepEqual(WEEK.ends("2018-02-01T00:00:00Z/.."), [5, WEEK.positions]);
  assert.deepEqual(WEEK.ends("2030-01-01"), [WEEK.positions, WEEK.positions]);
});

test("bars are steps of the calendar and cover all of it", () => {
  assert.equal(AGES.edges.length, 46);
  assert.deepEqual(edgeTexts(AGES.edges.slice(0, 2)), ["1980-01-01T00:00:00Z", "1981-01-01T00:00:00Z"]);
  assert.ok(WEEK.edges[0] <= WEEK.start && WEEK.edges.at(-1) >= WEEK.end);
  assert.equal(WEEK.edges[1] - WEEK.edges[0], 3 * HOUR);
});

test("a short time in a long one is shown with as much again around it", () => {
  assert.equal(AGES.hides("2017-09-06/2017-09-07"), true);
  assert.equal(AGES.hides("2017-01-01/2018-12-31"), false);
  assert.equal(AGES.hides("2017-09-06/.."), false);
  assert.equal(AGES.hides("2026-01-01/2027-12-31"), true);
  const near = AGES.around("2017-09-06/2017-09-07");
  assert.deepEqual([near.unit, new Date(near.start).toISOString().slice(0, 10), new Date(near.end).toISOString().slice(0, 10)], [HOUR, "2017-09-04", "2017-09-10"]);
  assert.equal(near.hides("2017-09-06/2017-09-07"), false);
});

test("playing goes bar by bar, in windows as long as the chosen time", () => {
  assert.deepEqual(AGES.frames(null).slice(0, 2), ["1980-01-01/1980-12-31", "1981-01-01/1981-12-31"]);
  assert.equal(AGES.frames(null).length, 45);
  const windows = AGES.frames("2016-01-01/2017-12-31");
  assert.deepEqual([windows[0], windows.at(-1), windows.length], ["1980-01-01/1981-12-31", "2023-01-01/2024-12-31", 44]);
  assert.ok(windows.includes("2016-01-01/2017-12-31"));
});

test("a time that is shorter than a bar moves by itself", () => {
  const days = AGES.frames("2017-09-06/2017-09-07");
  assert.ok(days.includes("2017-09-06/2017-09-07"));
  assert.ok(days.includes("2017-09-08/2017-09-09"));
  const moments = TimeAxis.of("2017-09-01", "2017-10-15").frames("2017-09-06T12:00:00Z");
  assert.ok(moments.includes("2017-09-06T12:00:00Z") && moments.includes("2017-09-06T13:00:00Z"));
});

test("marks are few and on the axis", () => {
  const marks = AGES.ticks(8);
  assert.deepEqual(marks.map(({ moment }) => new Date(moment).getUTCFullYear()), [1980, 1990, 2000, 2010, 2020]);
  for (const { moment } of WEEK.ticks(8)) assert.ok(moment >= WEEK.start && moment < WEEK.end && moment % DAY === 0);
});
