// Steps, axes and ages at their edges.

import assert from "node:assert/strict";
import { test } from "node:test";

import { DAY, HOUR, lengthOf, stepFor } from "../../../../../services/viewer/browser/model/calendar.js";
import { isLive, inForceFirst, overSince } from "../../../../../services/viewer/browser/model/in-force.js";
import { dateText, parseInterval, partText } from "../../../../../services/viewer/browser/model/interval.js";
import { presets } from "../../../../../services/viewer/browser/model/presets.js";
import { TimeAxis } from "../../../../../services/viewer/browser/model/time-axis.js";
import { agoWords, ageWords, clockWords, hourWords } from "../../../../../services/viewer/browser/words/time.js";

const at = Date.parse;
const date = (moment) => new Date(moment).toISOString().slice(0, 16);

test("each step is taken up to as many as are wanted of it, and not for more", () => {
  const steps = [];
  for (let length = HOUR; length < 200_000 * DAY; length *= 1.05) {
    const { unit, count } = stepFor(0, length, 10);
    if (steps.at(-1) !== `${count} ${unit}`) steps.push(`${count} ${unit}`);
  }
  assert.equal(steps.join(), "1 hour,2 hour,3 hour,6 hour,12 hour,1 day,2 day,7 day,1 month,3 month,1 year,2 year,5 year,10 year,20 year,50 year,100 year");
  assert.deepEqual([stepFor(5, 5 + 10 * HOUR, 10), stepFor(5, 6 + 10 * HOUR, 10)], [{ unit: "hour", count: 1 }, { unit: "hour", count: 2 }]);
});

test("a month and a year are as long as they are on average", () => {
  // 400 years have 146,097 days
  assert.ok(Math.abs(lengthOf({ unit: "year", count: 400 }) / DAY - 146_097) < 4);
  assert.ok(Math.abs(lengthOf({ unit: "month", count: 4800 }) / DAY - 146_097) < 16);
  assert.deepEqual([lengthOf({ unit: "hour", count: 3 }), lengthOf({ unit: "day", count: 7 })], [3 * HOUR, 7 * DAY]);
});

test("up to sixty days an axis goes by hours", () => {
  assert.equal(new TimeAxis(0, 60 * DAY).unit, HOUR);
  assert.equal(new TimeAxis(0, 60 * DAY + 1).unit, DAY);
  assert.deepEqual([new TimeAxis(0, 60 * HOUR - 1).step.count, new TimeAxis(0, 60 * HOUR).step.count], [1, 2], "sixty bars at the most");
});

test("a moment has a place and a share on its axis", () => {
  const axis = TimeAxis.of("2020-01-01", "2020-12-31");
  assert.deepEqual([axis.share(axis.start), axis.share(axis.end), axis.share((axis.start + axis.end) / 2)], [0, 1, 0.5]);
  assert.deepEqual([axis.position(axis.start), axis.position(axis.end), axis.positions], [0, 366, 366]);
  assert.equal(date(axis.moment(31)), "2020-02-01T00:00");
});

test("what is beside an axis, or too short, cannot be seen on it", () => {
  const axis = new TimeAxis(0, 120 * DAY - 1); // two days are a sixtieth of it
  const text = (from, to) => `${new Date(from).toISOString()}/${new Date(to).toISOString()}`;
  assert.deepEqual([2, 1.99].map((days) => axis.hides(text(10 * DAY, (10 + days) * DAY))), [false, true]);
  const far = [[-9, -1], [-9, 0], [120, 129], [121, 129], [-9, 4], [110, 140]].map(([from, to]) => axis.hides(text(from * DAY, to * DAY)));
  assert.deepEqual(far, [true, false, false, true, false, false]);
  assert.deepEqual([axis.hides(null), axis.hides("1970-01-05/.."), axis.hides("../1970-01-05")], [false, false, false]);
});

test("the part of an axis around a time has as much again on both sides", () => {
  const axis = TimeAxis.of("2020-01-01", "2020-12-31");
  const near = axis.around("2020-06-10/2020-06-19");
  assert.deepEqual([date(near.start), date(near.end)], ["2020-05-31T00:00", "2020-06-30T00:00"]);
  const moment = axis.around("2020-06-10T12:00:00Z");
  assert.deepEqual([date(moment.start), date(moment.end)], ["2020-06-09T12:00", "2020-06-11T13:00"]);
  const open = axis.around("2020-12-31/..");
  assert.deepEqual([date(open.start), date(open.end)], ["2020-12-30T00:00", "2021-01-02T01:00"]);
  const all = axis.around(null);
  assert.deepEqual([date(all.start), date(all.end)], ["2018-12-31T00:00", "2022-01-03T00:00"]);
});

test("playing shows each window once, from the first to the last", () => {
  const week = TimeAxis.of("2018-02-01T00:00:00Z", "2018-02-03T23:00:00Z"); // three days, by two hours
  const bars = week.frames(null);
  assert.deepEqual([bars.length, bars[0], bars.at(-1)], [36, "2018-02-01T00:00:00Z/2018-02-01T02:00:00Z", "2018-02-03T22:00:00Z/2018-02-04T00:00:00Z"]);
  const days = week.frames("2018-02-02");
  assert.deepEqual([days.length, days[0], days[12], days.at(-1)], [25, "2018-02-01", "2018-02-02", "2018-02-03"]);
  // an hour is shorter than a bar, and moves by itself
  const hours = week.frames("2018-02-01T05:00:00Z/2018-02-01T05:30:00Z");
  assert.deepEqual([hours.length, hours[0], hours.at(-1)], [72, "2018-02-01T00:00:00Z/2018-02-01T00:30:00Z", "2018-02-03T23:00:00Z/2018-02-03T23:30:00Z"]);
  assert.deepEqual(week.frames("2018-01-01/2018-03-01"), bars, "what is longer than the axis is played bar by bar");
  assert.deepEqual(week.frames("2018-02-03T20:00:00Z/..").at(-1), "2018-02-03T20:00:00Z/2018-02-04T00:00:00Z");
  const years = TimeAxis.of("1980-01-01", "2024-12-31").frames("2017-09-06/2017-09-07");
  assert.deepEqual([years[0], years.at(-1), years.length], ["1980-01-02/1980-01-03", "2024-12-30/2024-12-31", 8218]);
});

