import assert from "node:assert/strict";
import { test } from "node:test";

import { findPlaces, fullName, surroundings } from "../../../../../services/viewer/browser/service/places.js";

test("a place is asked for by its name", async () => {
  let asked = null;
  globalThis.fetch = async (url) => {
    asked = String(url);
    return new Response('{"features": [{"id": 1}]}');
  };
  assert.deepEqual(await findPlaces("São Paulo", 5), [{ id: 1 }]);
  assert.equal(asked, "/places?q=S%C3%A3o+Paulo&limit=5");
});

for (const [name, province, country, around] of [
  ["Yilan City", "Yilan", "Taiwan", "Yilan, Taiwan"],
  ["Yilan", "Yilan", "Taiwan", "Taiwan"],
  ["Victoria", "Hong Kong", "Hong Kong", "Hong Kong"],
  ["Singapore", "Singapore", "Singapore", ""],
  ["Atlantis", null, null, ""],
]) {
  test(`where a place lies is told without saying a name twice: ${name}`, () => {
    assert.equal(surroundings({ name, province, country }), around);
    assert.equal(fullName({ name, province, country }), around ? `${name}, ${around}` : name);
  });
}
