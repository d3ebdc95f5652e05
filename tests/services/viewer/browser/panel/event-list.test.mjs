// The list of the features in view, and its downloads and programs.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { collection } from "../collections.mjs";
import { answered, engineOf, openMap, settled } from "../map-page.mjs";
import { fire } from "../open-page.mjs";

let page = openMap();
const { Explorer } = await import("../../../../../services/viewer/browser/model/explorer.js");
const { find } = await import("../../../../../services/viewer/browser/page/dom.js");
const { EventList } = await import("../../../../../services/viewer/browser/panel/event-list.js");

const QUAKES = collection("quake.events", {
  label: "Earthquakes", importance: "-magnitude", time: { column: "at" }, eventKey: "event_id", crs: ["urn:known"],
  columns: [{ name: "title", type: "string" }, { name: "place", type: "string" }],
});
let explorer, calls, asked, chosen, items, own, list;

beforeEach(() => {
  page = openMap();
  mock.timers.enable({ apis: ["setTimeout"] });
  [calls, asked, chosen, own] = [[], [], [], {}];
  items = { features: [{ id: 1, properties: { title: "M 5.0 - A", magnitude: 5, at: "2018-02-07T06:00:00Z", nearest_place: "B", nearest_place_km: 3, nearest_place_bearing: "N" } }, { id: 2, properties: { event_id: "E2" } }], numberMatched: 5 };
  globalThis.fetch = async (url) => {
    asked.push(decodeURIComponent(url.replaceAll("+", " ")));
    if (url.includes("/items") && items instanceof Error) return answered({ detail: items.message }, 503);
    if (url.includes("/items")) return answered(items);
    if (url.includes("/impacts")) return own.impacts ? answered({ impacts: own.impacts }) : answered({ detail: "none" }, 503);
    return answered({ metadata: {}, layers: [] });
  };
  explorer = new Explorer({ collections: [QUAKES, collection("plain", { label: "Plain", geometryType: "Polygon" })], tileMatrixSet: "X", styleParameters: () => ({}) });
  explorer.attach(engineOf(calls, { within: () => own.within ?? { bbox: [1, 2, 3, 4] } }));
});
afterEach(() => mock.timers.reset());

const openList = async (id = "quake.events") => {
  list = new EventList(find("#events"), explorer, (...values) => chosen.push(values));
  await explorer.show(id);
  await pass(350);
};
const pass = async (milliseconds) => {
  mock.timers.tick(milliseconds);
  await settled();
};
const entries = () => [...find("#events ol").children].map((each) => each.textContent.replace(/\s+/g, " ").trim());
const lastItems = () => Object.fromEntries(new URLSearchParams(asked.filter((url) => url.includes("/items")).at(-1).split("?")[1]));

test("what is in view is listed, once it rests", async () => {
  await openList();
  assert.deepEqual(entries(), ["M 5.0 A 7 Feb 2018, 06:00 UTC3 km N of B", "Earthquake 2", "and 3 more; zoom in to list them"]);
  assert.deepEqual([find("#tab-events span").textContent, find("#tab-events b").textContent, find("#events").getAttribute("aria-busy")], ["5", "In view", null]);
  assert.deepEqual(lastItems(), { limit: "30", bbox: "1.0000,2.0000,3.0000,4.0000", sortby: "-at", "bbox-only": "true", f: "geojson" });
  asked.length = 0;
  for (const event of ["move", "query", "subject", "shown", "data"]) explorer.emit(event, "quake.events");
  await pass(349);
  assert.deepEqual(asked, []);
  await pass(1);
  assert.equal(asked.filter((url) => url.includes("/items")).length, 1);
});

test("an entry says how many people are in the zones of its event", async () => {
  own.impacts = [{ id: "E2", summary: { people: 9290806, zone: "64 kt" } }, { id: "E3", summary: null }];
  items.features.push({ id: 3, properties: { event_id: "E3" } }, { id: 4, properties: { event_id: "E,4" } });
  await openList();
  assert.deepEqual(asked.filter((url) => url.includes("/impacts")), ["/impacts?events=E2,E3&f=json"]);
  assert.deepEqual(entries().slice(1, 4), ["Earthquake 2 At least 9,290,806 people (64 kt)", "Earthquake 3", "Earthquake 4"]);
  // without the numbers the list is as it was
  own.impacts = undefined;
  explorer.emit("data");
  await pass(350);
  assert.equal(entries()[1], "Earthquake 2");
});

