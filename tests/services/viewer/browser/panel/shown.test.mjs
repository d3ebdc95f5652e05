// The panel's description of the shown data: facts, chips, layers, legends, the subject; and the address that stores
// it.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { collection } from "../collections.mjs";
import { answered, engineOf, openMap, settled } from "../map-page.mjs";
import { fire } from "../open-page.mjs";

let page = openMap();
const [status, spoken] = ["#status", "#spoken"].map((name) => page.querySelector(name));
const beyond = page.defaultView;
const { Explorer } = await import("../../../../../services/viewer/browser/model/explorer.js");
const { find } = await import("../../../../../services/viewer/browser/page/dom.js");
const { clearError, currentError } = await import("../../../../../services/viewer/browser/page/status.js");
const { currentTheme } = await import("../../../../../services/viewer/browser/page/theme.js");
const { followAddress, rememberInAddress, sayFaults } = await import("../../../../../services/viewer/browser/panel/address.js");
const { chips } = await import("../../../../../services/viewer/browser/panel/chips.js");
const { describeDrawn, describeShown, newest } = await import("../../../../../services/viewer/browser/panel/facts.js");
const { layerList } = await import("../../../../../services/viewer/browser/panel/layer-list.js");
const { alikeLegends, legends } = await import("../../../../../services/viewer/browser/panel/legends.js");
const { subjectChoice } = await import("../../../../../services/viewer/browser/panel/subject-choice.js");

const CLASSES = ["C1", "C2", "C3", "C4"].map((label, at) => ({ label, color: `#11111${at}`, values: [label] }));
const SOURCE = { name: "source", type: "string" };
let explorer, calls, asked, own, idle, numbers, sources, legend, failing;

beforeEach(() => {
  page = openMap();
  clearError();
  status.textContent = spoken.textContent = "";
  mock.timers.enable({ apis: ["setTimeout"] });
  [calls, asked, own, numbers, sources, legend, failing] = [[], [], {}, { "": 9 }, [], [], ""];
  globalThis.fetch = async (url) => {
    asked.push(decodeURIComponent(url.replaceAll("+", " ")));
    if (failing && url.includes(failing)) return answered({ detail: "no" }, 503);
    const [, id] = /collections\/(\w+)/.exec(url) ?? [];
    if (url.includes("/facets")) return answered({ numberMatched: 9, facets: { source: { buckets: sources, more: false, nulls: 0 }, category: { buckets: [{ value: "C1", count: 3 }], more: false, nulls: 1 } } });
    if (url.includes("/items") && url.includes("limit=1&")) return answered({ features: [{ id: 1, properties: { title: "Great flood" } }] });
    if (url.includes("/items")) return answered({ features: [], numberMatched: numbers[id] ?? numbers[""] });
    return answered({ metadata: { "dams:collection": id, "dams:legend": legend }, layers: [{ id, type: "circle", metadata: { "dams:collection": id }, paint: { "circle-color": ["match", ["get", "category"], "C1", "#111110", "#999999"] } }] });
  };
  explorer = new Explorer({
    collections: [
      collection("floods", { label: "Flood events", title: "Floods", items: 1234, eventKey: "event_id", columns: [{ name: "title" }], time: { column: "at", asOf: "2018-02-07T06:00:00Z" } }),
      collection("gauges", { label: "Gauges", eventKey: "event_id", importance: "-flow", columns: [SOURCE] }),
      collection("table", { label: "Table", group: "Others", geometryType: null }),
    ],
    tileMatrixSet: "X", styleParameters: () => ({}),
  });
  explorer.attach(engineOf(calls, { onIdle: (listener) => (idle = listener), omitted: () => own.omitted ?? [], view: () => ({ zoom: 4, center: [1, 2] }), globe: false }));
});
afterEach(() => mock.timers.reset());

const pass = async (milliseconds) => {
  mock.timers.tick(milliseconds);
  await settled();
};
const facts = () => find("#facts").textContent;

