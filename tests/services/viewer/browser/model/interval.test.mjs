import assert from "node:assert/strict";
import { test } from "node:test";

import { instantsText, parseInterval, partText } from "../../../../../services/viewer/browser/model/interval.js";

const at = Date.parse;

test("a date is its whole day, an instant a moment", () => {
  assert.deepEqual(parseInterval("2017-09-06/2017-09-07"), { from: at("2017-09-06T00:00:00Z"), to: at("2017-09-07T23:59:59.999Z") });
  assert.deepEqual(parseInterval("2017-09-06"), { from: at("2017-09-06T00:00:00Z"), to: at("2017-09-06T23:59:59.999Z") });
  assert.deepEqual(parseInterval("2017-09-06T12:00:00Z"), { from: at("2017-09-06T12:00:00Z"), to: at("2017-09-06T12:00:00Z") });
});

test("an end may be open", () => {
  assert.deepEqual(parseInterval("../2017-09-07"), { from: null, to: at("2017-09-07T23:59:59.999Z") });
  assert.deepEqual(parseInterval("2017-09-07T00:00:00Z/.."), { from: at("2017-09-07T00:00:00Z"), to: null });
  assert.deepEqual(parseInterval("2017-09-07/"), { from: at("2017-09-07T00:00:00Z"), to: null });
  assert.equal(parseInterval("../.."), null);
});

test("a time without a zone is UTC, as the service reads it", () => {
  const utc = at("2017-09-06T12:00:00Z");
  assert.deepEqual(parseInterval("2017-09-06T12:00:00/2017-09-06 12:00:00"), { from: utc, to: utc });
  assert.equal(parseInterval("2017-09-06T14:00:00+02:00").from, utc);
});

test("what cannot be read is nothing", () => {
  for (const text of [null, "", "yesterday", "2017-09-06/tomorrow", "2017-09-06/2017-09-07/2017-09-08"]) assert.equal(parseInterval(text), null);
});

test("whole days are said by their dates, other times by their ends", () => {
  assert.equal(partText(at("2017-09-06T00:00:00Z"), at("2017-09-08T00:00:00Z")), "2017-09-06/2017-09-07");
  assert.equal(partText(at("2017-09-06T00:00:00Z"), at("2017-09-07T00:00:00Z")), "2017-09-06");
  assert.equal(partText(at("2017-09-06T06:00:00Z"), at("2017-09-07T00:00:00Z")), "2017-09-06T06:00:00Z/2017-09-07T00:00:00Z");
  assert.equal(instantsText(at("2017-09-06T06:00:00Z"), at("2017-09-06T06:00:00Z")), "2017-09-06T06:00:00Z");
  assert.equal(instantsText(at("2017-09-06T06:00:00.250Z"), at("2017-09-06T07:00:00Z")), "2017-09-06T06:00:00.250Z/2017-09-06T07:00:00Z");
});
