import assert from "node:assert/strict";
import { test } from "node:test";

import { namesEvent, placeIn, searchFilter, searchHint } from "../../../../../services/viewer/browser/filters/search.js";

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

test("words for the kind of the features restrict nothing, unless they stand alone", () => {
  const named = (word) => `(CASEI(name) LIKE CASEI('%${word}%') OR CASEI(event_id) LIKE CASEI('%${word}%'))`;
  assert.equal(searchFilter(STORMS, "hurricane irma"), named("irma"));
  assert.equal(searchFilter(STORMS, "Typhoons"), named("Typhoons"));
  for (const text of ["huracán irma", "ouragan irma", "tempête irma", "إعصار irma"]) assert.equal(searchFilter(STORMS, text), named("irma"));
  assert.equal(searchFilter(of(["name", "string"]), "maría"), "(CASEI(name) LIKE CASEI('%maría%') OR CASEI(name) LIKE CASEI('%maria%'))");
  // a collection of another kind has the word in its text, or not
  assert.equal(searchFilter(of(["place", "string"], ["magnitude", "number"]), "flood"), "(CASEI(place) LIKE CASEI('%flood%'))");
});

test("a magnitude is a range of magnitudes", () => {
  const quakes = of(["place", "string"], ["magnitude", "number"]);
  const place = "(CASEI(place) LIKE CASEI('%Japan%'))";
  assert.equal(searchFilter(quakes, "M6 Japan"), `(magnitude >= 6 AND magnitude < 7) AND ${place}`);
  assert.equal(searchFilter(quakes, "Japan m6.1"), `${place} AND (magnitude >= 6.1 AND magnitude < 6.2)`);
  assert.equal(searchFilter(quakes, "M6+ earthquakes"), "(magnitude >= 6)");
  assert.equal(searchFilter(of(["place", "string"]), "M6"), "(CASEI(place) LIKE CASEI('%M6%'))");
});

test("a text names an event by its kind or magnitude", () => {
  assert.deepEqual(["hurricane irma", "M6 Japan", "m7.1+", "séisme Taïwan", "inundación", "زلزال", "Japan", "Stormville"].map(namesEvent), [true, true, true, true, true, true, false, false]);
});

test("the place in a text has no kind or magnitude of events", () => {
  assert.deepEqual(["M6 Japan", "hurricane irma", "Paris, Texas", "storm"].map(placeIn), ["Japan", "irma", "Paris, Texas", "storm"]);
});

test("a season may be any number", () => {
  assert.equal(searchFilter(of(["season", "number"]), "2015"), "(season = 2015)");
  assert.equal(searchFilter(of(["season", "string"]), "2015"), null);
});

test("a year is no year without a season", () => {
  assert.equal(searchFilter(of(["name", "string"], ["event_id", "string"]), "2015"),
    "(CASEI(name) LIKE CASEI('%2015%') OR CASEI(event_id) LIKE CASEI('%2015%'))");
});