test("how many features are shown is told, and how new they are", async () => {
  describeShown(explorer);
  await explorer.show("floods");
  await pass(50);
  assert.deepEqual([facts(), spoken.textContent, find("#simulated").hidden], ["9 features · as of 7 Feb 2018", "9 features", true]);
  const before = asked.length;
  explorer.emit("shown");
  await pass(50);
  assert.equal(asked.length, before, "what is the same is not counted again");
  numbers.floods = 3;
  explorer.setFilter("floods", "a = 1");
  await pass(299);
  assert.equal(facts().slice(0, 2), "9 ");
  await pass(1);
  assert.deepEqual([facts(), spoken.textContent], ["3 of 9 features · as of 7 Feb 2018", "3 of 9 features"]);
  numbers.floods = 4;
  explorer.emit("data", "floods");
  await pass(50);
  assert.deepEqual([facts().slice(0, 1), spoken.textContent], ["4", "3 of 9 features"], "news of the data are for the eyes");
  explorer.playing = true;
  explorer.setDatetime("2020");
  await pass(300);
  assert.equal(facts().slice(0, 1), "4", "while time plays nothing is counted");
});

test("of several collections each is told, what is empty is said, and so is a fault", async () => {
  describeShown(explorer);
  numbers = { floods: 2, gauges: 1 };
  sources = [{ value: "simulated", count: 1 }];
  await explorer.show("floods");
  await explorer.show("gauges");
  await pass(50);
  assert.equal(status.textContent, "", "neither is empty");
  assert.deepEqual([facts(), find("#simulated").textContent, find("#simulated").hidden], ["11 features: 2 floods, 9 gauges", "1 gauge simulated, not observed", false]);
  explorer.hide("floods");
  await pass(50);
  assert.equal(find("#simulated").textContent, "1 simulated, not observed");
  explorer.hide("gauges");
  await pass(50);
  assert.deepEqual([facts(), find("#simulated").hidden], ["", true]);
  numbers = { floods: 0 };
  explorer.renew(new Map([["floods", "2"]]));
  await explorer.show("floods");
  await pass(50);
  assert.equal(status.textContent, "This collection is empty.");
  failing = "/items";
  explorer.setFilter("floods", "b = 1");
  await pass(300);
  assert.equal(currentError(), "no");
  [failing, numbers] = ["", { floods: 5 }];
  explorer.emit("shown");
  await pass(50);
  assert.equal(facts().slice(0, 1), "5");
});

test("data of the future are not as of then", () => {
  assert.deepEqual([newest(null), newest("2999-01-01T00:00:00Z")], [null, null]);
  const made = newest("2018-02-07T06:00:00Z");
  assert.deepEqual([made.textContent, made.getAttribute("datetime"), made.title], ["as of 7 Feb 2018", "2018-02-07T06:00:00Z", "Data up to 7 Feb 2018, 06:00 UTC"]);
});

test("how many are not drawn is told of the view, as the tiles say it", async () => {
  describeDrawn(explorer);
  await explorer.show("gauges");
  numbers.gauges = 100;
  own.omitted = [{ ids: ["gauges"], number: 60, estimated: false, simplified: 0 }];
  idle();
  await pass(399);
  assert.equal(find("#drawn").hidden, true);
  await pass(1);
  assert.match(find("#drawn").textContent, /^Showing 40 of 100 in view, strongest first/);
  assert.match(asked.at(-1), /bbox=1\.0000,2\.0000,3\.0000,4\.0000/);
  explorer.setFilter("gauges", "a = 1");
  await pass(400);
  assert.match(asked.at(-1), /filter=a = 1&bbox=/);
  await explorer.show("floods");
  await pass(400);
  assert.match(find("#drawn").textContent, /^Only the strongest are shown here/);
  own.omitted = [];
  explorer.emit("query");
  await pass(400);
  assert.deepEqual([find("#drawn").hidden, find("#drawn").textContent], [true, ""]);
  own.omitted = [{ ids: ["floods"], number: 1, estimated: false, simplified: 1 }];
  explorer.hide("gauges");
  failing = "/items";
  await pass(400);
  assert.equal(
    find("#drawn").textContent,
    "Some features are not drawn here; zoom in to see all. Shapes are simplified; zoom in for detail",
  );
});

