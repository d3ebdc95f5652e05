// The user chooses a feature: its card, its related features, its storm, its forecasts; and sharing the map.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { collection } from "../collections.mjs";
import { answered, engineOf, openMap } from "../map-page.mjs";
import { fire } from "../open-page.mjs";

let page = openMap();
const spoken = page.querySelector("#spoken");
const { Explorer } = await import("../../../../../services/viewer/browser/model/explorer.js");
const { find } = await import("../../../../../services/viewer/browser/page/dom.js");
const { currentError } = await import("../../../../../services/viewer/browser/page/status.js");
const { Selection } = await import("../../../../../services/viewer/browser/panel/selection.js");
const { embedCode, share, withoutLanguage } = await import("../../../../../services/viewer/browser/panel/share.js");
let explorer, calls, items, faults, story, pushed, asked;

const point = (id, properties = {}, coordinates = [10, 20]) => ({ type: "Feature", id, properties, geometry: { type: "Point", coordinates } });
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

beforeEach(() => {
  page = openMap();
  [calls, faults, pushed, asked] = [[], [], [], []];
  items = { 1: point(1, { title: "One", event_id: "E1" }), 2: point(2, { title: "Two" }, [11, 21]) };
  globalThis.fetch = async (url) => {
    asked.push(decodeURIComponent(url));
    if (url.includes("style.json")) return url.includes("/lost/") ? answered({ detail: "no style" }, 404) : answered({ metadata: {}, layers: [] });
    const [, id] = /items\/(\w+)/.exec(url) ?? [];
    if (id) return items[id] ? answered(items[id]) : answered({ detail: "gone" }, 404);
    if (url.includes("/impacts")) return answered({ impacts: items.impacts ?? [] });
    return answered({ features: items.forecasts ?? [] });
  };
  const event = { eventKey: "event_id" };
  explorer = new Explorer({
    collections: [
      collection("events", event), collection("tracks", event), collection("table", { ...event, geometryType: null }), collection("lost", { label: "Lost", group: "Others" }),
      collection("alerts", { group: "Rivers", time: { column: "at", endColumn: "until", lasts: true, end: new Date(Date.now() + 86400e3).toISOString() } }), collection("flows", { group: "Rivers", forecast: true }),
    ],
    tileMatrixSet: "X", styleParameters: () => ({}),
  });
  const popup = (name, ...nodes) => (...values) => {
    calls.push([name, ...values]);
    find("#map").replaceChildren(...nodes.map((at) => values[at]));
  };
  explorer.attach(engineOf(calls, { showPopup: popup("showPopup", 1), closePopup: popup("closePopup") }));
  explorer.on("fault", (text) => faults.push(text));
  const { history } = globalThis;
  const pushState = history.pushState.bind(history);
  history.pushState = (...values) => (pushed.push(values[2]), pushState(...values));
  story = Object.assign(new EventTarget(), {
    life: null, told: [], tells: (id) => id === "tracks",
    follow: (...values) => void story.told.push(values),
  });
});

const of = (name) => calls.filter(([each]) => each === name);
const card = () => of("showPopup").at(-1)[2];
const buttons = () => [...card().querySelectorAll("nav button")].map((each) => each.textContent);

test("what is chosen is seen, marked and told, and is in the link", async () => {
  const selection = new Selection(explorer);
  await selection.choose("events", 1);
  assert.deepEqual(calls.map(([name]) => name), ["fit", "highlight", "showPopup"]);
  assert.deepEqual([of("fit")[0][1], of("highlight")[0][1], of("showPopup")[0][1], globalThis.location.hash], [[10, 20, 10, 20], items[1], [10, 20], "#id=events/1"]);
  assert.deepEqual([card().querySelector("h2").textContent, page.activeElement === page.body], ["One", true]);
  of("showPopup")[0][3]();
  assert.deepEqual([calls.slice(-2), globalThis.location.hash], [[["closePopup"], ["highlight", null]], ""]);
  calls.length = 0;
  await selection.choose("events", 1, { fly: false });
  assert.equal(of("fit").length, 0);
});