test("an entry is chosen, and gets the focus back though the list was filled anew", async () => {
  await openList();
  const [first, second] = find("#events ol").querySelectorAll("button");
  second.click();
  assert.deepEqual(chosen[0].slice(0, 2), ["quake.events", 2]);
  first.focus();
  explorer.emit("move");
  await pass(350);
  const buttons = find("#events ol").querySelectorAll("button");
  assert.deepEqual([buttons[0] !== first, page.activeElement === buttons[0]], [true, true]);
  chosen[0][2]();
  assert.ok(page.activeElement === buttons[1]);
  items = { ...items, features: items.features.slice(0, 1) };
  explorer.emit("move");
  await pass(350);
  chosen[0][2]();
  assert.ok(page.activeElement === find("#events ol button"), "without it the first");
});

test("an entry says which event it is of where its name does not, and what is over is marked", async () => {
  items = { features: [
    { id: 1, properties: { event_id: "E1" } }, { id: 2, properties: { event_id: "E2", title: "Two", withdrawn: "2020-01-01T00:00:00Z" } },
    { id: 3, properties: { event_id: "E3", name: "IRMA", basin: "NA", at: "2018-02-07T06:00:00Z", nearest_place: "B" } }, { id: 4, properties: { title: "Near B", nearest_place: "B" } },
  ], numberMatched: 4 };
  for (const feature of items.features) feature.properties.at ??= "2018-02-07T06:00:00Z";
  await openList();
  const rows = [...find("#events ol").children];
  assert.equal(rows.length, 4, "all are listed");
  assert.deepEqual(rows.map((each) => each.getAttribute("class")), [null, "over", null, null]);
  assert.deepEqual(rows.map((each) => [each.querySelector("time").getAttribute("datetime"), /E\d/.exec(each.querySelector("time").textContent)?.[0], each.querySelector("small")?.textContent]), [
    ["2018-02-07T06:00:00Z", "E1", undefined], ["2018-02-07T06:00:00Z", undefined, undefined], ["2018-02-07T06:00:00Z", "E3", "B"], ["2018-02-07T06:00:00Z", undefined, undefined],
  ]);
});

test("while the list is asked for it is busy, and an empty page promises no more", async () => {
  await openList();
  assert.equal(find("#events ol").lastElementChild.getAttribute("class"), "empty");
  items = { features: [], numberMatched: 5 };
  explorer.emit("move");
  mock.timers.tick(350);
  assert.equal(find("#events").getAttribute("aria-busy"), "true");
  await settled();
  assert.deepEqual([entries().length, find("#events").getAttribute("aria-busy")], [1, null]);
});

test("downloads have all that is listed, in view, in the area or found", async () => {
  await openList();
  const download = find("#download");
  const links = () => Object.fromEntries([...download.querySelectorAll("a")].map((link) => [link.dataset.format, [link.download, decodeURIComponent(link.getAttribute("href"))]]));
  assert.equal(find("span", download).textContent, "Download all 5 in view:");
  assert.deepEqual(links().geojson, ["quake.events.geojson", "/collections/quake.events/export?bbox=1.0000,2.0000,3.0000,4.0000&sortby=-at&f=geojson"]);
  assert.deepEqual(links().csv, ["quake.events.csv", "/collections/quake.events/export?bbox=1.0000,2.0000,3.0000,4.0000&sortby=-at&f=csv&bom=true&geometry=lonlat"]);
  explorer.collection("quake.events").geometryColumn = "geom";
  explorer.setArea({ kind: "box", box: [5, 6, 7, 8] });
  await pass(350);
  explorer.collection("quake.events").geometryColumn = null;
  assert.deepEqual([find("span", download).textContent, find("#tab-events b").textContent, entries().at(-1), "bbox" in lastItems()], ["Download all 5 in the area:", "In the area", "and 3 more; downloads have all", false]);
  explorer.setArea(null);
  items = { features: [], numberMatched: 0 };
  await pass(350);
  assert.deepEqual([download.hidden, find("#programs").hidden, entries()], [true, true, ["Nothing in this view; zoom out or move the map."]]);
  explorer.setDatetime("2020");
  await pass(350);
  assert.deepEqual(entries(), ["Nothing here matches the time and filter."]);
});

test("areas are downloaded without coordinates of points, and of what is not counted no number is said", async () => {
  delete items.numberMatched;
  await openList("plain");
  assert.deepEqual([find("#tab-events span").textContent, find("#download span").textContent, entries().length], ["", "Download what is in view:", 2]);
  assert.doesNotMatch(find("#download [data-format=csv]").href, /geometry=/);
});

