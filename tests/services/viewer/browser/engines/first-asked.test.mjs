import assert from "node:assert/strict";
import { test } from "node:test";

import { ASKED, firstAsked } from "../../../../../services/viewer/browser/engines/maplibre/first-asked.js";

const isOfData = (url) => url.startsWith("/tiles/");

/** Whether a promise has resolved once what was said has been heard. */
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
