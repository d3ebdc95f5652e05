// Two storms side by side in the panel.

import assert from "node:assert/strict";
import { test } from "node:test";

import { answered, openMap, settled } from "../map-page.mjs";

openMap();
const { StormComparison } = await import("../../../../../services/viewer/browser/panel/storm-comparison.js");

const PEOPLE = { A: 1000, B: 2000, C: 3000 };

/** A storm of one step. */
function life(event) {
  const step = { moment: Date.UTC(2017, 8, 5), properties: { pressure_hpa: 926 }, landfall: null, expected: false };
  return { id: "tracks", event, name: event, steps: [step], collections: { steps: { id: "nodes", eventKey: "event_id" } } };
}

test("each compared storm has its own number of people", async () => {
  globalThis.fetch = async (url) => {
    const events = new URL(url, "http://map").searchParams.get("events").split(",");
    return answered({ impacts: events.map((id) => ({ id, summary: { people: PEOPLE[id], zone: "64 kt", quality: "lower bound" } })) });
  };
  const story = Object.assign(new EventTarget(), { life: life("A"), other: null, step: null, otherStep: null });
  const { root } = new StormComparison({ siblings: () => [] }, story);
  for (const event of ["B", "C"]) {
    story.other = life(event);
    story.dispatchEvent(new Event("other"));
    await settled();
    const row = [...root.querySelectorAll("tbody tr")].find((each) => each.textContent.startsWith("People"));
    const expected = ["A", event].map((id) => `At least ${PEOPLE[id].toLocaleString("en")} people (64 kt)`);
    assert.deepEqual([...row.querySelectorAll("td")].map((cell) => cell.textContent), expected);
  }
});
