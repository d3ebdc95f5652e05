import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { collectionsOf, collectionsState, eventsText, firstDrawn, pairOf, pairsOf, restore, withQuery } from "../../../../../services/viewer/browser/model/deep-link.js";
import { listQuery } from "../../../../../services/viewer/browser/model/list-query.js";
import { collection } from "../collections.mjs";

test("a pair has its first slash between", () => {
  assert.deepEqual(pairOf("hazard.a/b/c"), ["hazard.a", "b/c"]);
  assert.deepEqual(pairOf("a/"), ["a", ""]);
  for (const text of [undefined, "", "a", "/a"]) assert.equal(pairOf(text), null);
});

test("the link carries time, filters and event, and keeps the rest", () => {
  const area = { kind: "box", box: [1, 2, 3, 4] };
  const explorer = { datetime: "a/b", asOf: "2020-01-02T00:00:00Z", area, filters: new Map([["x", "m > 1"]]), events: new Map([["x", ["E/1"]]]) };
  assert.deepEqual(withQuery({ map: "1/2/3", "f.old": "gone", t: "c/d" }, explorer), { map: "1/2/3", "f.x": "m > 1", t: "a/b", asOf: "2020-01-02T00:00:00Z", a: "box/1,2,3,4", e: "x/E/1" });
  const nothing = { datetime: null, asOf: null, area: null, filters: new Map(), events: new Map() };
  assert.deepEqual(withQuery({ t: "c/d", e: "x/1", a: "box/1,2,3,4" }, nothing), { t: null, asOf: null, a: null, e: null });
});

test("the link says which collections are shown where they are not the usual ones", () => {
  const state = (ids, subject) => collectionsState({ shown: new Map(ids.map((id) => [id, {}])), subject }, ["a", "b"]);
  assert.deepEqual(state(["a", "b"], "a"), { c: null, s: null });
  assert.deepEqual(state(["b", "a"], "a"), { c: null, s: "a" });
  assert.deepEqual(state(["a", "b", "c"], "c"), { c: "a,b,c", s: "c" });
  assert.deepEqual(state(["a"], "a"), { c: "a", s: null });
  assert.deepEqual(state([], null), { c: "none", s: null });
  const collections = new Map([["a", {}], ["b", {}]]);
  assert.deepEqual(collectionsOf({ c: "b,x" }, { collections }, ["a"]), ["b"]);
  assert.deepEqual(collectionsOf({ c: "none" }, { collections }, ["a"]), []);
  assert.deepEqual(collectionsOf({}, { collections }, ["a"]), ["a"]);
});

test("the map starts with a collection that can be drawn", () => {
  const collections = new Map([collection("table", { geometryType: null }), collection("a"), collection("b")].map((each) => [each.id, each]));
  assert.equal(firstDrawn([null, "table", "b"], { collections }), "b");
  assert.equal(firstDrawn(["b", "a"], { collections }), "b");
  assert.equal(firstDrawn([null, "table"], { collections }), "a");
  assert.equal(firstDrawn([null], { collections: new Map([["table", collections.get("table")]]) }), null);
});

let explorer, refused, selected, searched, sorted, options;

beforeEach(() => {
  refused = [];
  selected = [];
  searched = [];
  sorted = [];
  explorer = {
    collections: new Map(["a", "b", "c"].map((id) => [id, collection(id, { eventKey: id === "a" ? "event_id" : null })])),
    collection: (id) => explorer.collections.get(id),
    shown: new Map([["b", {}], ["c", {}]]),
    filters: new Map([["c", "old = 1"]]),
    events: new Map(),
    faults: [],
    setDatetime: (datetime) => (explorer.datetime = datetime),
    setAsOf: (asOf) => (explorer.asOf = asOf),
    setArea: (area) => (explorer.area = area),
    setEvents: (id, events) => (events.length ? explorer.events.set(id, events) : explorer.events.delete(id)),
    setFilter: (id, text) => (text === null ? explorer.filters.delete(id) : explorer.filters.set(id, text)),
    filter: async (id, text) => {
      if (text === "bad") throw new Error("no");
      explorer.filters.set(id, text);
    },
    showAll: async (ids) => {
      for (const id of ids) {
        if (id === "c") explorer.emit("fault", "c: gone");
        else explorer.shown.set(id, {});
      }
    },
    hide: (id) => explorer.shown.delete(id),
    setSubject: (id) => (explorer.subject = id),
    emit: (name, detail) => explorer.faults.push([name, detail]),
  };
  options = {
    usual: ["a"],
    refuse: (...values) => refused.push(values),
    select: async (...values) => selected.push(values),
    search: (text) => searched.push(text),
    sort: (order) => sorted.push(order),
  };
});