test("the card says how many people are in the zones of its event", async () => {
  items.impacts = [{ id: "E1", summary: { people: 0, zone: "VI" } }];
  await new Selection(explorer).choose("events", 1);
  await turn();
  assert.ok(asked.some((url) => url.endsWith("/impacts?events=E1&f=json")));
  assert.deepEqual([...card().querySelectorAll("dl > *")].slice(0, 2).map((each) => each.textContent), ["People in the zones of the event", "No listed place (VI)"]);
  items.impacts = [{ id: "E1", summary: { people: 1200, zone: "VI", quality: "estimate" } }];
  await new Selection(explorer).choose("events", 1);
  await turn();
  assert.equal(card().querySelector("dd").textContent, "About 1,200 people (VI)");
});

test("the card follows the past time that is shown, and closes where the feature was not known", async () => {
  const { setPast } = await import("../../../../../services/viewer/browser/service/api.js");
  explorer.collection("events").history = { since: "2020-01-01T00:00:00Z" };
  setPast((id) => explorer.pastOf(id));
  await new Selection(explorer).choose("events", 1);
  await turn();
  items[1] = point(1, { title: "One, revised", event_id: "E1" });
  asked.length = 0;
  explorer.setAsOf("2020-01-02T00:00:00Z");
  await turn();
  assert.deepEqual(asked, ["/collections/events/items/1?asOf=2020-01-02T00:00:00Z&f=geojson"], "the number of people is that of the present");
  assert.equal(card().querySelector("h2").textContent, "One, revised");
  assert.match(decodeURIComponent(card().querySelector("a").getAttribute("href")), /asOf=2020-01-02/);
  delete items[1];
  explorer.setAsOf("2020-01-01T00:00:00Z");
  await turn();
  assert.deepEqual([calls.at(-2), faults], [["closePopup"], ["gone"]]);
  setPast(() => null);
});

test("who chose with the keyboard comes back to where that was", async () => {
  const selection = new Selection(explorer);
  let given = 0;
  const [chooser, tab] = [find("#theme"), find("#tab-filter")];
  tab.setAttribute("aria-selected", "true");
  await selection.choose("events", 1, { focus: () => (given += 1, chooser.focus()) });
  assert.ok(page.activeElement === card().querySelector("a"));
  selection.clear();
  assert.deepEqual([given, page.activeElement === chooser], [1, true]);
  selection.clear();
  assert.equal(given, 1);
  await selection.choose("events", 1, { focus: () => {} });
  selection.clear();
  assert.ok(page.activeElement === tab, "where that is out of sight, to the tab");
});

test("what lies under a click is gone through, one after the other, at its place", async () => {
  const selection = new Selection(explorer);
  await selection.pick([{ collection: "events", id: 1, properties: {}, geometry: null }, { collection: "tracks", id: 2, properties: {}, geometry: null }], [5, 6]);
  assert.deepEqual([of("fit").length, of("showPopup")[0][1], buttons()], [0, [5, 6], ["Only this event", "1 of 2 here"]]);
  card().querySelectorAll("nav button")[1].click();
  await turn();
  assert.deepEqual([of("showPopup").at(-1)[1], card().querySelector("h2").textContent, buttons(), of("fit").length], [[5, 6], "Two", ["2 of 2 here"], 0]);
  card().querySelectorAll("nav button")[0].click();
  await turn();
  assert.equal(card().querySelector("h2").textContent, "One");
  await selection.pick([], [0, 0]);
  assert.equal(calls.at(-2)[0], "closePopup");
});

