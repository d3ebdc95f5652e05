import assert from "node:assert/strict";
import { test } from "node:test";

import { collectionExamples, examplesOf } from "../../../../../services/viewer/browser/docs/collection-examples.js";

const TIME = { type: "string", format: "date-time", formatMinimum: "2018-01-31T00:00:00Z", formatMaximum: "2018-02-07T01:26:00Z" };
const SCHEMA = {
  geom: { format: "geometry-point" },
  id: { type: "integer", minimum: 1, maximum: 9, "x-ogc-role": "id" },
  made: TIME,
  at: { ...TIME, "x-ogc-role": "primary-instant" },
  magnitude: { type: "number", minimum: 0, maximum: 8 },
  place: { type: "string" },
};

test("examples are of the collection's own properties, ranges, times and features", () => {
  assert.deepEqual(examplesOf(SCHEMA, SCHEMA, [{ id: 7 }, { id: "a,b" }, { id: 9 }]), {
    itemId: "7",
    ids: "7,9",
    filter: "magnitude >= 4 AND made >= TIMESTAMP('2018-01-31T00:00:00Z')",
    properties: "made,at,magnitude",
    datetime: "2018-02-07/..",
  });
  const lasting = { began: { ...TIME, "x-ogc-role": "primary-interval-start" } };
  assert.equal(examplesOf(lasting, lasting, []).datetime, "2018-02-07/..");
});

test("of what a collection does not have there is no example", () => {
  assert.deepEqual(examplesOf({ geom: SCHEMA.geom }, { geom: SCHEMA.geom, made: TIME }, [{ id: null }, {}]), {});
});

test("examples are asked for by the collection's id, and a failure is one", async () => {
  const asked = [];
  const answers = { queryables: { properties: SCHEMA }, schema: { properties: SCHEMA }, items: { features: [{ id: 0 }] } };
  globalThis.fetch = async (url) => {
    const [, name] = /^\/api\/collections\/a%2Fb\/(\w+)/.exec(url);
    asked.push(name);
    return answers[name] ? new Response(JSON.stringify(answers[name])) : new Response("", { status: 503 });
  };
  assert.equal((await collectionExamples("/api", "a/b")).itemId, "0");
  assert.deepEqual(asked, ["queryables", "schema", "items"]);
  delete answers.schema;
  await assert.rejects(collectionExamples("/api", "a/b"), /503 of schema/);
});
