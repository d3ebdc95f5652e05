import assert from "node:assert/strict";
import { test } from "node:test";

import { formatHash, formatView, parseHash, parseView } from "../../../../../services/viewer/browser/page/link.js";

test("a state goes into the hash and comes out of it", () => {
  const state = { map: "3/20/-60", "f.hazard.a": "category = 'C5' & x > 1 #", t: "2020-01-01T00:00:00Z/..", c: "a,b" };
  assert.deepEqual(parseHash(formatHash(state)), state);
  assert.equal(formatHash({ map: "3/20/-60", t: "2020-01-01T00:00Z/..", c: "a,b" }), "#map=3/20/-60&t=2020-01-01T00:00Z/..&c=a,b");
});

test("what is empty is left out", () => {
  assert.equal(formatHash({ a: null, b: undefined, c: "" }), "");
  assert.deepEqual(parseHash(""), {});
  assert.deepEqual(parseHash("#"), {});
});

test("a view is zoom, latitude and longitude", () => {
  assert.deepEqual(parseView("3/20/-60"), { zoom: 3, center: [-60, 20] });
  assert.deepEqual(parseView("3.5/-90/200"), { zoom: 3.5, center: [200, -90] });
  for (const text of [undefined, "", "3/20", "a/b/c", "3/91/0", "3/-91/0"]) assert.equal(parseView(text), null);
});

test("a view is written with the digits that its zoom needs", () => {
  assert.equal(formatView({ zoom: 3, center: [-60.123456, 20.5] }), "3.00/20.50/-60.12");
  assert.equal(formatView({ zoom: 11.257, center: [190, -1.23456789] }), "11.26/-1.234568/-170.000000");
});
