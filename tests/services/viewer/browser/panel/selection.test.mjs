import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { collection } from "../collections.mjs";

// the parts of a browser that the module reads when it is loaded
Object.assign(globalThis, {
  addEventListener: () => {},
  matchMedia: () => ({ matches: false }),
  location: { hash: "", pathname: "/map", search: "" },
  history: { replaceState: () => {} },
});
const { Explorer } = await import("../../../../../services/viewer/browser/model/explorer.js");
const { Selection } = await import("../../../../../services/viewer/browser/panel/selection.js");

let explorer, drawn, faults, answers;

beforeEach(() => {
  drawn = [];
  faults = [];
  answers = new Map();
  globalThis.fetch = async (url, { signal } = {}) => {
    const [, answer] = [...answers].find(([part]) => url.includes(part));
    const response = await answer;
    signal?.throwIfAborted();
    return response.clone();
  };
  explorer = new Explorer({ collections: [collection("a"), collection("table", { geometryType: null })], tileMatrixSet: "X", styleParameters: () => ({}) });
  explorer.attach(new Proxy({}, { get: (_, name) => (...values) => drawn.push([name, ...values]) }));
  explorer.on("fault", (text) => faults.push(text));
});

test("a collection without a style is said, and nothing is thrown", async () => {
  answers.set("/style.json", new Response('{"detail": "table has no geometry"}', { status: 404 }));
  answers.set("/items/1", new Response('{"type": "Feature", "id": 1, "geometry": null, "properties": {}}'));
  drawn.length = 0;
  await new Selection(explorer).choose("table", 1);
  assert.deepEqual([faults, drawn], [["table has no geometry"], []]);
});

test("an item that is gone is said, and nothing is thrown", async () => {
  answers.set("/style.json", new Response('{"layers": []}'));
  answers.set("/items/1", new Response('{"detail": "There is none."}', { status: 404 }));
  drawn.length = 0;
  await new Selection(explorer).choose("a", 1);
  assert.deepEqual([faults, drawn], [["There is none."], []]);
});

test("what is no longer selected fails without a word", async () => {
  let arrive;
  answers.set("/style.json", new Promise((resolve) => (arrive = resolve)));
  answers.set("/items/1", new Response('{"type": "Feature", "id": 1, "geometry": null, "properties": {}}'));
  const selection = new Selection(explorer);
  drawn.length = 0;
  const opening = selection.choose("a", 1);
  selection.clear();
  arrive(new Response("{}", { status: 503 }));
  await opening;
  assert.deepEqual([faults, drawn.map(([name]) => name)], [[], ["closePopup", "highlight"]]);
});
