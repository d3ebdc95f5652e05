// The storm that is followed: its panel, its axis, its places and its drawing on the map.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { collection } from "../collections.mjs";
import { answered, engineOf, openMap, settled } from "../map-page.mjs";
import { fire, withValues } from "../open-page.mjs";

let page = openMap();
const { Explorer } = await import("../../../../../services/viewer/browser/model/explorer.js");
const { Story } = await import("../../../../../services/viewer/browser/model/story.js");
const { find } = await import("../../../../../services/viewer/browser/page/dom.js");
const { LifeAxis } = await import("../../../../../services/viewer/browser/panel/life-axis.js");
const { stormMap } = await import("../../../../../services/viewer/browser/panel/storm-map.js");
const { StormPanel } = await import("../../../../../services/viewer/browser/panel/storm-panel.js");

const named = (...names) => ({ group: "Storms", eventKey: "event_id", columns: names.map((name) => ({ name })) });
const node = (time, properties = {}) => ({
  type: "Feature", geometry: { type: "Point", coordinates: [-60 - Number(time.slice(3)) / 6, 18] },
  properties: { valid_time: `2017-09-${time}:00:00Z`, kind: "analysed", name: "IRMA", ...properties },
});
const POINTS = [
  node("05T18", { wind_kt: 120, category: "C4", pressure_hpa: 930 }),
  node("06T00", { wind_kt: 160, gust_kt: 190, category: "C5", ne34_nm: 100, ne64_nm: 40, landfall: true, landfall_place: "Barbuda" }),
  node("06T06", { wind_kt: 155, category: "C5", ne34_nm: 90 }),
];
const LEGEND = (property) => [{ properties: [property], classes: [{ label: "a", color: "#112233", from: 0 }, { label: "b", color: "#445566", from: 64 }] }];
let explorer, story, calls, asked, offered, places, zone;

beforeEach(() => {
  page = openMap();
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  [calls, asked, offered] = [[], [], []];
  places = { features: [{ geometry: { coordinates: [0, 0] }, properties: { name: "Codrington", province: "Barbuda", country: "Barbuda", people: 1300 } }, { geometry: {}, properties: { name: "Land", province: null, country: "Land", people: null } }], numberMatched: 5 };
  zone = { id: 7, properties: { population_in_places: 2000 } };
  const issued = (time, properties) => node(time, { advisory_time: "2017-09-05T21:00:00Z", advisory: 27, ...properties });
  globalThis.fetch = async (url) => {
    asked.push(decodeURIComponent(url));
    const [, id] = /collections\/(\w+)/.exec(url) ?? [];
    if (url.startsWith("/places/within")) return places ? answered(places) : answered({ detail: "no places" }, 503);
    if (url.includes("style.json")) return answered({ metadata: { "dams:legend": LEGEND(id === "zones" ? "wind_speed_kt" : "wind_kt") }, layers: [] });
    if (id === "points") return answered({ features: url.includes("=NONE") ? [] : POINTS });
    if (id === "issued") return answered({ features: [issued("05T21"), issued("06T06", { kind: "forecast", wind_kt: 140, ne34_nm: 80 })] });
    return answered({ features: url.includes("scope=step") && zone ? [zone] : [] });
  };
  explorer = new Explorer({
    collections: [
      collection("points", named("valid_time", "wind_kt", "kind", "name", "landfall")), collection("issued", named("valid_time", "wind_kt", "kind", "lead_hours", "advisory_time")),
      collection("zones", { ...named("wind_speed_kt", "scope", "advisory_time", "start_date"), geometryType: "Polygon" }),
    ],
    tileMatrixSet: "X", styleParameters: () => ({}),
  });
  explorer.attach(engineOf(calls));
  story = new Story(explorer);
  withValues(find("#life .range"), { clientWidth: 372 });
  find("#life .range svg").getBoundingClientRect = () => ({ left: 100, width: 300 });
});
afterEach(() => mock.timers.reset());

const follow = async (event = "AL11") => {
  await story.follow("points", event);
  await settled();
};
const pass = async (milliseconds) => {
  mock.timers.tick(milliseconds);
  await settled();
};

