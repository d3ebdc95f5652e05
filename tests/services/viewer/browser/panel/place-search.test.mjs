// Going to a place by its name: the offered places, and the chosen one.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { collection } from "../collections.mjs";
import { answered, engineOf, openMap, settled } from "../map-page.mjs";
import { fire } from "../open-page.mjs";

let page = openMap();
const { Explorer } = await import("../../../../../services/viewer/browser/model/explorer.js");
const { find } = await import("../../../../../services/viewer/browser/page/dom.js");
const { placeSearch } = await import("../../../../../services/viewer/browser/panel/place-search.js");
const spoken = find("#spoken");

const QUAKES = collection("quake.events", { label: "Earthquakes", importance: "-magnitude", time: { column: "at" }, columns: [{ name: "title", type: "string" }, { name: "place", type: "string" }] });
let explorer, calls, asked, chosen, items, places;

beforeEach(() => {
  page = openMap();
  mock.timers.enable({ apis: ["setTimeout"] });
  [calls, asked, chosen, places] = [[], [], [], []];
  items = { features: [{ id: 1, properties: { title: "M 5.0 - A", magnitude: 5, at: "2018-02-07T06:00:00Z" } }, { id: 2, properties: {} }] };
  globalThis.fetch = async (url, { signal } = {}) => {
    asked.push(decodeURIComponent(url.replaceAll("+", " ")));
    if (url.includes("/items") && items instanceof Error) return answered({ detail: items.message }, 503);
    if (url.includes("/items")) return answered(items);
    if (url.startsWith("/places")) {
      const features = await places;
      signal?.throwIfAborted();
      return answered({ features });
    }
    return answered({ metadata: {}, layers: [] });
  };
  explorer = new Explorer({ collections: [QUAKES, collection("plain", { label: "Plain", geometryType: "Polygon" })], tileMatrixSet: "X", styleParameters: () => ({}) });
  explorer.attach(engineOf(calls));
});
afterEach(() => mock.timers.reset());

const pass = async (milliseconds) => {
  mock.timers.tick(milliseconds);
  await settled();
};

const PLACE = { geometry: { coordinates: [121, 24] }, properties: { name: "Hualien", kind: "town", province: "Hualien", country: "Taiwan", people: 350_000 } };

/** Types into the place search; returns the offered places. */
async function go(text) {
  const input = find("#go input");
  input.value = text;
  fire(input, "input");
  await pass(200);
  return [...find("#go-list").children].map((each) => each.textContent.replace(/\s+/g, " "));
}

test("places and events are found by their names, and gone to", async () => {
  placeSearch(find("#go"), explorer, (...values) => chosen.push(values));
  places = [PLACE, { bbox: [1, 2, 3, 4], geometry: { coordinates: [2, 3] }, properties: { name: "Land", kind: "country", province: null, country: "Land", people: null } }];
  assert.deepEqual(await go("hua"), ["Hualien Taiwan · 350,000 people", "Land country", "A Earthquakes", "Earthquake 2 Earthquakes"]);
  const [input, found] = [find("#go input"), find("#go-list")];
  assert.deepEqual([found.hidden, input.getAttribute("aria-expanded"), spoken.textContent], [false, "true", "4 found; choose with the arrow keys"]);
  assert.match(asked.find((url) => url.includes("/items")), /sortby=-magnitude&limit=3&bbox-only=true/);
  assert.equal(asked[0], "/places?q=hua&limit=6");
  assert.equal(fire(found.children[0], "pointerdown").defaultPrevented, true);
  found.children[0].click();
  assert.deepEqual(calls.slice(0, 1).map(([name, box, , how]) => [name, box, how]), [["fit", [120.7, 23.7, 121.3, 24.3], { nearest: 9 }]]);
  assert.deepEqual([calls[1][0], calls[1][1], calls[1][2].textContent, input.value, found.hidden], ["showPopup", [121, 24], "HualienTaiwan · 350,000 people", "Hualien", true]);
  calls[1][3]();
  assert.equal(calls.at(-1)[0], "closePopup");
  calls.length = 0;
  await go("land");
  found.children[1].click();
  assert.deepEqual(calls[0][1], [1, 2, 3, 4]);
  // a word for the kind of the events puts them first
  await go("quake");
  found.children[0].click();
  await settled();
  assert.deepEqual([chosen, explorer.shown.has("quake.events")], [[["quake.events", 1]], true]);
});

test("known events precede hamlets, and cities precede events", async () => {
  placeSearch(find("#go"), explorer, () => {});
  const town = (name, people) => ({ geometry: { coordinates: [0, 0] }, properties: { name, kind: "town", province: null, country: null, people } });
  places = [town("Hamlet", 900), town("City", 100_000)];
  assert.deepEqual(await go("ab"), ["City 100,000 people", "A Earthquakes", "Earthquake 2 Earthquakes", "Hamlet 900 people"]);
  assert.deepEqual(await go("M5 ab"), ["A Earthquakes", "Earthquake 2 Earthquakes", "Hamlet 900 people", "City 100,000 people"]);
});

