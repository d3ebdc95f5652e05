import assert from "node:assert/strict";
import { test } from "node:test";

import { prepared } from "../../../../../services/viewer/browser/docs/document.js";

test("the explorer sends nothing that was not asked for", () => {
  const made = prepared({
    components: {
      parameters: {
        limit: { name: "limit", in: "query", schema: { type: "integer", default: 10 }, example: 10 },
        any: { name: "any", in: "query", schema: { type: "object" } },
        id: { name: "id", in: "path", required: true, schema: { type: "string" }, example: "other" },
        must: { name: "must", in: "query", required: true, example: 1 },
      },
    },
    paths: {
      "/a": { get: { parameters: [{ name: "bbox", in: "query", description: "Where.", schema: {}, example: [1, 2] }] } },
      "/b": { parameters: [{ name: "n", in: "query", example: 3 }] },
    },
  }, { examples: { id: "real" }, choices: { id: ["one", "real"] } });
  const shared = made.components.parameters;
  assert.equal(shared.limit.description, "Without it: `10`. For example `limit=10`.");
  assert.deepEqual(["example" in shared.limit, "default" in shared.limit.schema], [false, false]);
  assert.deepEqual(shared.any.example, {});
  assert.equal(shared.id.example, "real");
  assert.deepEqual(shared.id.schema, { type: "string", enum: ["one", "real"] });
  assert.deepEqual([shared.must.example, shared.must.description], [1, undefined]);
  assert.equal(made.paths["/a"].get.parameters[0].description, "Where. For example `bbox=1,2`.");
  assert.equal("example" in made.paths["/b"].parameters[0], false);
});

test("a document without parameters stays as it is", () => assert.deepEqual(prepared({}), {}));

test("the explorer has one field for the properties of all collections", () => {
  const queryable = { in: "query", "x-queryable": true };
  const parameters = [{ ...queryable, name: "depth" }, { name: "bbox", in: "query" }, { ...queryable, name: "place" }];
  const made = prepared({ paths: { "/items": { get: { parameters } }, "/": { get: { parameters: [] } } } });
  const [bbox, properties, ...none] = made.paths["/items"].get.parameters;
  assert.deepEqual([bbox.name, properties, none], ["bbox", { $ref: "#/components/parameters/propertyQueries" }, []]);
  assert.deepEqual(made.paths["/"].get.parameters, []);
});
