import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { lastMoment, newestIssue } from "../../../../../services/viewer/browser/model/last-moment.js";

let newest, asked;

beforeEach(() => {
  asked = [];
  globalThis.fetch = async (url) => {
    const { searchParams, pathname } = new URL(url, "https://example.org");
    const column = searchParams.get("properties");
    asked.push([pathname, searchParams.get("sortby"), searchParams.get("filter"), searchParams.get("limit")]);
    return new Response(JSON.stringify({ features: column in newest ? [{ properties: { [column]: newest[column] } }] : [] }));
  };
});

test("of features that last, the last end counts as well as the last start", async () => {
  newest = { began: "2024-05-01T00:00:00Z", ended: "2024-06-01T00:00:00Z" };
  assert.equal(await lastMoment("storms", { column: "began", endColumn: "ended" }), "2024-06-01T00:00:00Z");
  assert.deepEqual(asked, [
    ["/collections/storms/items", "-began", "began IS NOT NULL", "1"],
    ["/collections/storms/items", "-ended", "ended IS NOT NULL", "1"],
  ]);
  // the newest has not ended
  newest = { began: "2024-07-01T00:00:00Z", ended: "2024-06-01T00:00:00Z" };
  assert.equal(await lastMoment("storms", { column: "began", endColumn: "ended" }), "2024-07-01T00:00:00Z");
});

test("data are as new as the newest issue, whatever they are valid for", async () => {
  newest = { began: "2999-01-01T00:00:00Z", ended: "2999-06-01T00:00:00Z", made: "2024-05-01T00:00:00Z" };
  const time = { column: "began", endColumn: "ended", issuedColumn: "made" };
  assert.equal(await newestIssue("alerts", time), "2024-05-01T00:00:00Z");
  assert.deepEqual(asked, [["/collections/alerts/items", "-made", "made IS NOT NULL", "1"]]);
  delete newest.made;
  assert.equal(await newestIssue("alerts", time), "2999-01-01T00:00:00Z", "the newest start, where none is known");
});

test("a day ends with its last moment", async () => {
  newest = { began: "2024-05-01T12:00:00Z", ended: "2024-05-01" };
  assert.equal(await lastMoment("storms", { column: "began", endColumn: "ended" }), "2024-05-01");
  newest.began = "2024-05-02T00:00:00Z";
  assert.equal(await lastMoment("storms", { column: "began", endColumn: "ended" }), "2024-05-02T00:00:00Z");
});

test("moments have one column, and may be missing", async () => {
  newest = { at: "2024-05-01" };
  assert.equal(await lastMoment("quakes", { column: "at", endColumn: null }), "2024-05-01");
  assert.equal(asked.length, 1);
  newest = { ended: null };
  assert.equal(await lastMoment("storms", { column: "began", endColumn: "ended" }), null);
});