test("an event with features in several collections is offered once", async () => {
  const [one, other] = ["a.events", "b.events"].map((id) => collection(id, { label: id, eventKey: "event_id", columns: [{ name: "title", type: "string" }] }));
  const several = new Explorer({ collections: [one, other], tileMatrixSet: "X", styleParameters: () => ({}) });
  several.attach(engineOf([]));
  placeSearch(find("#go"), several, () => {});
  items = { features: [{ id: 1, properties: { title: "Irma", event_id: "AL11" } }] };
  assert.deepEqual(await go("irma"), ["Irma a.events"]);
});

test("arrows mark an option, Enter takes it, Escape closes", async () => {
  placeSearch(find("#go"), explorer, () => {});
  places = [PLACE, { ...PLACE, properties: { ...PLACE.properties, name: "Two" } }];
  items = { features: [] };
  const [input, form, found] = [find("#go input"), find("#go"), find("#go-list")];
  await go("hua");
  const press = (key) => fire(input, "keydown", { key });
  const marked = () => [[...found.children].map((each) => each.getAttribute("aria-selected") === "true").indexOf(true), input.getAttribute("aria-activedescendant")];
  assert.deepEqual(marked(), [-1, null]);
  const seen = ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"].map((key) => (press(key), marked()));
  assert.deepEqual(seen, [[0, "go-0"], [1, "go-1"], [0, "go-0"], [1, "go-1"], [0, "go-0"]]);
  assert.equal(press("x").defaultPrevented, false);
  press("ArrowDown");
  assert.equal(fire(form, "submit").defaultPrevented, true);
  await settled();
  assert.equal(input.value, "Two");
  await go("hua");
  press("ArrowUp");
  assert.deepEqual(marked(), [1, "go-1"], "up begins at the end");
  const heard = [];
  page.addEventListener("keydown", ({ key }) => heard.push(key));
  press("Escape");
  assert.deepEqual([found.hidden, heard, input.getAttribute("aria-expanded"), input.getAttribute("aria-activedescendant")], [true, [], "false", null]);
  press("Escape");
  assert.deepEqual(heard, ["Escape"]);
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
  assert.deepEqual([await go("xyz"), spoken.textContent], [["No place or event found"], "No place or event found"]);
  asked.length = 0;
  assert.deepEqual([await go("x"), asked, found.hidden], [[], [], true]);
  items = new Error("gone");
  places = [PLACE];
  assert.equal((await go("hua")).length, 1, "a collection that does not answer leaves the places");
  globalThis.fetch = async () => answered({ detail: "no places" }, 503);
  assert.deepEqual(await go("hua"), ["no places"]);
});

/** Answers that are on their way until `arrive` is called. */
function onTheWay() {
  let arrive;
  const way = new Promise((resolve) => (arrive = resolve));
  return [way, arrive];
}

const type = (text) => {
  const input = find("#go input");
  input.value = text;
  fire(input, "input");
};

test("Enter takes what is found, however long that takes, and nothing is offered after it", async () => {
  placeSearch(find("#go"), explorer, () => {});
  let arrive;
  [places, arrive] = onTheWay();
  type("hua");
  fire(find("#go"), "submit");
  await pass(1000);
  assert.equal(asked.filter((url) => url.startsWith("/places")).length, 1, "what waits for a pause in typing asks no more");
  arrive([PLACE]);
  await settled();
  assert.deepEqual([find("#go input").value, calls[0]?.[0]], ["Hualien", "fit"]);
  await pass(1000);
  assert.deepEqual([find("#go-list").hidden, find("#go-list").childElementCount], [true, 0]);
});

test("Enter takes nothing that was found for other words", async () => {
  placeSearch(find("#go"), explorer, () => {});
  places = [PLACE];
  await go("hua");
  places = [{ ...PLACE, properties: { ...PLACE.properties, name: "Huaraz" } }];
  type("huaraz");
  fire(find("#go"), "submit");
  await settled();
  assert.equal(find("#go input").value, "Huaraz");
  calls.length = 0;
  let arrive;
  [places, arrive] = onTheWay();
  type("hual");
  fire(find("#go"), "submit");
  await settled();
  type("hualp");
  arrive([PLACE]);
  await settled();
  assert.deepEqual([find("#go input").value, calls], ["hualp", []]);
});

test("who leaves the search is not shown what was on its way", async () => {
  placeSearch(find("#go"), explorer, () => {});
  places = [PLACE];
  type("hua");
  fire(find("#go input"), "blur");
  await pass(200);
  assert.deepEqual([asked, find("#go-list").hidden], [[], true]);
  let arrive;
  [places, arrive] = onTheWay();
  await go("hua");
  fire(find("#go input"), "blur");
  arrive([PLACE]);
  await settled();
  assert.equal(find("#go-list").hidden, true);
});
