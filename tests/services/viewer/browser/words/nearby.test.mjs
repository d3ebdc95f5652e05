import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { nearbyWords } from "../../../../../services/viewer/browser/words/nearby.js";

const cases = JSON.parse(readFileSync(new URL("../../../nearby_words.json", import.meta.url), "utf8"));

test("the nearest place in words, as pages say it", () => {
  for (const [words, properties] of cases) assert.equal(nearbyWords(properties), words);
});