test("a search is asked for everywhere and narrows the map, that of the subject alone", async () => {
  await openList();
  const input = find("#search input");
  assert.deepEqual([find("#search").hidden, input.placeholder, find("#search span").textContent], [false, "Search by place", "Search by place"]);
  input.value = " foo ";
  fire(input, "input");
  assert.equal(globalThis.location.hash, "#q=foo");
  await pass(300);
  assert.match(explorer.searches.get("quake.events"), /%foo%/);
  await pass(350);
  assert.deepEqual(["bbox" in lastItems(), find("#download span").textContent], [false, "Download all 5 found:"]);
  assert.equal(lastItems().filter, "((CASEI(title) LIKE CASEI('%foo%') OR CASEI(place) LIKE CASEI('%foo%')))", "once");
  items = { features: [], numberMatched: 0 };
  explorer.emit("move");
  await pass(350);
  assert.deepEqual(entries(), ["No results for “foo”."]);
  explorer.setSubject("plain");
  assert.deepEqual([explorer.searches.size, find("#search").hidden, input.placeholder], [0, true, ""]);
  input.value = "";
  fire(input, "input");
  assert.equal(globalThis.location.hash, "");
});

test("the order is chosen where there is one to choose, and is in the link", async () => {
  await openList();
  const order = find("#sort select");
  assert.equal(find("#sort").hidden, false);
  order.value = "strongest";
  fire(order, "change");
  await settled();
  assert.deepEqual([lastItems().sortby, globalThis.location.hash], ["-magnitude,-at", "#o=strongest"]);
  asked.length = 0;
  list.sort("strongest");
  assert.deepEqual(asked, []);
  list.sort("sideways");
  await settled();
  assert.deepEqual([order.value, lastItems().sortby], ["newest", "-at"]);
  fire(order, "change");
  assert.equal(globalThis.location.hash, "");
  explorer.setSubject("plain");
  assert.equal(find("#sort").hidden, true);
});

test("the view is asked for in the map's own projection where the collection has it", async () => {
  own.within = { bbox: [10, 20, 30, 40], crs: "urn:known" };
  await openList();
  assert.deepEqual([lastItems().bbox, lastItems()["bbox-crs"]], ["10.0000,20.0000,30.0000,40.0000", "urn:known"]);
  own.within = { ...own.within, crs: "urn:other" };
  explorer.emit("move");
  await pass(350);
  assert.deepEqual([lastItems().bbox, lastItems()["bbox-crs"]], ["1.0000,2.0000,3.0000,4.0000", undefined]);
});

test("a fault is said in place of entries, and asked again in a while", async () => {
  const good = items;
  items = new Error("gone");
  await openList();
  assert.deepEqual([entries(), find("#events ol li").getAttribute("class"), find("#events").getAttribute("aria-busy")], [["gone"], "empty fault", null]);
  items = good;
  await pass(5000);
  assert.equal(entries().length, 3);
  explorer.hide("quake.events");
  await pass(350);
  assert.deepEqual([entries(), find("#download").hidden, find("#tab-events span").textContent], [["No collection is shown."], true, ""]);
});

test("programs are asked for when somebody looks, and copied", async () => {
  await openList();
  const box = find("#programs");
  const [choice, text, copy] = ["select", "code", "button"].map((name) => find(name, box));
  const programs = (address) => [{ id: "py", title: "Python", text: `get ${address}` }, { id: "r", title: "R", text: "" }];
  const answer = globalThis.fetch;
  let failing = false;
  globalThis.fetch = async (url) => (url.includes("/programs") ? (asked.push(url), failing ? answered({ detail: "no" }, 503) : answered({ programs: programs(url) })) : answer(url));
  assert.deepEqual([box.hidden, asked.some((url) => url.includes("/programs"))], [false, false]);
  box.open = true;
  fire(box, "toggle");
  await settled();
  assert.match(text.textContent, /^get \/collections\/quake\.events\/programs\?bbox=.*&f=json$/);
  assert.deepEqual([[...choice.options].map((each) => each.textContent), copy.hidden], [["Python", "R"], false]);
  const before = asked.length;
  fire(box, "toggle");
  await settled();
  assert.equal(asked.length, before);
  let written = null;
  Object.defineProperty(globalThis, "navigator", { value: { clipboard: { writeText: async (value) => (written = value) } }, configurable: true });
  const usual = copy.textContent;
  copy.click();
  await settled();
  assert.deepEqual([written, copy.textContent, copy.disabled], [text.textContent, "Copied", true]);
  await pass(1600);
  assert.deepEqual([copy.textContent, copy.disabled], [usual, false]);
  let marked = null;
  globalThis.navigator.clipboard.writeText = async () => { throw new Error("no"); };
  globalThis.getSelection = () => ({ selectAllChildren: (node) => (marked = node) });
  copy.click();
  await settled();
  assert.deepEqual([copy.textContent, marked === text], ["Marked", true]);
  choice.value = "r";
  fire(choice, "change");
  assert.deepEqual([text.textContent, copy.hidden], ["", true]);
  explorer.setDatetime("2019");
  await pass(350);
  assert.equal(choice.value, "r", "what was chosen stays chosen");
  failing = true;
  explorer.setDatetime("2020");
  await pass(350);
  assert.deepEqual([text.textContent, copy.hidden], ["no", true]);
});
