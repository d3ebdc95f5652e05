import assert from "node:assert/strict";
import { test } from "node:test";

import { eventLink } from "../../../../../services/viewer/browser/model/event-link.js";
import { collection } from "../collections.mjs";

const known = new Map(
  [
    collection("storms", { overview: true }),
    collection("tracks", { overview: true }),
    collection("advisories", { overview: false }),
    collection("disturbances", { overview: true, group: "Others" }),
    collection("reports", { geometryType: null }),
  ].map((each) => [each.id, each]),
);
const answer = (ids, extent) => {
  globalThis.fetch = async (url) => {
    assert.equal(decodeURIComponent(String(url)), "/events/A/1?f=json");
    return new Response(JSON.stringify({ collections: ids.map((id) => ({ id })), extent }));
  };
};

test("an event is shown alone in the collections of its module that tell of it", async () => {
  answer(["reports", "storms", "disturbances", "tracks", "advisories", "gone"], { spatial: { bbox: [[1, 2, 3, 4]] } });
  assert.deepEqual(await eventLink(["A/1"], known), { state: { c: "storms,tracks", s: "storms", e: "storms/A/1" }, box: [1, 2, 3, 4] });
});

test("what else knows of it is shown where nothing usual does", async () => {
  answer(["advisories"]);
  assert.deepEqual(await eventLink(["A/1"], known), { state: { c: "advisories", s: "advisories", e: "advisories/A/1" }, box: null });
  answer(["reports"]);
  assert.deepEqual(await eventLink(["A/1"], known), { state: {}, box: null });
});

test("several events are shown together, in a box across the antimeridian", async () => {
  const boxes = { A: [170, -20, 178, -10], B: [-175, -30, -170, -15] };
  globalThis.fetch = async (url) => {
    const [, event] = /events\/(\w)/.exec(String(url));
    return new Response(JSON.stringify({ collections: event === "A" ? [{ id: "storms" }, { id: "tracks" }] : [{ id: "disturbances" }, { id: "reports" }, { id: "storms" }], extent: { spatial: { bbox: [boxes[event]] } } }));
  };
  assert.deepEqual(await eventLink(["A", "B"], known), { state: { c: "storms,tracks", s: "storms", e: "storms/A,storms/B" }, box: [170, -30, 190, -10] });
});