test("marks begin on the axis, at most as many as are wanted", () => {
  const axis = new TimeAxis(at("2018-02-01T05:00:00Z"), at("2018-02-01T20:00:00Z"));
  assert.deepEqual(axis.ticks(4).map(({ moment, step }) => [date(moment), step.unit, step.count]), [["2018-02-01T06:00", "hour", 6], ["2018-02-01T12:00", "hour", 6], ["2018-02-01T18:00", "hour", 6]]);
  assert.equal(date(new TimeAxis(at("2018-02-01T06:00:00Z"), at("2018-02-01T11:00:00Z")).ticks(1)[0].moment), "2018-02-01T06:00");
});

test("an interval that is none, or whose ends are no days, is said by its moments", () => {
  assert.equal(partText(DAY, DAY), "1970-01-02T00:00:00Z");
  assert.equal(partText(0, DAY + HOUR), "1970-01-01T00:00:00Z/1970-01-02T01:00:00Z");
  assert.equal(dateText(DAY - 1), "1970-01-01");
  assert.deepEqual(parseInterval("2017-09-06 12:00:00Z"), { from: at("2017-09-06T12:00:00Z"), to: at("2017-09-06T12:00:00Z") });
});

test("an archive is what has ended for sixty days, and data of today are live", () => {
  const now = at("2026-11-23T12:00:00Z");
  const time = (end) => ({ column: "a", endColumn: "b", lasts: true, start: "2020-01-01", end });
  assert.deepEqual([isLive(time("2026-09-24T12:00:01Z"), now), isLive(time("2026-09-24T12:00:00Z"), now)], [true, false]);
  assert.deepEqual([isLive({ ...time("2026-11-23"), endColumn: null }, now), isLive({ ...time(null) }, now)], [false, false]);
  assert.equal(overSince(time("2026-11-23"), { b: "2026-11-23T12:00:00Z" }, now), null, "until this moment it is in force");
  assert.equal(overSince(time("2026-11-23"), { withdrawn: "2026-11-23T12:00:00Z" }, now), now);
  assert.equal(overSince(time("2026-11-23"), { withdrawn: "2026-11-24T12:00:00Z" }, now), null);
  const labels = (end) => presets({ time: { start: "2020-01-01", end }, columns: [] }, now)[1];
  assert.deepEqual([labels("2026-11-22T12:00:01Z").label, labels("2026-11-22T12:00:00Z").label], ["Last 24 hours", "Last 24 hours of the data"]);
  const future = presets({ time: { start: "2020-01-01", end: "2027-06-01" }, columns: [{ name: "season" }] }, now).find(({ name }) => name === "season");
  assert.equal(future.datetime, "2026-01-01/2026-12-31");
});

test("what is in force and on the page is listed once", () => {
  const feature = (id) => ({ id, properties: {} });
  const page = { features: [1, 2, 3].map(feature) };
  assert.deepEqual(inForceFirst(page, { features: [feature(2)] }).features.map(({ id }) => id), [2, 1, 3]);
});

test("an age is said in the unit that is near", () => {
  const now = at("2026-11-23T12:00:00Z");
  const ages = [59_999, 60e3, 59 * 60e3, HOUR, 47 * HOUR, 48 * HOUR, 59 * DAY, 60 * DAY, 61 * DAY, 700 * DAY, 731 * DAY, 3000 * DAY].map((age) => agoWords(now - age, now));
  assert.deepEqual(ages, ["just now", "1 min ago", "59 min ago", "1 h ago", "47 h ago", "2 days ago", "59 days ago", "1 month ago", "2 months ago", "22 months ago", "2 years ago", "8 years ago"]);
  assert.equal(agoWords(now + DAY * 3, now), "in 3 days");
  const said = (times) => ageWords({ moment: null, issued: null, over: null, withdrawn: false, ...times }, now);
  assert.equal(said({ over: now - 2 * HOUR, withdrawn: true }), "withdrawn 2 h ago");
  assert.equal(said({ moment: now - HOUR, over: now - 2 * HOUR }), "ended 2 h ago");
  assert.equal(said({ moment: now - HOUR, issued: now - 2 * HOUR }), "issued 2 h ago");
  assert.deepEqual([said({ moment: now - 60 * DAY + 1 }), said({ moment: now - 60 * DAY }), said({ moment: now + 60 * DAY })], ["59 days ago", "", ""]);
});

test("a step of a track says its day at midnight, else its hour", () => {
  assert.deepEqual([hourWords(at("2017-09-06T00:00:00Z")), hourWords(at("2017-09-06T18:00:00Z"))].map((text) => text.replace("Sept", "Sep")), ["6 Sep", "18:00"]);
  assert.match(clockWords(at("2017-09-06T06:05:00Z")), /^Wed,? 6 Sept?,? 06:05 UTC$/);
});
