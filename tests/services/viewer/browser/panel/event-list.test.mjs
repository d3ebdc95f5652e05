// The list of what is in view, its downloads and programs, and going to a place.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { collection } from "../collections.mjs";
import { answered, engineOf, openMap, settled } from "../map-page.mjs";
import { fire } from "../small-document.mjs";

let page = openMap();
const { Explorer } = await import("../../../../../services/viewer/browser/model/explorer.js");
const { find } = await import("../../../../../services/viewer/browser/page/dom.js");
const { EventList } = await import("../../../../../services/viewer/browser/panel/event-list.js");
const { placeSearch } = await import("../../../../../services/viewer/browser/panel/place-search.js");
const spoken = find("#spoken");

const QUAKES = collection("quake.events", {
  label: "Earthquakes", importance: "-magnitude", time: { column: "at" }, eventKey: "event_id", crs: ["urn:known"],
  columns: [{ name: "title", type: "string" }, { name: "place", type: "string" }],
});
let explorer, calls, asked, chosen, items, places, own, list;

beforeEach(() => {
  page = openMap();
  mock.timers.enable({ apis: ["setTimeout"] });
  [calls, asked, chosen, own] = [[], [], [], {}];
  items = { features: [{ id: 1, properties: { title: "M 5.0 - A", magnitude: 5, at: "2018-02-07T06:00:00Z", nearest_place: "B", nearest_place_km: 3, nearest_place_bearing: "N" } }, { id: 2, properties: { event_id: "E2" } }], numberMatched: 5 };
  places = [];
  globalThis.fetch = async (url) => {
    asked.push(decodeURIComponent(url.replaceAll("+", " ")));
    if (url.includes("/items") && items instanceof Error) return answered({ detail: items.message }, 503);
    if (url.includes("/items")) return answered(items);
    if (url.startsWith("/places")) return answered({ features: places });
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
const entries = () => find("#events ol").children.map((each) => each.textContent.replace(/\s+/g, " ").trim());
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
  assert.equal(asked.length, 1);
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
  assert.deepEqual([buttons[0] !== first, page.activeElement], [true, buttons[0]]);
  chosen[0][2]();
  assert.equal(page.activeElement, buttons[1]);
  items = { ...items, features: items.features.slice(0, 1) };
  explorer.emit("move");
  await pass(350);
  chosen[0][2]();
  assert.equal(page.activeElement, find("#events ol button"), "without it the first");
});

test("an entry says which event it is of where its name does not, and what is over is marked", async () => {
  items = { features: [
    { id: 1, properties: { event_id: "E1" } }, { id: 2, properties: { event_id: "E2", title: "Two", withdrawn: "2020-01-01T00:00:00Z" } },
    { id: 3, properties: { event_id: "E3", name: "IRMA", basin: "NA", at: "2018-02-07T06:00:00Z", nearest_place: "B" } }, { id: 4, properties: { title: "Near B", nearest_place: "B" } },
  ], numberMatched: 4 };
  for (const feature of items.features) feature.properties.at ??= "2018-02-07T06:00:00Z";
  await openList();
  const rows = find("#events ol").children;
  assert.equal(rows.length, 4, "all are listed");
  assert.deepEqual(rows.map((each) => each.getAttribute("class")), [null, "over", null, null]);
  assert.deepEqual(rows.map((each) => [each.querySelector("time").getAttribute("datetime"), /E\d/.exec(each.querySelector("time").textContent)?.[0], each.querySelector("small")?.textContent]), [
    ["2018-02-07T06:00:00Z", "E1", undefined], ["2018-02-07T06:00:00Z", undefined, undefined], ["2018-02-07T06:00:00Z", "E3", "B"], ["2018-02-07T06:00:00Z", undefined, undefined],
  ]);
});

test("while the list is asked for it is busy, and an empty page promises no more", async () => {
  await openList();
  assert.equal(find("#events ol").children.at(-1).getAttribute("class"), "empty");
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
  const links = () => Object.fromEntries(download.querySelectorAll("a").map((link) => [link.dataset.format, [link.download, decodeURIComponent(link.href)]]));
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
  assert.deepEqual(entries(), ["Nothing is found for “foo”."]);
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
  assert.deepEqual([choice.options.map((each) => each.textContent), copy.hidden], [["Python", "R"], false]);
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
  assert.deepEqual([copy.textContent, marked], ["Marked", text]);
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

const PLACE = { geometry: { coordinates: [121, 24] }, properties: { name: "Hualien", kind: "town", province: "Hualien", country: "Taiwan", people: 350_000 } };

/** Types into the search of places; gives what is offered. */
async function go(text) {
  const input = find("#go input");
  input.value = text;
  fire(input, "input");
  await pass(200);
  return find("#go-list").children.map((each) => each.textContent.replace(/\s+/g, " "));
}

test("places and events are found by their names, and gone to", async () => {
  placeSearch(find("#go"), explorer, (...values) => chosen.push(values));
  places = [PLACE, { bbox: [1, 2, 3, 4], geometry: { coordinates: [2, 3] }, properties: { name: "Land", kind: "country", province: null, country: "Land", people: null } }];
  assert.deepEqual(await go("hua"), ["Hualien Taiwan · 350,000 people", "Land country", "A Earthquakes", "Earthquake 2 Earthquakes"]);
  const [input, found] = [find("#go input"), find("#go-list")];
  assert.deepEqual([found.hidden, input.getAttribute("aria-expanded"), spoken.textContent], [false, "true", "4 found; arrow keys choose"]);
  assert.match(asked.find((url) => url.includes("/items")), /sortby=-magnitude&limit=3&bbox-only=true/);
  assert.equal(asked[0], "/places?q=hua&limit=6");
  assert.equal(fire(found.children[0], "pointerdown").isPrevented, true);
  found.children[0].click();
  assert.deepEqual(calls.slice(0, 1).map(([name, box, , how]) => [name, box, how]), [["fit", [120.7, 23.7, 121.3, 24.3], { nearest: 9 }]]);
  assert.deepEqual([calls[1][0], calls[1][1], calls[1][2].textContent, input.value, found.hidden], ["showPopup", [121, 24], "HualienTaiwan · 350,000 people", "Hualien", true]);
  calls[1][3]();
  assert.equal(calls.at(-1)[0], "closePopup");
  calls.length = 0;
  await go("land");
  found.children[1].click();
  assert.deepEqual(calls[0][1], [1, 2, 3, 4]);
  await go("quake");
  found.children[2].click();
  await settled();
  assert.deepEqual([chosen, explorer.shown.has("quake.events")], [[["quake.events", 1]], true]);
});

test("arrows mark an option, Enter takes it, Escape closes", async () => {
  placeSearch(find("#go"), explorer, () => {});
  places = [PLACE, { ...PLACE, properties: { ...PLACE.properties, name: "Two" } }];
  items = { features: [] };
  const [input, form, found] = [find("#go input"), find("#go"), find("#go-list")];
  await go("hua");
  const press = (key) => fire(input, "keydown", { key });
  const marked = () => [found.children.map((each) => each.getAttribute("aria-selected") === "true").indexOf(true), input.getAttribute("aria-activedescendant")];
  assert.deepEqual(marked(), [-1, null]);
  const seen = ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"].map((key) => (press(key), marked()));
  assert.deepEqual(seen, [[0, "go-0"], [1, "go-1"], [0, "go-0"], [1, "go-1"], [0, "go-0"]]);
  assert.equal(press("x").isPrevented, false);
  press("ArrowDown");
  assert.equal(fire(form, "submit").isPrevented, true);
  await settled();
  assert.equal(input.value, "Two");
  await go("hua");
  press("ArrowUp");
  assert.deepEqual(marked(), [1, "go-1"], "up begins at the end");
  assert.equal(press("Escape").isStopped, true);
  assert.deepEqual([found.hidden, press("Escape").isStopped, input.getAttribute("aria-expanded"), input.getAttribute("aria-activedescendant")], [true, false, "false", null]);
  input.value = "hua";
  fire(form, "submit");
  await settled();
  assert.equal(input.value, "Hualien", "the first, without waiting for the list");
  await go("hua");
  fire(input, "blur");
  assert.equal(found.hidden, true);
});

test("coordinates are gone to, a distance around a place is an area, and what is not found is said", async () => {
  placeSearch(find("#go"), explorer, () => {});
  const found = find("#go-list");
  assert.deepEqual(await go("89.9N 121E"), ["89.9°N 121°E Coordinates"]);
  found.children[0].click();
  assert.deepEqual(calls[0][1], [120.7, 89.60000000000001, 121.3, 90]);
  places = [PLACE];
  assert.deepEqual(await go("within 50 km of Hualien"), ["within 50 km of Hualien, Taiwan 350,000 people"]);
  found.children[0].click();
  assert.deepEqual([explorer.area, calls.at(-1)[0], calls.at(-1)[3]], [{ kind: "circle", center: [121, 24], kilometres: 50, name: "Hualien, Taiwan" }, "fit", { nearest: 12 }]);
  assert.deepEqual(await go("20 km of 24N 121E"), ["within 20 km of 24°N 121°E Coordinates"]);
  [places, items] = [[], { features: [] }];
  assert.deepEqual([await go("xyz"), spoken.textContent], [["Nothing is called so"], "Nothing is called so"]);
  asked.length = 0;
  assert.deepEqual([await go("x"), asked, found.hidden], [[], [], true]);
  items = new Error("gone");
  places = [PLACE];
  assert.equal((await go("hua")).length, 1, "a collection that does not answer leaves the places");
  globalThis.fetch = async () => answered({ detail: "no places" }, 503);
  assert.deepEqual(await go("hua"), ["no places"]);
});
