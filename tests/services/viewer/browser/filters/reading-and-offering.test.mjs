// The choices that filters offer for a collection, and which of them are requested only once.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { areaFilter } from "../../../../../services/viewer/browser/filters/area.js";
import { parsedFilter } from "../../../../../services/viewer/browser/filters/cql2-reading.js";
import { NULLITY, OPERATORS, quotedName } from "../../../../../services/viewer/browser/filters/cql2.js";
import { exampleFilter, rangeText } from "../../../../../services/viewer/browser/filters/example.js";
import { filterProperties, filterPropertiesOf } from "../../../../../services/viewer/browser/filters/properties.js";
import { searchFilter, searchHint } from "../../../../../services/viewer/browser/filters/search.js";
import { collection } from "../collections.mjs";

let asked, failing;
beforeEach(() => {
  [asked, failing] = [[], ""];
  globalThis.fetch = async (url) => {
    asked.push(url);
    if (failing && url.includes(failing)) return new Response("", { status: 503 });
    const properties = url.includes("/schema") ? { depth: { minimum: 1, maximum: 9 } } : { depth: { type: "number" } };
    return new Response(JSON.stringify({ properties }));
  };
});

test("the properties of a collection are asked for once", async () => {
  const quakes = collection("quakes");
  const [first, again] = await Promise.all([filterProperties(quakes), filterProperties(quakes)]);
  assert.equal(again, first);
  assert.deepEqual(first.map(({ name, least, most }) => [name, least, most]), [["depth", 1, 9]]);
  assert.deepEqual(asked, ["/collections/quakes/queryables?f=schemajson", "/collections/quakes/schema"]);
  await filterProperties(collection("others"));
  assert.equal(asked.length, 4);
});

test("without a schema there are no ranges; without queryables it is asked again", async () => {
  failing = "/schema";
  assert.deepEqual((await filterProperties(collection("plain"))).map(({ least, most, values }) => [least, most, values]), [[null, null, null]]);
  failing = "/queryables";
  await assert.rejects(filterProperties(collection("lost")), /503/);
  failing = "";
  assert.equal((await filterProperties(collection("lost"))).length, 1);
});

test("a property is called as the page does, in its language, else as the document", () => {
  const columns = [{ name: "other", title: "Other" }, { name: "wind_kt", title: "Peak wind", unit: "kt" }];
  const made = (queryable, schema = {}) => filterPropertiesOf({ columns }, { wind_kt: { type: "number", ...queryable } }, { wind_kt: schema })[0];
  assert.equal(made({ title: "Wind" }, { title: "Wind of the schema" }).title, "Peak wind");
  columns[1].title = null;
  assert.equal(made({ title: "Wind" }).title, "Wind");
  assert.equal(made({ title: "Wind" }, { title: "Wind of the schema" }).title, "Wind of the schema");
  assert.deepEqual([made({}).description, made({ description: "How strong" }).description], [null, "How strong"]);
  assert.deepEqual([made({ "x-ogc-unit": "m/s" }).unit, made({ "x-ogc-unit": "[kn_i]", "x-dams-unitLabel": "kt" }).unit], ["m/s", "kt"]);
  assert.deepEqual(filterPropertiesOf({ columns: [] }, { level: { type: "string", enum: [1, 2] } }, {})[0].values, ["1", "2"]);
  assert.deepEqual(filterPropertiesOf({ columns: [] }, { a: {}, b: { type: ["string", "null"] } }, {}), []);
});

test("each kind of property is compared by what its values allow", () => {
  const signs = Object.fromEntries(Object.entries(OPERATORS).map(([kind, operators]) => [kind, operators.map(([sign]) => sign).join(" ")]));
  assert.deepEqual(signs, {
    number: ">= <= between > < = <> in", text: "contains = <> in", choice: "= <> in", instant: ">= <= between", date: ">= <= between =", boolean: "=",
  });
  assert.deepEqual(NULLITY.map(([sign]) => sign), ["filled", "empty"]);
});