test("where the item cannot be had, what was drawn is told; without an id it is that alone", async () => {
  const selection = new Selection(explorer);
  const drawn = { properties: { title: "Drawn" }, geometry: { type: "Point", coordinates: [1, 2] } };
  await selection.pick([{ collection: "events", id: 9, ...drawn }], [1, 2]);
  assert.deepEqual([card().querySelector("h2").textContent, faults, of("highlight")[0][1].id], ["Drawn", ["gone"], 9]);
  asked.length = 0;
  await selection.pick([{ collection: "events", id: undefined, ...drawn }], [1, 2]);
  assert.deepEqual([asked, card().querySelectorAll("nav a").length, globalThis.location.hash], [[], 0, ""]);
});

test("an event is shown alone with what else tells of it; what cannot be shown is said", async () => {
  const selection = new Selection(explorer);
  await selection.choose("events", 1);
  explorer.collections.get("tracks").geometryType = "LineString";
  card().querySelector("nav button").click();
  await turn();
  assert.deepEqual([[...explorer.events], [...explorer.shown.keys()]], [[["events", ["E1"]], ["tracks", ["E1"]], ["table", ["E1"]]], ["events", "tracks"]]);
  explorer.hide("events");
  assert.equal(globalThis.location.hash, "", "what is hidden is not chosen");
});

test("a storm's feature has its storm followed, and looked at", async () => {
  explorer.collections.get("tracks").time = { column: "valid_time", issuedColumn: "advisory_time" };
  items[3] = point(3, { event_id: "AL1", valid_time: "2017-09-06T00:00:00Z", advisory_time: "2017-09-05T21:00:00Z" });
  const selection = new Selection(explorer, story);
  await selection.choose("tracks", 3);
  assert.deepEqual(story.told, [["tracks", "AL1", { step: "2017-09-06T00:00:00Z", issue: "2017-09-05T21:00:00Z" }, { see: true }]]);
  assert.deepEqual([of("fit").length, pushed], [0, ["/map#follow=tracks/AL1"]]);
  story.told.length = 0;
  await selection.choose("tracks", 3, { linked: true, fly: false });
  assert.deepEqual([story.told, pushed.length], [[["tracks", "AL1", {}, { see: false }]], 1]);
  story.life = { event: "AL1" };
  await selection.choose("tracks", 3);
  assert.deepEqual([pushed.length, of("fit").length], [1, 1], "of the storm that is followed the map goes to the feature");
  calls.length = 0;
  story.dispatchEvent(new Event("look"));
  assert.deepEqual(calls.map(([name]) => name), ["closePopup", "highlight"], "who moves along its life wants to see it");
  story.dispatchEvent(new Event("look"));
  assert.equal(calls.length, 2);
});

test("forecasts where a feature is are offered, and shown", async () => {
  items[4] = point(4, { title: "Alert", at: new Date().toISOString() });
  items.forecasts = [{ type: "Feature", id: 1, properties: {}, geometry: { type: "Point", coordinates: [10, 20] } }];
  const selection = new Selection(explorer);
  await selection.choose("alerts", 4);
  await turn();
  assert.deepEqual(buttons(), ["Forecast here"]);
  card().querySelector("nav button").click();
  await turn();
  assert.deepEqual([[...explorer.shown.keys()], globalThis.location.hash, of("fit").length], [["flows"], "#id=flows/1", 2]);
  explorer.hide("flows");
  explorer.collections.set("lost", { ...explorer.collection("lost"), group: "Rivers", forecast: true });
  await selection.choose("alerts", 4);
  await turn();
  card().querySelector("nav button").click();
  await turn();
  assert.deepEqual([faults[0], explorer.shown.has("flows")], ["Lost: no style", true], "what cannot be shown is said, and the rest is shown");
  items.forecasts = [];
  await selection.choose("alerts", 4);
  await turn();
  assert.deepEqual(buttons(), []);
});

test("the link for somebody else has no language, the code of a page has no markup in its title", () => {
  assert.equal(withoutLanguage("https://a.example/map?lang=ar&x=1#c=a"), "https://a.example/map?x=1#c=a");
  assert.equal(embedCode("https://a.example/map?a=1&b=2", 'A "b" <c>'), '<iframe src="https://a.example/map?a=1&amp;b=2" title="A &quot;b&quot; &lt;c>" width="800" height="500" loading="lazy" allow="fullscreen"></iframe>');
});