test("the panel tells the step that is looked at", async () => {
  new StormPanel(find("#storm"), explorer, story, (value) => offered.push(value));
  await follow();
  const root = find("#storm");
  const [time, issue] = root.querySelectorAll("select");
  assert.deepEqual([find("h2", root).textContent, offered, time.options.length, time.selectedIndex], ["IRMA", [true], 4, 2]);
  assert.match(find("header p", root).textContent.replace(/\s+/g, " "), /^5 Sept 2017, 18:00 ?– ?6 Sept 2017, 06:00 UTC$/);
  assert.equal(find(".state", root).textContent, "160 kt, category 5 · gusts 190 kt · 18°N 60°W Landfall, Barbuda");
  assert.match(time.options[2].textContent, /00:00 UTC, 160 kt$/);
  const winds = [...root.querySelectorAll("fieldset label")];
  assert.deepEqual(winds.map((each) => [each.textContent, each.title, each.querySelector("input").checked, each.querySelector("i").style.background]), [["34 kt", "34 kt, gale force", false, "#112233"], ["64 kt", "64 kt, hurricane force", true, "#445566"]]);
  const muted = () => [...root.querySelectorAll(".muted")].map((each) => each.textContent);
  assert.equal(muted()[1], "As it was analysed");
  fire(winds[0].querySelector("input"), "change");
  assert.equal(story.wind, 34);
  story.setStep(3);
  assert.deepEqual([time.selectedIndex, find(".state", root).textContent], [3, "155 kt, category 5 · 18°N 61°W"]);
  story.setStep(1);
  assert.match(find(".state", root).textContent, /^strength not known · by the advisory of the time · /);
  story.setStep(3);
  story.setWind(64);
  assert.equal(muted()[1], "No winds of 64 kt at this hour.");
  story.setStep(0);
  assert.equal(muted()[1], "No wind-radius data for this time.");
  time.selectedIndex = 2;
  fire(time, "change");
  assert.equal(story.at, 2);
  assert.deepEqual([...issue.options].map((each) => each.value), ["", "2017-09-05T21:00:00Z"]);
  const links = [...root.lastElementChild.querySelectorAll("a")].map((link) => [link.getAttribute("href"), link.download]);
  assert.deepEqual(links, [["/events/AL11?f=html", ""], ["/events/AL11?f=geojson", "AL11.geojson"]]);
  story.end();
  assert.deepEqual(offered, [true, false]);
});

test("an advisory is compared with what happened", async () => {
  new StormPanel(find("#storm"), explorer, story, () => {});
  await follow();
  const root = find("#storm");
  const [, issue] = root.querySelectorAll("select");
  const [before, after] = root.querySelectorAll(".acts button");
  const [lines, compared] = [find(".lines", root), root.querySelectorAll(".muted")[2]];
  assert.deepEqual([find(".compare", root).hidden, lines.hidden, compared.textContent], [false, true, ""]);
  after.click();
  after.click();
  assert.deepEqual([story.advisory.number, issue.value, lines.hidden], [27, "2017-09-05T21:00:00Z", false]);
  assert.match(compared.textContent, /^This advisory does not cover Wed,? 6 Sept?,? 00:00 UTC\.$/);
  story.setStep(3);
  assert.equal(compared.textContent, "9 hours ahead it expected the storm 0 m from where it was, with 140 kt.");
  before.click();
  assert.deepEqual([story.advisory, lines.hidden], [null, true]);
  before.click();
  issue.value = "2017-09-05T21:00:00Z";
  fire(issue, "change");
  assert.equal(story.advisory.number, 27);
});

test("one storm alone is shown, and all again", async () => {
  new StormPanel(find("#storm"), explorer, story, () => {});
  new LifeAxis(find("#life"), explorer, story);
  await follow();
  const alone = find("#storm header button");
  assert.equal(alone.hidden, false);
  alone.click();
  assert.deepEqual([explorer.events.get("points"), alone.hidden], [["AL11"], true]);
  find("#life [data-act=end]").click();
  assert.deepEqual([explorer.events.size, story.life, find("#life").hidden, page.body.matches(".following")], [0, null, true, false]);
});

