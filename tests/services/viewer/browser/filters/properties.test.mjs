import assert from "node:assert/strict";
import { test } from "node:test";

import { filterPropertiesOf } from "../../../../../services/viewer/browser/filters/properties.js";

const made = (queryables, schema = {}, columns = []) => filterPropertiesOf({ columns }, queryables, schema);

test("the kind of a property decides how it is compared", () => {
  const kinds = made({
    geom: { format: "geometry-point" },
    magnitude: { type: "number" },
    felt: { type: "integer" },
    tsunami: { type: "boolean" },
    at: { type: "string", format: "date-time" },
    day: { type: "string", format: "date" },
    place: { type: "string" },
    level: { type: "string", enum: ["Red", null] },
    series: { type: "object" },
  }).map(({ name, kind }) => [name, kind]);
  assert.deepEqual(Object.fromEntries(kinds), {
    magnitude: "number", felt: "number", tsunami: "boolean", at: "instant", day: "date", place: "text", level: "choice",
  });
});

test("values and ranges are those of the schema, the type is the queryable's", () => {
  const [level, depth, at] = made(
    { level: { type: "string" }, depth: { type: "number", title: "Depth" }, at: { type: "string", format: "date-time" } },
    {
      level: { type: ["string", "null"], enum: ["Red", "Green", null], description: "How bad" },
      depth: { type: ["number", "null"], minimum: 0, maximum: 700, "x-ogc-unit": "km" },
      at: { formatMinimum: "2018-01-01T00:00:00Z", formatMaximum: "2018-02-01T00:00:00Z" },
    },
  );
  assert.deepEqual([level.kind, level.values, level.description, level.title], ["choice", ["Red", "Green"], "How bad", "Level"]);
  assert.deepEqual([depth.least, depth.most, depth.unit, depth.title], [0, 700, "km", "Depth"]);
  assert.deepEqual([at.kind, at.least, at.most, at.unit, at.values], ["instant", "2018-01-01T00:00:00Z", "2018-02-01T00:00:00Z", null, null]);
});

test("a title of the catalogue is used where the document has none", () => {
  const [wind] = made({ max_wind_kt: { type: "number" } }, {}, [{ name: "max_wind_kt", title: "Peak wind" }]);
  assert.equal(wind.title, "Peak wind");
});
