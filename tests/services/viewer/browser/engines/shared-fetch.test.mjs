import assert from "node:assert/strict";
import { test } from "node:test";

import { sharedFetch } from "../../../../../services/viewer/browser/engines/maplibre/shared-fetch.js";

const TILE = "http://127.0.0.1/tiles/0/0/0";

/** A fetch that waits for `respond` or for its signal, with the requests that it received. */
function waitingFetch() {
  const requests = [];
  const plain = (request) =>
    new Promise((resolve, reject) => {
      requests.push({ request, respond: () => resolve(new Response("tile")) });
      request.signal.addEventListener("abort", () => reject(request.signal.reason));
    });
  return { requests, shared: sharedFetch(plain) };
}

test("simultaneous requests for a tile share one response", async () => {
  const { requests, shared } = waitingFetch();
  const [first, second] = [shared(TILE), shared(new Request(TILE))];
  requests[0].respond();
  assert.deepEqual(await Promise.all([first, second].map(async (response) => (await response).text())), ["tile", "tile"]);
  assert.equal(requests.length, 1);
});

test("a later request for the tile is sent again", async () => {
  const { requests, shared } = waitingFetch();
  const first = shared(TILE);
  requests[0].respond();
  await first;
  const second = shared(TILE);
  requests[1].respond();
  assert.equal(await (await second).text(), "tile");
});

test("another tile has its own request", async () => {
  const { requests, shared } = waitingFetch();
  const both = [shared(TILE), shared(`${TILE}?copy=2`)];
  for (const { respond } of requests) respond();
  await Promise.all(both);
  assert.equal(requests.length, 2);
});

test("a caller that cancels leaves the response to the others", async () => {
  const { requests, shared } = waitingFetch();
  const cancel = new AbortController();
  const [first, second] = [shared(TILE, { signal: cancel.signal }), shared(TILE)];
  cancel.abort();
  await assert.rejects(first, { name: "AbortError" });
  requests[0].respond();
  assert.equal(await (await second).text(), "tile");
});

test("the request is cancelled with its last caller, and a new caller starts another", async () => {
  const { requests, shared } = waitingFetch();
  const cancel = new AbortController();
  const first = shared(TILE, { signal: cancel.signal });
  cancel.abort();
  const second = shared(TILE);
  await assert.rejects(first, { name: "AbortError" });
  assert.ok(requests[0].request.signal.aborted);
  const third = shared(TILE);
  requests[1].respond();
  assert.deepEqual(await Promise.all([second, third].map(async (response) => (await response).text())), ["tile", "tile"]);
  assert.equal(requests.length, 2);
});

test("a failed request fails for each caller and may be repeated", async () => {
  let failures = 0;
  const shared = sharedFetch(async () => {
    failures += 1;
    throw new TypeError("no network");
  });
  const both = [shared(TILE), shared(TILE)];
  for (const failed of both) await assert.rejects(failed, TypeError);
  await assert.rejects(shared(TILE), TypeError);
  assert.equal(failures, 2);
});
