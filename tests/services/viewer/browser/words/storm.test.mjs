import assert from "node:assert/strict";
import { test } from "node:test";

import { statusWords } from "../../../../../services/viewer/browser/words/storm.js";

test("what a storm is called is told where its category does not say it", () => {
  const words = [
    [null, { status: null, category: "TS" }],
    [null, { status: "HU", category: "C3" }],
    ["extratropical", { status: "EX", category: "TS" }],
    [null, { status: "Tropical Storm", category: "TS" }],
    [null, { status: "Hurricane", category: "C3" }],
    ["hurricane", { status: "Hurricane", category: null }],
    ["post-tropical cyclone", { status: "Post-Tropical Cyclone", category: "TS" }],
  ];
  for (const [said, properties] of words) assert.equal(statusWords({ properties }), said, JSON.stringify(properties));
});
