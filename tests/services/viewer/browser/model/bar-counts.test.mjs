import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { BarCounts } from "../../../../../services/viewer/browser/model/bar-counts.js";
import { edgeTexts, TimeAxis } from "../../../../../services/viewer/browser/model/time-axis.js";

const axis = TimeAxis.of("2024-01-01", "2024-12-31");
const BARS = axis.edges.length - 1;
const all = (number) => new Array(BARS).fill(number);
let counts, matched, asked, held;

beforeEach(() => {
  counts = new BarCounts();
  matched = 1;
  asked = [];
  held = null;
  globalThis.fetch = async (url, { signal }) => {
    asked.push(new URL(url, "https://example.org"));
    const buckets = [999, ...all(matched), 999].map((count) => ({ count }));
    const answer = new Response(JSON.stringify({ facets: { datetime: { buckets } } }));
    await held;
    signal.throwIfAborted();
    if (matched === null) throw new TypeError("network");
    return answer;
  };
});

const load = (id = "a", selection = {}, timed = {}) => counts.load(id, selection, timed, axis);

test("all bars are counted by one request", async () => {
  assert.deepEqual(counts.numbers("a", {}, axis), all(null));
  await load("a", { filter: "m > 1" }, { "datetime-column": "at" });
  assert.deepEqual(counts.numbers("a", { filter: "m > 1" }, axis), all(1));
  assert.deepEqual([counts.numbers("a", {}, axis), counts.numbers("b", { filter: "m > 1" }, axis)], [all(null), all(null)]);
  assert.equal(asked[0].pathname, "/collections/a/facets");
  const { facets, ...rest } = Object.fromEntries(asked[0].searchParams);
  assert.deepEqual(rest, { filter: "m > 1", "datetime-column": "at", f: "json" });
  assert.equal(facets, `datetime:edges:${edgeTexts(axis.edges).join("/")}`);
  await load("a", { filter: "m > 1" }, { "datetime-column": "at" });
  assert.equal(asked.length, 1);
});

test("what is being counted is not counted twice", async () => {
  await Promise.all([load(), load()]);
  assert.equal(asked.length, 1);
});

test("another collection takes the place of the one that is being counted", async () => {
  const first = load("a");
  await load("b");
  await first;
  assert.deepEqual([counts.numbers("a", {}, axis), counts.numbers("b", {}, axis)], [all(null), all(1)]);
});

test("numbers of before a change are not kept, and the new ones are counted", async () => {
  let release;
  held = new Promise((resolve) => (release = resolve));
  const before = load();
  counts.forget("a");
  matched = 2;
  // the old answer is the last to come
  held = null;
  await load();
  release();
  await before;
  assert.deepEqual(counts.numbers("a", {}, axis), all(2));
  matched = 3;
  counts.forget("b");
  await load();
  assert.deepEqual(counts.numbers("a", {}, axis), all(2));
  counts.forget("a");
  assert.deepEqual(counts.numbers("a", {}, axis), all(null));
  await load();
  assert.deepEqual(counts.numbers("a", {}, axis), all(3));
});

test("a change of another collection does not stop the counting", async () => {
  const running = load("a");
  counts.forget("b");
  await running;
  assert.deepEqual(counts.numbers("a", {}, axis), all(1));
  assert.equal(asked.length, 1);
});

test("where nothing could be counted it is tried again", async () => {
  matched = null;
  await load();
  matched = 4;
  await load();
  assert.deepEqual(counts.numbers("a", {}, axis), all(4));
});
