import assert from "node:assert/strict";
import { test } from "node:test";

import { searchFilter, searchHint } from "../../../../../services/viewer/browser/filters/search.js";

const of = (...columns) => ({ columns: columns.map(([name, type]) => ({ name, type })) });
const STORMS = of(["name", "string"], ["event_id", "string"], ["season", "integer"], ["category", "string"]);
STORMS.columns.push({ name: "basin", type: "string", labels: { NA: "North Atlantic", EP: "East Pacific", WP: "West Pacific" } });

for (const [collection, text, filter, hint] of [
  [of(["place", "string"]), " a'b ", "(CASEI(place) LIKE CASEI('%a''b%'))", "Search by place"],
  [of(["place", "integer"]), "x", null, null],
  [of(["depth", "number"]), "x", null, null],
  [of(["place", "string"]), "  ", null, "Search by place"],
  [STORMS, "Pacific, 2015",
    "(CASEI(name) LIKE CASEI('%Pacific%') OR CASEI(event_id) LIKE CASEI('%Pacific%') OR basin IN ('EP', 'WP'))"
    + " AND (CASEI(name) LIKE CASEI('%2015%') OR season = 2015)",
    "Search by name, basin, year or event"],
  [STORMS, "c5", "(CASEI(name) LIKE CASEI('%c5%') OR CASEI(event_id) LIKE CASEI('%c5%') OR category = 'C5')",
    "Search by name, basin, year or event"],
  [STORMS, "na", "(CASEI(name) LIKE CASEI('%na%') OR CASEI(event_id) LIKE CASEI('%na%') OR basin IN ('NA'))",
    "Search by name, basin, year or event"],
]) {
  test(`the search is written as CQL2: ${text} of ${collection.columns.map(({ name }) => name)}`, () => {
    assert.equal(searchFilter(collection, text), filter);
    assert.equal(searchHint(collection), hint);
  });
}

test("a season may be any number", () => {
  assert.equal(searchFilter(of(["season", "number"]), "2015"), "(season = 2015)");
  assert.equal(searchFilter(of(["season", "string"]), "2015"), null);
});

test("a year is no year without a season", () => {
  assert.equal(searchFilter(of(["name", "string"], ["event_id", "string"]), "2015"),
    "(CASEI(name) LIKE CASEI('%2015%') OR CASEI(event_id) LIKE CASEI('%2015%'))");
});