test("two storms are compared: their facts in a table, both on the map, and both alone", async () => {
  explorer.collections.set("events", collection("events", { ...named("name", "basin"), time: { column: "start_date" }, importance: "-max_wind_kt" }));
  const { fetch } = globalThis;
  const storm = (event_id, name) => ({ type: "Feature", id: event_id, geometry: null, properties: { event_id, name, basin: "NA" } });
  globalThis.fetch = async (url) => {
    if (url.startsWith("/impacts")) return answered({ impacts: [{ id: "AL12", summary: { people: 500, zone: "64 kt" } }] });
    if (!url.includes("/events/items")) return fetch(url);
    asked.push(decodeURIComponent(url));
    return answered({ features: [storm("AL11", "IRMA"), storm("AL12", "JOSE")] });
  };
  new StormPanel(find("#storm"), explorer, story, () => {});
  stormMap(explorer, story);
  await follow();
  const root = find("#storm .storms");
  const choice = root.querySelector("select");
  assert.deepEqual([...choice.options].map(({ value, textContent }) => [value, textContent]), [["", "no other storm"], ["AL12", "JOSE"]]);
  assert.ok(asked.some((url) => url.includes("/events/items") && url.includes("datetime=2017-01-01/2017-12-31") && url.includes("sortby=-max_wind_kt")));
  assert.equal(root.querySelector("table").hidden, true);
  choice.value = "AL12";
  fire(choice, "change");
  await settled();
  const cells = [...root.querySelectorAll("tbody tr")].map((row) => [...row.children].map(({ textContent }) => textContent));
  assert.deepEqual(cells.find(([title]) => title === "Strongest"), ["Strongest", "160 kt, category 5", "160 kt, category 5"]);
  assert.deepEqual(cells.find(([title]) => title === "Landfalls"), ["Landfalls", "1: Barbuda", "1: Barbuda"]);
  assert.deepEqual(cells.find(([title]) => title === "People"), ["People", "–", "At least 500 people (64 kt)"]);
  assert.equal(root.querySelector("a").getAttribute("href"), "/impacts?events=AL11%2CAL12&f=html");
  const drawn = calls.filter(([name]) => name === "drawStorm").at(-1)[1];
  assert.equal(drawn.features.filter(({ properties: { role } }) => role === "now").length, 2);
  assert.ok(drawn.features.every(({ properties: { role, text } }) => role !== "now" || text.startsWith("IRMA · ")));
  const alone = find("#storm header button");
  assert.equal(alone.textContent, "Only these storms");
  alone.click();
  assert.deepEqual([explorer.events.get("points"), alone.hidden], [["AL11", "AL12"], true]);
  choice.value = "";
  fire(choice, "change");
  await settled();
  assert.deepEqual([story.other, root.querySelector("table").hidden], [null, true]);
});

test("the axis has a bar for each step, and its handle is the story's", async () => {
  const root = find("#life");
  new LifeAxis(root, explorer, story);
  await follow();
  const input = find(".range input", root);
  assert.deepEqual([root.hidden, root.getAttribute("aria-label"), find(".of", root).textContent, input.max, input.value, root.style.getPropertyValue("--steps"), page.body.matches(".following")], [false, "Life of IRMA", "IRMA", "3", "2", "4", true]);
  const bars = () => [...root.querySelectorAll(".range svg rect")].map((bar) => [bar.getAttribute("x"), bar.getAttribute("height"), bar.getAttribute("class"), bar.style.fill]);
  assert.deepEqual(bars(), [["0", "27", null, "#445566"], ["90", "2", null, "#5b6b7b"], ["180", "36", "now", "#445566"], ["270", "34.875", null, "#445566"]]);
  assert.match(find("output", root).textContent, /00:00 UTC$/);
  assert.deepEqual([find(".strength", root).textContent, /UTC, 160 kt, category 5$/.test(input.getAttribute("aria-valuetext"))], ["160 kt · C5", true]);
  assert.deepEqual([...find(".ticks", root).children].map((each) => [each.textContent.replace("Sept", "Sep"), each.style.getPropertyValue("inset-inline-start")]), [["6 Sep", "62.5%"]]);
  for (const [act, at] of [["before", 1], ["after", 2], ["after", 3], ["after", 3]]) {
    find(`[data-act=${act}]`, root).click();
    assert.equal(story.at, at);
  }
  input.value = "0";
  fire(input, "input");
  assert.deepEqual([story.at, bars().map(([, , kind]) => kind)], [0, ["now", null, null, null]]);
  const svg = find(".range svg", root);
  fire(svg, "pointermove", { clientX: 330, buttons: 0 });
  const tip = find(".tip", root);
  assert.deepEqual([tip.hidden, tip.style.getPropertyValue("--at"), story.at], [false, "87.5%", 0]);
  assert.match(tip.textContent, /06:00 UTC: 155 kt, category 5$/);
  fire(svg, "pointermove", { clientX: 190, buttons: 1 });
  assert.equal(story.at, 1);
  fire(svg, "pointerleave");
  assert.equal(tip.hidden, true);
  for (const [x, at] of [[0, 0], [999, 3], [175, 1]]) {
    fire(svg, "click", { clientX: x });
    assert.equal(story.at, at);
  }
});

test("playing goes on to the end, and begins anew from there", async () => {
  new LifeAxis(find("#life"), explorer, story);
  await follow();
  const play = find("#life [data-act=play]");
  play.click();
  await pass(350);
  assert.equal(story.at, 3);
  await pass(350);
  assert.equal(play.getAttribute("aria-pressed"), "false");
  // intervals that end within themselves go on in the mock of Node.js 20
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  play.click();
  assert.equal(story.at, 0);
  for (let step = 0; step < 2; step++) await pass(350);
  assert.equal(story.at, 2);
  find("#life [data-act=before]").click();
  await pass(700);
  assert.equal(story.at, 1, "who takes a step stops it");
});