test("what is left out of the map is a chip that brings it back", async () => {
  explorer.collection("floods").geometryColumn = "geom";
  const container = find("#chips");
  chips(container, explorer);
  assert.equal(container.childElementCount, 0);
  await explorer.show("floods");
  explorer.setEvents("gauges", ["F7"]);
  assert.equal(container.querySelector("span").textContent, "Only event F7");
  await settled();
  assert.match(asked.at(-1), /\/collections\/floods\/items\?event_id=F7&limit=1&bbox-only=true&f=geojson/);
  explorer.setArea({ kind: "box", box: [1, 2, 3, 4] });
  explorer.setFilter("floods", "a = 1");
  await settled();
  const said = () => [...container.querySelectorAll("span")].map((each) => each.textContent);
  assert.deepEqual(said(), ["Only Great flood", "Only in the box 2°N 1°E to 4°N 3°E", "a = 1"]);
  await explorer.show("gauges");
  await settled();
  assert.equal(said()[2], "Flood events: a = 1");
  const buttons = () => [...container.querySelectorAll("button")];
  assert.deepEqual(buttons().map((each) => [each.textContent, each.getAttribute("aria-label")]), [["Show all", null], ["Clear", "Clear the area"], ["Clear", "Clear the filter of Flood events"]]);
  for (let left = 2; left >= 0; left--) buttons()[left].click();
  assert.deepEqual([container.childElementCount, explorer.events.size, explorer.area, explorer.filters.size], [0, 0, null, 0]);
});

test("collections are switched in their groups, which count when they are opened", async () => {
  layerList(find("#layers"), explorer);
  const [group, others] = find("#layers").querySelectorAll("details");
  assert.deepEqual([group, others].map((each) => each.querySelector("summary").textContent), ["Floods", "Others"]);
  const [floods, gauges] = group.querySelectorAll("input");
  const count = (input) => input.parentNode.querySelector(".count").textContent;
  assert.deepEqual([group.open, count(floods), count(gauges), others.querySelector("input").disabled, others.querySelector("label").title], [false, "1,234", "", true, "This collection has no geometry"]);
  failing = "/items";
  group.open = true;
  fire(group, "toggle");
  await settled();
  failing = "";
  fire(group, "toggle");
  fire(group, "toggle");
  await settled();
  assert.deepEqual([count(gauges), asked.length], ["9", 2]);
  floods.checked = true;
  fire(floods, "change");
  assert.equal(floods.disabled, true);
  await settled();
  assert.deepEqual([explorer.shown.has("floods"), floods.disabled], [true, false]);
  floods.checked = false;
  fire(floods, "change");
  await settled();
  assert.equal(explorer.shown.size, 0);
  let fault = "";
  explorer.on("fault", (text) => (fault = text));
  failing = "gauges/tiles";
  gauges.checked = true;
  fire(gauges, "change");
  await settled();
  assert.deepEqual([gauges.checked, gauges.disabled, fault], [false, false, "gauges: no"]);
  others.open = false;
  await explorer.show("floods");
  assert.deepEqual([floods.checked, gauges.checked, group.open, others.open], [true, false, true, false]);
});

test("the subject is chosen where several are shown", async () => {
  subjectChoice(explorer);
  const select = find("#subject");
  await explorer.show("floods");
  assert.equal(find(".subject").hidden, true);
  await explorer.show("gauges");
  assert.deepEqual([find(".subject").hidden, [...select.options].map((each) => [each.value, each.textContent, each.selected])], [false, [["floods", "Flood events", true], ["gauges", "Gauges", false]]]);
  select.value = "gauges";
  fire(select, "change");
  assert.deepEqual([explorer.subject, [...select.options].map((each) => each.selected)], ["gauges", [false, true]]);
});

test("collections that look alike share a legend, with the classes that occur", async () => {
  legend = [{ title: "Category", properties: ["category"], classes: CLASSES }];
  for (const id of ["floods", "gauges"]) explorer.collection(id).columns = [{ name: "category", type: "string" }];
  legends(explorer);
  await explorer.show("floods");
  const [alone] = alikeLegends(explorer);
  assert.deepEqual([alone.name, alone.entries[0].classes.length, alone.entries[0].ramp, alone.entries[0].unclassed], ["Flood events", 4, true, null]);
  await settled();
  assert.deepEqual(alikeLegends(explorer)[0].entries[0].classes.map(({ label }) => label), ["C1"]);
  assert.deepEqual([alikeLegends(explorer)[0].entries[0].ramp, alikeLegends(explorer)[0].entries[0].unclassed.label], [true, "no category"]);
  assert.deepEqual([find("#legend h2").getAttribute("class"), find("#legend section").getAttribute("aria-label"), find("#legend time").textContent], ["hidden", "Legend of Flood events", "as of 7 Feb 2018"]);
  const before = asked.length;
  explorer.emit("shown");
  await settled();
  assert.equal(asked.length, before);
  await explorer.show("gauges");
  await settled();
  assert.deepEqual([find("#legend").childElementCount, find("#legend h2").textContent, find("#legend h2").getAttribute("class")], [1, "Flood events, Gaugesas of 7 Feb 2018", null]);
  explorer.hide("gauges");
  explorer.hide("floods");
  assert.equal(find("#legend").textContent, "No collection is shown.");
});

