import assert from "node:assert/strict";
import { test } from "node:test";

import { listed } from "../../../../../services/viewer/browser/words/counts.js";
import { spanWords, tickWords } from "../../../../../services/viewer/browser/words/time.js";

const at = Date.parse;
// thin spaces and the like differ from one version of the language data to another
const plain = (text) => text.replace(/\s+/g, " ");

test("whole days are said by their dates", () => {
  assert.match(plain(spanWords(at("2017-09-06"), at("2017-09-08") - 1)), /^6 ?– ?7 Sept 2017$/);
  assert.equal(plain(spanWords(at("2017-09-06"), at("2017-09-07") - 1)), "6 Sept 2017");
});

test("other times are said to the minute, with their zone", () => {
  assert.match(plain(spanWords(at("2017-09-06T12:00:00Z"), at("2017-09-06T18:00:00Z"))), /^6 Sept 2017, 12:00 ?– ?18:00 UTC$/);
  assert.equal(plain(spanWords(at("2017-09-06T12:00:00Z"), at("2017-09-06T12:00:00Z"))), "6 Sept 2017, 12:00 UTC");
  // whole days have both ends at midnight
  assert.match(plain(spanWords(at("2017-09-06T12:00:00Z"), at("2017-09-07") - 1)), /12:00 ?– ?23:59 UTC$/);
  assert.match(plain(spanWords(at("2017-09-06"), at("2017-09-06T18:00:00Z"))), /00:00 ?– ?18:00 UTC$/);
  assert.equal(spanWords(null, null), "any time");
});

test("open ends are said", () => {
  assert.equal(plain(spanWords(at("2017-09-06"), null)), "since 6 Sept 2017");
  assert.equal(plain(spanWords(null, at("2017-09-08") - 1)), "until 7 Sept 2017");
  assert.equal(plain(spanWords(at("2017-09-06T06:00:00Z"), null)), "since 6 Sept 2017, 06:00 UTC");
  assert.equal(plain(spanWords(null, at("2017-09-06T06:00:00Z"))), "until 6 Sept 2017, 06:00 UTC");
});

test("marks say the day at midnight and the year at its beginning", () => {
  assert.equal(tickWords(at("2017-09-06T06:00:00Z"), "hour"), "06:00");
  assert.equal(tickWords(at("2017-09-06"), "hour"), "6 Sept");
  assert.equal(tickWords(at("2017-09-06"), "day"), "6 Sept");
  assert.equal(tickWords(at("2017-09-01"), "month"), "Sept");
  assert.equal(tickWords(at("2018-01-01"), "month"), "2018");
  assert.equal(tickWords(at("1990-01-01"), "year"), "1990");
});

test("of many names two are said", () => {
  assert.deepEqual([["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]].map(listed), ["a", "a and b", "a, b and 1 other", "a, b and 2 others"]);
});
