import assert from "node:assert/strict";
import { test } from "node:test";

import { exampleFilter, rangeText } from "../../../../../services/viewer/browser/filters/example.js";

const property = (name, kind, fields = {}) => ({ name, kind, least: null, most: null, values: null, unit: null, ...fields });
const wind = property("wind kt", "number", { least: 10, most: 150 });
const basin = property("basin", "choice", { values: ["EP", "NA"] });
const at = property("at", "instant", { least: "2018-01-01T03:00:00Z", most: "2018-02-07T00:00:00Z" });

for (const [properties, text] of [
  [[property("event_id", "number", { least: 1, most: 9 }), wind, basin], `"wind kt" >= 80 AND basin = 'EP'`],
  [[property("between", "number", { least: 1, most: 9 })], `"between" >= 5 AND "between" IS NOT NULL`],
  [[wind, at], `"wind kt" >= 80 AND at >= TIMESTAMP('2018-01-01T00:00:00Z')`],
  [[basin, at, wind], `"wind kt" >= 80 AND basin = 'EP'`],
  [[at], "at >= TIMESTAMP('2018-01-01T00:00:00Z')"],
  [[property("at", "instant", { most: "2018-02-07T05:00:00Z" })], "at >= TIMESTAMP('2018-02-07T00:00:00Z')"],
  [[property("note", "text")], "note IS NOT NULL"],
  [[property("flat", "number", { least: 1, most: 1 })], "flat IS NOT NULL"],
  [[property("one", "choice", { values: ["only"] })], "one IS NOT NULL"],
  [[], ""],
]) {
  test(`the example is of the collection's own properties: ${text}`, () => assert.equal(exampleFilter(properties), text));
}

for (const [least, most, middle] of [[0, 1, 0.5], [-0.8, 6.4, 3], [1000, 9999, 6000], [0.25, 0.75, 0.5], [-9.8, 10, 1]]) {
  test(`the number of the example has few digits: ${middle}`, () => {
    assert.equal(exampleFilter([property("a", "number", { least, most })]), `a >= ${middle} AND a IS NOT NULL`);
  });
}

test("a range is said in words", () => {
  assert.equal(rangeText(property("depth", "number", { least: -0.8, most: 1234.5, unit: "km" })), "-0.8 to 1,234.5 km");
  assert.equal(rangeText(at), "2018-01-01 to 2018-02-07");
  assert.equal(rangeText(property("depth", "number", { least: 0 })), null);
  assert.equal(rangeText(property("depth", "number", { most: 0 })), null);
});
