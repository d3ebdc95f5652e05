import assert from "node:assert/strict";
import { test } from "node:test";

import { after, beginning, edgesOf, stepFor } from "../../../../../services/viewer/browser/model/calendar.js";

const at = Date.parse;
const text = (moment) => new Date(moment).toISOString().slice(0, 16);

test("a step begins where the calendar has it", () => {
  const moment = at("2017-09-06T13:45:10Z"); // a Wednesday
  const begun = (unit, count) => text(beginning(moment, { unit, count }));
  assert.equal(begun("hour", 1), "2017-09-06T13:00");
  assert.equal(begun("hour", 6), "2017-09-06T12:00");
  assert.equal(begun("day", 1), "2017-09-06T00:00");
  assert.equal(begun("day", 7), "2017-09-04T00:00");
  assert.equal(begun("month", 1), "2017-09-01T00:00");
  assert.equal(begun("month", 3), "2017-07-01T00:00");
  assert.equal(begun("year", 1), "2017-01-01T00:00");
  assert.equal(begun("year", 10), "2010-01-01T00:00");
});

test("it does so before 1970 and before 100", () => {
  assert.equal(text(beginning(at("1935-12-31T23:00:00Z"), { unit: "day", count: 7 })), "1935-12-30T00:00");
  assert.equal(text(beginning(at("1935-12-31T23:00:00Z"), { unit: "hour", count: 6 })), "1935-12-31T18:00");
  assert.equal(text(beginning(at("0079-08-24T13:00:00Z"), { unit: "year", count: 1 })), "0079-01-01T00:00");
});

test("the next step begins where this one ends, however long it is", () => {
  assert.equal(text(after(at("2016-02-01T00:00:00Z"), { unit: "month", count: 1 })), "2016-03-01T00:00");
  assert.equal(text(after(at("2016-10-01T00:00:00Z"), { unit: "month", count: 3 })), "2017-01-01T00:00");
  assert.equal(text(after(at("2010-01-01T00:00:00Z"), { unit: "year", count: 5 })), "2015-01-01T00:00");
  assert.equal(text(after(at("2017-09-06T18:00:00Z"), { unit: "hour", count: 6 })), "2017-09-07T00:00");
});

test("edges enclose both ends", () => {
  const edges = edgesOf(at("2017-01-15T00:00:00Z"), at("2017-03-01T00:00:00Z"), { unit: "month", count: 1 });
  assert.deepEqual(edges.map(text), ["2017-01-01T00:00", "2017-02-01T00:00", "2017-03-01T00:00", "2017-04-01T00:00"]);
});

test("the step is the shortest of which there are not too many", () => {
  const fit = (end, most) => Object.values(stepFor(at("2000-01-01T00:00:00Z"), at(end), most)).join();
  assert.equal(fit("2000-01-03T00:00:00Z", 60), "hour,1");
  assert.equal(fit("2000-01-31T00:00:00Z", 60), "hour,12");
  assert.equal(fit("2000-02-20T00:00:00Z", 60), "day,1");
  assert.equal(fit("2001-01-01T00:00:00Z", 60), "day,7");
  assert.equal(fit("2044-01-01T00:00:00Z", 60), "year,1");
  assert.equal(fit("2044-01-01T00:00:00Z", 8), "year,10");
  assert.equal(fit("9999-01-01T00:00:00Z", 8), "year,100");
});