test("the address follows what is shown", async () => {
  const story = Object.assign(new EventTarget(), { state: () => ({ follow: story.followed, step: null }), followed: null });
  let onProjection;
  const engine = engineOf([], { view: () => ({ zoom: 4, center: [121, 24] }), onProjection: (listener) => (onProjection = listener), globe: true });
  rememberInAddress(explorer, engine, ["floods"], story);
  const { location } = globalThis;
  explorer.emit("move");
  await pass(249);
  assert.equal(location.hash, "");
  await pass(1);
  assert.equal(location.hash, "#map=4.00/24.00/121.00");
  onProjection();
  assert.match(location.hash, /&p=globe$/);
  await explorer.show("floods");
  await explorer.show("gauges");
  assert.match(location.hash, /&c=floods,gauges$/);
  explorer.setSubject("gauges");
  explorer.setDatetime("2020");
  assert.match(location.hash, /&s=gauges&t=2020$/);
  story.followed = "floods/F7";
  story.dispatchEvent(new Event("life"));
  assert.match(location.hash, /&follow=floods\/F7$/);
  story.followed = "floods/F8";
  story.dispatchEvent(new Event("other"));
  assert.match(location.hash, /&follow=floods\/F8$/);
  story.followed = null;
  story.dispatchEvent(new Event("look"));
  await pass(199);
  assert.match(location.hash, /follow/);
  await pass(1);
  assert.doesNotMatch(location.hash, /follow/);
});

test("the map follows a link that is pasted, and what is wrong with it is said", async () => {
  const heard = [];
  const note = (name) => (...values) => void heard.push([name, ...values]);
  const restoring = { usual: ["floods"], refuse: note("refuse"), select: async (...values) => note("select")(...values), search: note("search"), sort: note("sort"), deselect: note("deselect") };
  followAddress(explorer, engineOf(heard), restoring);
  globalThis.location.hash = "#map=3/10/20&p=globe&theme=dark&q=x&o=strongest&id=floods/7&zz=1";
  fire(beyond, "hashchange");
  await settled();
  assert.deepEqual(heard, [["setView", { zoom: 3, center: [20, 10] }], ["setGlobe", true], ["search", "x"], ["sort", "strongest"], ["select", "floods", "7"]]);
  assert.deepEqual([currentTheme(), explorer.shown.has("floods"), currentError()], ["dark", true, "“zz” of the link: the map does not have this parameter."]);
  heard.length = 0;
  clearError();
  globalThis.location.hash = "#c=gauges";
  fire(beyond, "hashchange");
  await settled();
  assert.deepEqual([heard.map(([name]) => name), [...explorer.shown.keys()], currentError()], [["setGlobe", "deselect", "search", "sort"], ["gauges"], null]);
  sayFaults({ t: "x", s: "none" }, explorer);
  sayFaults({}, explorer);
  assert.match(currentError(), /^“t” of the link: x is not .*\. “s” of the link: collection none does not exist\.$/);
});

test("a chip says which past time is shown, and what was not recorded then", async () => {
  explorer.collection("floods").history = { since: "2020-01-01T00:00:00Z" };
  chips(find("#chips"), explorer);
  await explorer.show("floods");
  await explorer.show("gauges");
  explorer.setAsOf("2020-01-02T00:00:00Z");
  const chip = find("#chips .chip");
  assert.equal(chip.querySelector("span").textContent.replace(/[\u2066-\u2069]/g, "").replace(/\s+/g, " "), "As known on 2 Jan 2020, 00:00 UTC. Not recorded then, so shown as they are now: Gauges.");
  chip.querySelector("button").click();
  assert.deepEqual([explorer.asOf, find("#chips").children.length], [null, 0]);
});

test("what is only known of the present is not said of a past state", async () => {
  explorer.collection("floods").history = { since: "2020-01-01T00:00:00Z" };
  describeShown(explorer);
  layerList(find("#layers"), explorer);
  await explorer.show("floods");
  await pass(400);
  const number = find("#layers .count");
  assert.deepEqual([/as of 7 Feb 2018/.test(facts()), number.hidden, number.textContent], [true, false, "1,234"]);
  explorer.setAsOf("2020-01-02T00:00:00Z");
  await pass(400);
  assert.deepEqual([/as of/.test(facts()), number.hidden], [false, true]);
});
