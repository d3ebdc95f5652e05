import assert from "node:assert/strict";
import { test } from "node:test";

import { linkFaults } from "../../../../../services/viewer/browser/model/link-faults.js";
import { collection } from "../collections.mjs";

const collections = new Map(["hazard.a", "hazard.b"].map((id) => [id, collection(id)]));

test("a link without faults has none", () => {
  const state = {
    map: "3/10/-60", p: "globe", c: "hazard.a,hazard.b", s: "hazard.b", t: "2018-02-03/..", asOf: "2020-01-02T03:04:05Z", a: "circle/121.5,25,300/Taipei", "f.hazard.a": "x = 1",
    e: "hazard.a/E1,hazard.a/E2", q: "anything", o: "strongest", id: "hazard.a/7", theme: "dark", follow: "hazard.a/E1", with: "E2", step: "2017-09-06T00:00Z", wind: "64", issue: "2017-09-06T00:00Z",
  };
  assert.deepEqual(linkFaults(state, collections), []);
  assert.deepEqual(linkFaults({ c: "none", t: "../.." }, collections), []);
});

for (const [name, text, said] of [
  ["map", "3/100/0", /zoom level, a latitude/], ["p", "flat", /globe/], ["c", "hazard.a,hazard.x,y", /collection hazard.x, y does not exist\.$/], ["s", "x", /collection x does not exist/],
  ["t", "yesterday", /yesterday is not a time/], ["asOf", "2020-01-02", /2020-01-02 is not a past time/], ["asOf", "2999-01-01T00:00:00Z", /is not a past time/], ["a", "box/1,2,3", /four edges/], ["f.hazard.x", "a = 1", /collection hazard.x does not exist/], ["e", "hazard.a", /slash/],
  ["e", "hazard.a/", /slash/], ["o", "weakest", /newest or strongest/], ["id", "x/1", /collection x does not exist/], ["theme", "sepia", /light or dark/],
  ["follow", "x", /slash/], ["step", "noon", /noon is not a time/], ["wind", "strong", /knots/], ["wind", "0", /0 is not a speed/], ["issue", "x", /not a time/], ["zoom", "3", /does not have this parameter/],
  ["constructor", "x", /does not have this parameter/],
]) {
  test(`a faulty part of a link is told: ${name}=${text}`, () => {
    const faults = linkFaults({ map: "3/10/-60", [name]: text }, collections);
    assert.equal(faults.length, 1);
    assert.ok(faults[0].startsWith(`“${name}” of the link: `));
    assert.match(faults[0], said);
  });
}
