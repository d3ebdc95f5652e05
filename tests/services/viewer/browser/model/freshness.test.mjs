import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { collection } from "../collections.mjs";

// the parts of a browser that the modules read when they are loaded
const line = { setAttribute: () => {}, dataset: {}, textContent: "" };
globalThis.document = { querySelector: () => line };
const { watch } = await import("../../../../../services/viewer/browser/model/freshness.js");
const { announceError, clearError, currentError } = await import("../../../../../services/viewer/browser/page/status.js");

let page, explorer, version, asked, renewed;

/** Waits until pending work has ended. */
async function settled() {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

/** Lets this number of milliseconds pass; timers fire one after the other. */
async function pass(milliseconds) {
  mock.timers.tick(milliseconds);
  await settled();
}

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  clearError();
  page = globalThis.document = Object.assign(new EventTarget(), { hidden: false });
  [version, asked, renewed] = ["1", [], []];
  globalThis.fetch = async (url) => {
    asked.push(new URL(url, "https://example.org").pathname);
    if (version === null) throw new TypeError("network");
    const body = url.includes("tilejson") ? { vector_layers: [{ id: "a", "dams:version": version }] } : { features: [{ properties: { at: "2026-01-02" } }] };
    // at once, so that time need not pass for it
    return { ok: true, status: 200, headers: new Headers(), json: async () => body };
  };
  explorer = Object.assign(new EventTarget(), {
    tileMatrixSet: "X",
    styles: { versions: new Map([["a", "1"]]) },
    shown: new Map([["a", {}]]),
    collection: (id) => own[id],
    renew: (changed) => renewed.push([...changed]),
  });
});
afterEach(() => mock.timers.reset());
const own = { a: collection("a") };

test("a change is shown when all processes have seen it, and its end is the new one", async () => {
  own.a.time = { column: "at", endColumn: null, end: "2026-01-01", asOf: "2026-01-01" };
  watch(explorer);
  await pass(14_999);
  assert.deepEqual(asked, []);
  version = "2";
  await pass(1);
  assert.deepEqual([asked, renewed], [["/tiles/X/tilejson.json"], []]);
  await pass(1_500);
  assert.deepEqual([renewed, own.a.time], [[[["a", "2"]]], { column: "at", endColumn: null, end: "2026-01-02", asOf: "2026-01-02" }]);
  own.a.time = null;
  asked.length = 0;
  await pass(13_500);
  assert.deepEqual([asked.length, renewed.length], [1, 1]);
});

test("a service that does not answer is said until it does, and what failed meanwhile is asked for again", async () => {
  watch(explorer);
  version = null;
  await pass(15_000);
  assert.match(currentError(), /does not answer/);
  version = "1";
  await pass(15_000);
  assert.deepEqual([currentError(), renewed], [null, [[["a", undefined]]]]);
  await pass(15_000);
  assert.equal(renewed.length, 1);
});

test("another fault that is said stays", async () => {
  watch(explorer);
  announceError("another");
  version = null;
  await pass(15_000);
  assert.equal(currentError(), "another");
  version = "1";
  await pass(15_000);
  assert.equal(currentError(), "another");
});

test("a page that is out of sight asks for nothing, and asks at once when it is seen again", async () => {
  watch(explorer);
  page.hidden = true;
  page.dispatchEvent(new Event("visibilitychange"));
  await pass(60_000);
  assert.equal(asked.length, 0);
  page.hidden = false;
  page.dispatchEvent(new Event("visibilitychange"));
  await settled();
  assert.equal(asked.length, 1);
  page.hidden = true;
  await pass(15_000);
  await pass(60_000);
  assert.equal(asked.length, 2);
});

test("being seen again asks once, however often", async () => {
  watch(explorer);
  for (let times = 0; times < 3; times++) {
    page.dispatchEvent(new Event("visibilitychange"));
    await settled();
  }
  asked.length = 0;
  await pass(15_000);
  assert.equal(asked.length, 1);
});

test("what is shown anew and whose version nobody knows is asked for at once", async () => {
  watch(explorer);
  explorer.dispatchEvent(new Event("shown"));
  await settled();
  assert.equal(asked.length, 0);
  explorer.shown.set("b", {});
  explorer.dispatchEvent(new Event("shown"));
  await settled();
  assert.equal(asked.length, 1);
});
