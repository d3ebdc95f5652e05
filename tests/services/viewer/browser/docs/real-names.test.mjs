import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { realNames } from "../../../../../services/viewer/browser/docs/real-names.js";

let collections, features, numberMatched, asked;

beforeEach(() => {
  collections = [{ id: "table" }, { id: "a b", extent: { spatial: {} } }, { id: "c", extent: { spatial: {} } }];
  features = [{ id: 0 }];
  numberMatched = 3;
  asked = [];
  globalThis.fetch = async (url, { headers }) => {
    asked.push([url, headers.Accept]);
    return new Response(JSON.stringify(url.includes("/items") ? { features } : { collections, numberMatched }));
  };
});

test("requests work with a collection that has an extent, and a feature of it", async () => {
  assert.deepEqual(await realNames("/api"), { examples: { collectionId: "a b", itemId: "0" }, choices: { collectionId: ["table", "a b", "c"] } });
  assert.deepEqual(asked, [
    ["/api/collections?limit=200&f=json", "application/json"],
    ["/api/collections/a%20b/items?limit=1&geom-column=none&f=geojson", "application/json"],
  ]);
});

test("of collections without an extent the first is taken, and of none there is no name", async () => {
  collections = [{ id: "table" }, { id: "other", extent: {} }];
  assert.equal((await realNames("/api")).examples.collectionId, "table");
  collections = [];
  assert.deepEqual(await realNames("/api"), { examples: {}, choices: {} });
});

test("what has no feature, or one without an id, has no example of one", async () => {
  for (features of [[], [{ id: null }], [{}]]) assert.deepEqual((await realNames("")).examples, { collectionId: "a b" });
});

test("of more collections than one can choose from none are offered", async () => {
  numberMatched = 4;
  assert.deepEqual((await realNames("")).choices, {});
});