test("every word that CQL2 keeps for itself is quoted", () => {
  const words = "and or not like between in is null true false div casei accenti date timestamp interval bbox".split(" ");
  for (const word of words) assert.equal(quotedName(word), `"${word}"`);
});

test("what is read has no value where it takes none", () => {
  assert.deepEqual(parsedFilter("a IS NULL").conditions, [{ property: "a", operator: "empty", value: "" }]);
  assert.deepEqual(parsedFilter("a IS NOT NULL").conditions, [{ property: "a", operator: "filled", value: "" }]);
  assert.deepEqual(parsedFilter("a IN ('x', -1.5, 'it''s')").conditions, [{ property: "a", operator: "in", value: "", values: ["x", "-1.5", "it's"] }]);
  assert.deepEqual(parsedFilter("a BETWEEN -1 AND 2").conditions, [{ property: "a", operator: "between", value: "-1", upper: "2" }]);
  assert.deepEqual(parsedFilter("a = TRUE").conditions, [{ property: "a", operator: "=", value: "true" }]);
});

test("an example is of what can be compared", () => {
  const property = (name, kind, fields = {}) => ({ name, kind, least: null, most: null, values: null, unit: null, ...fields });
  for (const name of ["id", "event_id", "code", "season", "year", "advisory", "latitude", "lon", "count"]) {
    assert.equal(exampleFilter([property(name, "number", { least: 1, most: 9 })]), `${name} IS NOT NULL`);
  }
  assert.equal(exampleFilter([property("half", "number", { least: 1 }), property("a", "number", { least: 3, most: 3 }), property("b", "number", { least: 2, most: 4 })]), "b >= 3 AND half IS NOT NULL");
  assert.equal(exampleFilter([property("a", "choice", { values: ["x", "y"] }), property("b", "choice", { values: ["z", "y"] })]), "a = 'x' AND a IS NOT NULL");
  assert.equal(exampleFilter([property("a", "choice"), property("b", "choice", { values: [] })]), "a IS NOT NULL");
  assert.equal(exampleFilter([property("a", "text"), property("b", "instant", { least: "2018-01-01T00:00:00Z" })]), "b >= TIMESTAMP('2018-01-01T00:00:00Z')");
  assert.equal(rangeText(property("at", "instant", { least: "2018-01-01", most: "2018-02-01" })), "2018-01-01 to 2018-02-01");
  assert.equal(rangeText(property("a", "number", { least: 0, most: 2 })), "0 to 2");
});

test("the search looks at all that names a feature, and finds each of the words", () => {
  const columns = ["title", "name", "place", "country", "event_id"].map((name) => ({ name, type: "string" }));
  for (const { name } of columns) assert.equal(searchFilter({ columns: [{ name, type: "string" }] }, "x"), `(CASEI(${name}) LIKE CASEI('%x%'))`);
  const hints = ["name", "place", "country", "basin", "event_id"].map((name) => searchHint({ columns: [{ name, type: "string" }] }));
  assert.deepEqual(hints, ["name", "place", "country", "basin", "event"].map((word) => `Search by ${word}`));
  assert.deepEqual([searchHint({ columns: [{ name: "season", type: "integer" }] }), searchHint({ columns: [{ name: "title", type: "string" }] })], ["Search by year", null]);
  // a word that is found nowhere is no filter that leaves it out
  assert.equal(searchFilter({ columns: [{ name: "season", type: "integer" }] }, "2015 x"), null);
  const storms = { columns: [{ name: "category", type: "string" }] };
  assert.deepEqual(["td", "TS", "c1", "C5", "c6", "xc1"].map((word) => searchFilter(storms, word)), ["(category = 'TD')", "(category = 'TS')", "(category = 'C1')", "(category = 'C5')", null, null]);
});

test("an area is asked for to some eleven metres", () => {
  const ring = [[170.123456, 0], [190, 0], [190, 10.987654]];
  assert.match(areaFilter({ kind: "polygon", ring }, "geom"), /170\.1235 0.*-170 10\.9877/);
});