test("the box shares what the map shows now", async () => {
  let written = "", shared = null;
  const navigator = { clipboard: { writeText: async (text) => (written = text) }, share: async (what) => (shared = what) };
  Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
  globalThis.history.replaceState(null, "", "/map?lang=fr");
  page.title = "Floods";
  const box = find("#share");
  share(box, explorer);
  const [link, code, hand] = ["[name=link]", "[name=embed]", "[data-act=hand]"].map((name) => find(name, box));
  find("#share-button").click();
  assert.deepEqual([link.value, hand.hidden, page.activeElement === link], ["https://example.org/map#map=5.00/24.000/121.000", false, true]);
  assert.match(code.value, /^<iframe src="https:\/\/example\.org\/map\?lang=fr#map=.*title="Floods"/);
  explorer.setDatetime("2020");
  globalThis.location.hash = "#t=2020";
  await turn();
  assert.equal(link.value, "https://example.org/map#t=2020&map=5.00/24.000/121.000");
  find("[data-act=copy]", box).click();
  await turn();
  assert.deepEqual([written, spoken.textContent, find(".copied", box).textContent], [link.value, "Copied", "Copied"]);
  find("[data-act=code]", box).click();
  await turn();
  assert.equal(written, code.value);
  hand.click();
  assert.deepEqual(shared, { title: "Floods", url: link.value });
  navigator.share = async () => { throw new DOMException("closed", "AbortError"); };
  hand.click();
  await turn();
  assert.equal(currentError(), null);
  navigator.clipboard.writeText = async () => { throw new Error("no clipboard"); };
  find("[data-act=copy]", box).click();
  await turn();
  assert.deepEqual([currentError(), spoken.textContent, find(".copied", box).textContent], [null, "Marked", "Marked"], "it can be copied by hand");
  fire(find("#share-button"), "click");
  globalThis.location.hash = "#c=a";
  explorer.emit("query");
  await turn();
  assert.doesNotMatch(link.value, /c=a/, "while it is closed nothing is written");
});

test("a picture is saved as PNG, or on a page of a PDF", async () => {
  explorer.attach(engineOf(calls, { picture: async () => ({ width: 200, height: 100 }) }));
  const createElement = page.createElement.bind(page);
  const saved = [];
  page.createElement = (name) => {
    const made = createElement(name);
    if (name === "canvas") {
      made.getContext = () => new Proxy({ measureText: () => ({ width: 1 }) }, { get: (own, each) => own[each] ?? (() => {}), set: () => true });
      made.toBlob = (done, type, quality) => done(type === "image/png" || quality < 1 ? new Blob(["picture"], { type }) : null);
    }
    if (name === "a") made.addEventListener("click", () => saved.push([made.download, made.href]));
    return made;
  };
  globalThis.getComputedStyle = () => ({});
  const made = [];
  globalThis.URL.createObjectURL = (blob) => `blob:${made.push(blob)}`;
  const revoked = [];
  globalThis.URL.revokeObjectURL = (address) => revoked.push(address);
  mock.timers.enable({ apis: ["setTimeout"] });
  const box = find("#share");
  share(box, explorer);
  for (const [at, act] of ["png", "pdf"].entries()) {
    find(`[data-act=${act}]`, box).click();
    while (saved.length <= at) await new Promise((resolve) => setImmediate(resolve));
  }
  mock.timers.tick(59_999);
  assert.deepEqual(revoked, [], "until the browser has read them");
  mock.timers.tick(1);
  assert.deepEqual(revoked, ["blob:1", "blob:2"]);
  mock.timers.reset();
  assert.deepEqual(saved, [["map.png", "blob:1"], ["map.pdf", "blob:2"]]);
  assert.deepEqual(made.map(({ type }) => type), ["image/png", "application/pdf"]);
  assert.match(await made[1].text(), /\/Width 1280 /);
});
