import assert from "node:assert/strict";
import { test } from "node:test";

import { ASKED, firstAsked, isTileOf } from "../../../../../services/viewer/browser/engines/maplibre/first-asked.js";

const isOfData = (url) => url.startsWith("/tiles/");

/** Whether a promise has resolved after pending messages were handled. */
async function hasResolved(promise) {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return Promise.race([promise.then(() => true), Promise.resolve(false)]);
}

test("the basemap's tiles are not waited for, and the first of data ends the wait", async () => {
  const worker = new BroadcastChannel(ASKED);
  const asked = firstAsked(isOfData, 60_000);
  worker.postMessage("/basemap/1/0/0");
  assert.equal(await hasResolved(asked), false);
  worker.postMessage("/tiles/1/0/0");
  await asked;
  worker.close();
});

test("where no tile is asked for, as in a hidden page, the wait ends by itself", async () => {
  await firstAsked(isOfData, 1);
});

test("a tile is told by the addresses of the sources that have some", () => {
  const sources = {
    quakes: { tiles: ["https://one.example/quakes/{z}/{x}/{y}", "https://two.example/quakes/{z}/{x}/{y}"] },
    // before its TileJSON has come
    floods: {},
  };
  const map = { getSource: (id) => sources[id] };
  const isTile = (url) => isTileOf(map, ["storms", "floods", "quakes"], url);
  assert.equal(isTile("https://one.example/quakes/1/0/0"), true);
  assert.equal(isTile("https://two.example/quakes/1/0/0"), true);
  assert.equal(isTile("https://one.example/floods/1/0/0"), false);
  assert.equal(isTileOf(map, ["storms", "floods"], "https://one.example/quakes/1/0/0"), false);
});