test("the storm is drawn, all of it is seen first, and no more when it ends", async () => {
  stormMap(explorer, story);
  await follow();
  const [name, box, padding, how] = calls[0];
  assert.deepEqual([name, box.map((edge) => Number(edge.toFixed(3))), padding, how], ["fit", [-63.5, 18, -60, 18], { left: 392, right: 56, top: 56, bottom: 166 }, { nearest: 7 }]);
  assert.deepEqual([calls.at(-1)[0], calls.at(-1)[1].type, calls.at(-1)[2]], ["drawStorm", "FeatureCollection", true]);
  const number = calls.length;
  story.setStep(0);
  assert.equal(calls.length, number + 1);
  explorer.setEvents("points", ["AL11"]);
  assert.equal(calls.at(-1)[2], false, "alone it need not stand out");
  story.end();
  assert.deepEqual(calls.at(-1), ["drawStorm", null, false]);
  calls.length = 0;
  await story.follow("points", "AL12", {}, { see: false });
  assert.equal(calls.some(([each]) => each === "fit"), false);
});

test("the places within the winds are asked for by a click, once the step rests", async () => {
  new StormPanel(find("#storm"), explorer, story, () => {});
  await follow();
  const root = find("#storm .places");
  const [button, told, list, downloads] = root.children;
  const hidden = () => [told, list, downloads].map((each) => each.hidden);
  assert.deepEqual([button.textContent, button.getAttribute("aria-expanded"), hidden()], ["Places within 64 kt, hurricane force", "false", [true, true, true]]);
  asked.length = calls.length = 0;
  button.click();
  assert.deepEqual([button.textContent, button.getAttribute("aria-expanded"), hidden(), calls[0][0]], ["Hide the places", "true", [false, false, false], "fit"]);
  await pass(299);
  assert.deepEqual(asked, []);
  await pass(1);
  assert.match(asked[0], /^\/places\/within\?area=.*&limit=12&f=geojson$/);
  // the zone that the track itself observed has the time of its own hour
  assert.match(decodeURIComponent(asked[1]), /advisory_time=(2017[^&]*)&start_date=\1&scope=step&wind_speed_kt=64/);
  assert.equal(told.textContent, "5 places of about 1,000 people and more; at least 2,000 people in them");
  assert.deepEqual([...list.children].map((each) => [...each.children].map((part) => part.textContent)), [["Codrington", "Barbuda", "1,300"], ["Land", "", ""], []]);
  assert.equal(list.lastElementChild.textContent, "and 3 smaller ones");
  const separator = find("select", downloads);
  assert.deepEqual([[...separator.options].map(({ value }) => value), separator.value], [["comma", "semicolon", "tab"], "comma"]);
  separator.value = "semicolon";
  fire(separator, "change");
  assert.match(downloads.children[0].href, /f=csv&separator=semicolon$/);
  separator.value = "comma";
  fire(separator, "change");
  assert.deepEqual([...downloads.querySelectorAll("a")].map((link) => [link.textContent, link.download, /limit=5&f=(csv|geojson)$/.exec(link.href)?.[1]]), [["Places as CSV", "AL11-places.csv", "csv"], ["as GeoJSON", "AL11-places.geojson", "geojson"], ["Zone as GeoJSON", "AL11-zone.geojson", undefined]]);
  assert.equal(root.getAttribute("aria-busy"), null);
  asked.length = 0;
  story.setStep(0);
  assert.deepEqual([button.hidden, hidden()], [true, [true, true, true]]);
  story.setStep(2);
  await pass(300);
  assert.deepEqual(asked, [], "the same zone is not asked for again");
  button.click();
  await pass(300);
  assert.deepEqual([hidden(), asked, calls.filter(([name]) => name === "fit").length], [[true, true, true], [], 1]);
});

test("of a zone that an advisory has the people are told, too, and it is a download", async () => {
  new StormPanel(find("#storm"), explorer, story, () => {});
  POINTS[2].properties.ne34_nm = null;
  await follow("AL12");
  story.setStep(3);
  story.setWind(34);
  assert.match(find("#storm").querySelectorAll(".muted")[1].textContent, /^As the advisory of 5 Sept? 2017, 21:00 UTC expected it$/);
  const [button, told, list, downloads] = find("#storm .places").children;
  button.click();
  await pass(300);
  assert.equal(told.textContent, "5 places of about 1,000 people and more; at least 2,000 people in them");
  const last = [...downloads.querySelectorAll("a")].at(-1);
  assert.deepEqual([last.getAttribute("href"), last.download], ["/collections/zones/items/7?f=geojson", "AL12-zone.geojson"]);
  story.setStep(2);
  [places, zone] = [{ features: [], numberMatched: 0 }, null];
  await pass(300);
  assert.deepEqual([told.textContent, list.childElementCount, downloads.childElementCount], ["No place with 1,000 or more people", 0, 0]);
  places = null;
  story.setWind(64);
  await pass(300);
  assert.deepEqual([told.textContent, find("#storm .places").getAttribute("aria-busy")], ["no places", null]);
  POINTS[2].properties.ne34_nm = 90;
});