test("a link is shown, and what it does not mention is as usual", async () => {
  const link = { t: "2018-02-03/..", asOf: "2020-01-02T00:00:00Z", a: "box/1,2,3,4", "f.a": "m > 1", "f.none": "z", e: "a/E/1", q: "foo", o: "strongest", id: "a/7", c: "a,b", s: "b" };
  explorer.events.set("b", ["of before"]);
  await restore(link, explorer, options);
  assert.deepEqual([...explorer.filters], [["a", "m > 1"]]);
  assert.deepEqual([explorer.datetime, explorer.subject, [...explorer.shown.keys()]], ["2018-02-03/..", "b", ["b", "a"]]);
  assert.deepEqual([explorer.area.box, explorer.asOf], [[1, 2, 3, 4], "2020-01-02T00:00:00Z"]);
  assert.deepEqual([...explorer.events], [["a", ["E/1"]]]);
  assert.deepEqual([searched, selected, refused], [["foo"], [["a", "7"]], []]);
  await restore({}, explorer, options);
  assert.deepEqual([explorer.datetime, explorer.asOf, explorer.area, explorer.subject], [null, null, null, "a"]);
  assert.deepEqual([explorer.filters.size, explorer.events.size], [0, 0]);
  assert.deepEqual([...explorer.shown.keys()], ["a"]);
  assert.deepEqual([searched, sorted], [["foo", ""], ["strongest", undefined]]);
});

test("a link holds several events, also of several hazards, and names those of siblings once", async () => {
  const shared = ["AL1", "AL2, late"];
  const events = new Map([["storms", shared], ["tracks", shared], ["a", ["E1"]]]);
  const text = "storms/AL1,storms/AL2, late,a/E1";
  assert.equal(eventsText({ events }), text);
  assert.deepEqual(pairsOf(text), [["storms", "AL1"], ["storms", "AL2, late"], ["a", "E1"]]);
  assert.deepEqual([pairsOf(undefined), pairsOf("/x"), eventsText({ events: new Map() })], [[], [], null]);
  await restore({ e: "a/E1,a/E2,b/1" }, explorer, options);
  assert.deepEqual([...explorer.events], [["a", ["E1", "E2"]]]);
});

test("what fails is said and the rest is shown", async () => {
  await restore({ t: "yesterday", asOf: "2020-01-02", a: "box/1", "f.a": "bad", "f.b": "good", c: "c,a", s: "c", e: "b/1", id: "none/1" }, explorer, options);
  assert.deepEqual(refused, [["a", "bad", "no"]]);
  assert.equal(explorer.filters.get("b"), "good");
  assert.deepEqual(explorer.faults, [["fault", "c: gone"]]);
  assert.deepEqual([explorer.datetime, explorer.asOf, explorer.area, explorer.events.size, selected.length], [null, null, null, 0, 0]);
  assert.ok(explorer.shown.has("a"));
});

test("the list asks for what is seen, or for what is searched for everywhere", () => {
  const quakes = collection("q", { importance: "-magnitude", time: { column: "at" }, columns: [{ name: "place", type: "string" }] });
  const asked = (fields, shown = { datetime: "a/b", filter: "m > 1" }) =>
    listQuery(quakes, shown, { bbox: [1, 2, 3.00004, 4], text: "", order: "newest", ...fields });
  assert.deepEqual(asked({}), {
    datetime: "a/b", limit: 30, bbox: "1.0000,2.0000,3.0000,4.0000", filter: "(m > 1)", sortby: "-at", "bbox-only": true, f: "geojson",
  });
  // in the map's own projection where it is another
  const projected = asked({ bbox: [1.5, 2, 3, 4], crs: "urn:x" });
  assert.deepEqual([projected.bbox, projected["bbox-crs"]], ["1.5000,2.0000,3.0000,4.0000", "urn:x"]);
  assert.equal("bbox-crs" in asked({ crs: "urn:x", text: "x" }), false);
  // an area takes the place of the view
  const inArea = asked({ bbox: null, crs: "urn:x" });
  assert.deepEqual([inArea.bbox, "bbox-crs" in inArea], [null, false]);
  const searched_ = asked({ text: "x", order: "strongest" });
  assert.deepEqual([searched_.bbox, searched_.filter, searched_.sortby], [null, "(m > 1) AND ((CASEI(place) LIKE CASEI('%x%')))", "-magnitude,-at"]);
  const issued = collection("alerts", { time: { column: "onset", issuedColumn: "issued" } });
  assert.equal(listQuery(issued, {}, { bbox: null, text: "", order: "newest" }).sortby, "-issued");
  assert.deepEqual([asked({ text: " " }, {}).filter, listQuery(collection("p"), {}, { bbox: [1, 2, 3, 4], text: "x", order: "strongest" }).sortby], ["", ""]);
});
