import assert from "node:assert/strict";
import { test } from "node:test";

import { parsedFilter } from "../../../../../services/viewer/browser/filters/cql2-reading.js";
import { allEmpty, conditionText, containing, filterText, quoted, quotedName } from "../../../../../services/viewer/browser/filters/cql2.js";

const CONDITIONS = [
  [{ property: "magnitude", kind: "number", operator: ">=", value: "5" }, "magnitude >= 5"],
  [{ property: "depth", kind: "number", operator: "<", value: "-0.5" }, "depth < -0.5"],
  [{ property: "depth", kind: "number", operator: ">", value: "1e-7" }, "depth > 1e-7"],
  [{ property: "depth", kind: "number", operator: "<=", value: "1e30" }, "depth <= 1e+30"],
  [{ property: "place", kind: "text", operator: "=", value: "O'Brien" }, "place = 'O''Brien'"],
  [{ property: "place", kind: "text", operator: "contains", value: "50% of_all" }, String.raw`CASEI(place) LIKE CASEI('%50\\% of\\_all%')`],
  [{ property: "place", kind: "text", operator: "contains", value: String.raw`a\b` }, String.raw`CASEI(place) LIKE CASEI('%a\\\\b%')`],
  [{ property: "level", kind: "choice", operator: "<>", value: "Red" }, "level <> 'Red'"],
  [{ property: "tsunami", kind: "boolean", operator: "=", value: "true" }, "tsunami = TRUE"],
  [{ property: "tsunami", kind: "boolean", operator: "=", value: "false" }, "tsunami = FALSE"],
  [{ property: "at", kind: "instant", operator: ">=", value: "2018-02-01T06:30" }, "at >= TIMESTAMP('2018-02-01T06:30:00Z')"],
  [{ property: "at", kind: "instant", operator: "<=", value: "2018-02-01T06:30:00.25Z" }, "at <= TIMESTAMP('2018-02-01T06:30:00.250Z')"],
  [{ property: "day", kind: "date", operator: "<=", value: "2018-02-01" }, "day <= DATE('2018-02-01')"],
  [{ property: "depth", kind: "number", operator: "between", value: "-1", upper: "2.5" }, "depth BETWEEN -1 AND 2.5"],
  [
    { property: "at", kind: "instant", operator: "between", value: "2018-02-01T06:30", upper: "2018-02-02T00:00" },
    "T_INTERSECTS(at, INTERVAL('2018-02-01T06:30:00Z', '2018-02-02T00:00:00Z'))",
  ],
  [{ property: "day", kind: "date", operator: "between", value: "2018-02-01", upper: "2018-02-03" }, "T_INTERSECTS(day, INTERVAL('2018-02-01', '2018-02-03'))"],
  [{ property: "level", kind: "choice", operator: "in", values: ["Red", "it's, or \\ is not"] }, String.raw`level IN ('Red', 'it''s, or \\ is not')`],
  [{ property: "severity", kind: "number", operator: "in", values: ["1", "1.5"] }, "severity IN (1, 1.5)"],
  [{ property: "felt", kind: "number", operator: "empty", value: "" }, "felt IS NULL"],
  [{ property: "felt", kind: "number", operator: "filled", value: "" }, "felt IS NOT NULL"],
  [{ property: 'a "b" c', kind: "text", operator: "=", value: "x" }, `"a ""b"" c" = 'x'`],
  [{ property: "Like", kind: "number", operator: "=", value: "1" }, '"Like" = 1'],
  [{ property: "between", kind: "number", operator: "=", value: "1" }, '"between" = 1'],
];

for (const [condition, text] of CONDITIONS) {
  test(`a condition is written and read: ${text}`, () => {
    assert.equal(conditionText(condition), text);
    const { conditions } = parsedFilter(text);
    assert.deepEqual(conditions.map(({ property, operator }) => [property, operator]), [[condition.property, condition.operator]]);
    // a text that was parsed is written as the same text
    assert.equal(conditionText({ ...conditions[0], kind: condition.kind }), text);
  });
}

test("conditions are joined", () => {
  const text = filterText(CONDITIONS.map(([condition]) => condition), "OR");
  assert.equal(text, CONDITIONS.map(([, part]) => part).join(" OR "));
  const { conditions, joint } = parsedFilter(text);
  assert.equal(joint, "OR");
  assert.equal(conditions.length, CONDITIONS.length);
  assert.equal(parsedFilter("a = 1").joint, "AND");
  assert.equal(parsedFilter("a = 1 AND b = 2 AND c = 3").conditions.length, 3);
});

test("what contains quotes and operators is one value", () => {
  assert.deepEqual(parsedFilter("place = 'a'' AND b = 2'"), {
    conditions: [{ property: "place", operator: "=", value: "a' AND b = 2" }],
    joint: "AND",
  });
});

for (const text of ["a = 1 AND b = 2 OR c = 3", "NOT a = 1", "a = 1 AND", "a = 1 AND ", " a = 1", "S_INTERSECTS(geom, POINT(1 2))", "",
  "CASEI(a) LIKE CASEI('b%')", "a = 1AND b = 2"]) {
  test(`other texts are left alone: ${text}`, () => assert.equal(parsedFilter(text), null));
}

for (const [kind, value] of [["number", "x"], ["number", ""], ["number", " "], ["number", null], ["text", null], ["choice", undefined], ["number", "Infinity"], ["instant", "tomorrow"], ["date", "1.2.18"], ["text", "  "]]) {
  test(`a value that is half written makes no condition: ${kind} ${value}`, () => {
    assert.equal(conditionText({ property: "a", kind, operator: "=", value }), null);
    assert.equal(filterText([{ property: "a", kind, operator: "=", value }, CONDITIONS[0][0]], "AND"), "magnitude >= 5");
  });
}

test("a condition of several values waits for what it needs", () => {
  const between = (kind, value, upper) => conditionText({ property: "a", kind, operator: "between", value, upper });
  assert.deepEqual([between("number", "1", ""), between("number", "", "1"), between("number", "1", "x"), between("date", "2018-02-01", "tomorrow")], [null, null, null, null]);
  const oneOf = (kind, values) => conditionText({ property: "a", kind, operator: "in", values });
  assert.deepEqual([oneOf("choice", []), oneOf("number", ["x"]), oneOf("number", ["x", "2"]), oneOf("number", [" 2 ", ""]), oneOf("text", ["a", " "])], [null, null, null, "a IN (2)", "a IN ('a')"]);
});

test("a backslash is written twice", () => {
  const value = (text, operator = "=") => conditionText({ property: "path", kind: "text", operator, value: text });
  assert.equal(value("C:\\"), String.raw`path = 'C:\\'`);
  assert.equal(value("a\\'b", "<>"), String.raw`path <> 'a\\''b'`);
  assert.equal(value("a\\nb"), String.raw`path = 'a\\nb'`);
});

test("names are quoted where CQL2 asks for it", () => {
  for (const plain of ["a", "_a1", "Ab_9", "betweens", "dates"]) assert.equal(quotedName(plain), plain);
  for (const name of ["1a", "a-b", "a b", "é", "", "AND", "Date", "casei", "div", "is"]) assert.equal(quotedName(name), `"${name}"`);
  assert.equal(quotedName('"'), '""""');
  assert.equal(quoted("it's"), "'it''s'");
});

test("several properties are searched, or asked to be empty", () => {
  assert.equal(containing(["a", "in"], "x"), `CASEI(a) LIKE CASEI('%x%') OR CASEI("in") LIKE CASEI('%x%')`);
  assert.equal(allEmpty(["a", "in"]), `a IS NULL AND "in" IS NULL`);
});
