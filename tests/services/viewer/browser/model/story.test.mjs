import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Story } from "../../../../../services/viewer/browser/model/story.js";
import { collection } from "../collections.mjs";

const named = (...names) => ({ group: "Storms", eventKey: "event_id", columns: names.map((name) => ({ name })) });
const COLLECTIONS = [
  collection("events", named("event_id")),
  collection("points", named("valid_time", "wind_kt", "kind", "name")),
  collection("issued", named("valid_time", "wind_kt", "kind", "lead_hours", "advisory_time")),
  collection("zones", { ...named("wind_speed_kt", "scope", "advisory_time", "start_date"), geometryType: "MultiPolygon" }),
  collection("floods", { eventKey: "event_id" }),
];
const node = (hour, properties) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [-60 - hour, 18] },
  properties: { valid_time: `2017-09-06T${hour}:00:00Z`, kind: "analysed", name: "IRMA", ...properties },
});

let asked, heard, explorer, story;

beforeEach(() => {
  asked = [];
  heard = [];
  globalThis.fetch = async (url) => {
    asked.push(decodeURIComponent(String(url)));
    if (url.includes("event_id=BAD")) return new Response('{"detail": "no"}', { status: 503 });
    const nodes = { points: [node("00", { wind_kt: 150 }), node("06", { wind_kt: 160 }), node("12", { wind_kt: 155 })], issued: [node("03", { advisory_time: "2017-09-06T03:00:00Z", kind: "forecast" })] };
    const id = /collections\/(\w+)/.exec(url)[1];
    return new Response(JSON.stringify({ features: url.includes("event_id=NONE") ? [] : (nodes[id] ?? []) }));
  };
  explorer = Object.assign(new EventTarget(), {
    collections: new Map(COLLECTIONS.map((each) => [each.id, each])),
    events: new Map(),
    emit: (name, detail) => heard.push([name, detail]),
  });
  story = new Story(explorer);
  for (const name of ["life", "look"]) story.addEventListener(name, () => heard.push(name));
});

test("a storm is fetched once, and its steps are looked at without another request", async () => {
  await story.follow("events", "AL1");
  assert.deepEqual([story.life.name, story.life.steps.length, story.at, story.isToBeSeen], ["IRMA", 3, 1, true]);
  assert.deepEqual(story.state(), { follow: "events/AL1", with: null, step: null, wind: null, issue: null });
  asked.length = 0;
  story.setStep(2);
  story.setStep(99);
  story.setMoment(Date.parse("2017-09-06T07:00Z"));
  assert.equal(story.at, 1);
  story.setWind(34);
  await story.follow("points", "AL1", { step: "2017-09-06T12:00Z" });
  assert.deepEqual([asked, heard], [[], ["life", "look", "look", "look", "look"]]);
  assert.deepEqual(story.state(), { follow: "events/AL1", with: null, step: "2017-09-06T12:00Z", wind: "34", issue: null });
  story.setAdvisory("2017-09-06T03:00:00Z");
  story.end();
  assert.deepEqual([story.life, story.step, story.advisory, story.state().follow], [null, null, null, null]);
});

test("of another storm nothing is as it was with the one before", async () => {
  await story.follow("events", "AL1", { step: "2017-09-06T12:00Z", wind: "34", issue: "2017-09-06T03:00Z" });
  await story.follow("events", "AL2", {}, { see: false });
  assert.deepEqual([story.life.event, story.at, story.wind, story.advisory, story.expectedZones, story.isToBeSeen], ["AL2", 1, 64, null, [], false]);
});

test("a link says which step, wind and advisory are looked at, and what it does not say is as at first", async () => {
  await story.restore({ follow: "events/AL1", step: "2017-09-06T00:00Z", wind: "50", issue: "2017-09-06T03:00Z", map: "3/1/2" });
  assert.deepEqual(story.state(), { follow: "events/AL1", with: null, step: "2017-09-06T00:00Z", wind: "50", issue: "2017-09-06T03:00Z" });
  assert.deepEqual([story.at, story.wind, story.advisory.issued, story.isToBeSeen], [0, 50, "2017-09-06T03:00:00Z", false]);
  assert.ok(asked.some((url) => url.includes("/zones/") && url.includes("scope=whole") && url.includes("advisory_time=2017-09-06T03:00:00Z")));
  await story.restore({ follow: "events/AL1" });
  assert.deepEqual(story.state(), { follow: "events/AL1", with: null, step: null, wind: null, issue: null });
  await story.restore({});
  assert.equal(story.life, null);
});

test("an event that is shown alone is followed, and its link need not say so twice", async () => {
  explorer.events.set("events", ["AL1"]);
  explorer.dispatchEvent(new Event("query"));
  const restored = story.restore({ e: "events/AL1", step: "2017-09-06T00:00Z" });
  assert.equal(story.state().follow, null);
  await restored;
  while (!story.life) await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([asked.length, story.isAlone, story.at, story.state().follow], [2, true, 0, null]);
  explorer.events.clear();
  assert.equal(story.state().follow, "events/AL1");
});

test("another storm is compared: at the same hour, or where it was strongest", async () => {
  await story.compare("AL2");
  assert.equal(story.other, null);
  await story.follow("events", "AL1");
  heard.length = 0;
  story.addEventListener("other", () => heard.push("other"));
  await story.compare("AL2");
  story.setStep(2);
  assert.deepEqual([story.other.event, story.otherStep.moment, story.state().with, story.isToBeSeen], ["AL2", story.step.moment, "AL2", true]);
  await story.compare("AL1");
  await story.compare("NONE");
  assert.deepEqual([story.other, story.state().with], [null, null]);
  await story.compare("BAD");
  assert.deepEqual([story.other, heard], [null, ["other", "look", "other", ["fault", "no"]]]);
  globalThis.fetch = async (url) => new Response(JSON.stringify({ features: url.includes("points") ? [["1999-09-06T00:00:00Z", 50], ["1999-09-06T06:00:00Z", 80]].map(([valid_time, wind_kt]) => node("00", { valid_time, wind_kt })) : [] }));
  await story.compare("AL9");
  assert.equal(story.otherStep.properties.wind_kt, 80);
  await story.follow("events", "AL3");
  assert.deepEqual([story.other, story.otherStep], [null, null]);
});

test("a link names the compared storm, or shows two storms alone", async () => {
  await story.restore({ follow: "events/AL1", with: "AL2", map: "3/1/2" });
  assert.deepEqual([story.life.event, story.other.event, story.isToBeSeen, story.isAlone], ["AL1", "AL2", false, false]);
  explorer.events.set("events", ["AL3", "AL4"]);
  explorer.dispatchEvent(new Event("query"));
  await story.restore({ e: "events/AL3,events/AL4" });
  assert.deepEqual([story.life.event, story.other.event, story.isAlone, story.state().follow, story.state().with], ["AL3", "AL4", true, null, null]);
  await story.restore({ follow: "events/AL3" });
  assert.equal(story.other, null);
});

test("what is wanted while a storm is fetched counts: a step, and that the map stays where it is", async () => {
  const first = story.follow("events", "AL1");
  await story.follow("events", "AL1", { step: "2017-09-06T12:00Z" }, { see: false });
  await first;
  assert.deepEqual([story.at, story.isToBeSeen, heard], [2, false, ["life"]]);
});

test("a storm of which nothing is known takes the place of the one before", async () => {
  await story.follow("events", "AL1");
  await story.follow("events", "NONE");
  assert.deepEqual([story.life, heard], [null, ["life", "life"]]);
});

test("zones that cannot be had are a fault that is said", async () => {
  await story.follow("events", "AL1");
  heard.length = 0;
  globalThis.fetch = async () => new Response('{"detail": "gone"}', { status: 503 });
  story.setAdvisory("2017-09-06T03:00:00Z");
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(heard, ["look", ["fault", "gone"]]);
});

test("what cannot be told is not followed, and faults are said", async () => {
  await story.follow("floods", "AL1");
  await story.follow("events", "NONE");
  assert.deepEqual([story.life, heard, story.tells("floods"), story.tells("zones")], [null, [], false, true]);
  await story.follow("events", "BAD");
  assert.deepEqual([story.life, heard, story.state().follow], [null, [["fault", "no"]], null]);
});

test("a storm without a name is called by its basin, and the strongest wind that is known is looked at", async () => {
  COLLECTIONS[1].columns.push({ name: "basin", labels: { SP: "South Pacific" } });
  const radii = { ne34_nm: 60, ne50_nm: 20 };
  globalThis.fetch = async (url) => new Response(JSON.stringify({ features: url.includes("points") ? [node("00", { name: null, basin: "SP", ...radii })] : [] }));
  await story.follow("events", "X1");
  assert.deepEqual([story.life.name, story.wind, story.state().wind], ["South Pacific storm", 50, null]);
});

test("a storm without advisories is followed by its track", async () => {
  explorer.collections.delete("issued");
  await story.follow("events", "AL1");
  assert.deepEqual([story.life.steps.length, story.life.advisories, heard], [3, [], ["life"]]);
});

test("a step is taken where the map is pointed at", async () => {
  await story.follow("events", "AL1");
  assert.equal(story.pick([-60.01, 18.01], 5), true);
  assert.equal(story.at, 0);
  assert.equal(story.pick([-63, 18], 5), false);
  assert.equal(story.at, 0);
  // the steps are at 60, 66 and 72 degrees west; at this zoom a degree has 11.4 pixels, and less towards the poles
  assert.deepEqual([story.pick([-64.97, 18], 3), story.at], [true, 1]);
  assert.deepEqual([story.pick([-64.9, 18], 3), story.at], [false, 1]);
});

test("an advisory is told of at once and again with its zones, which are asked for once", async () => {
  await story.follow("events", "AL1");
  const heardOf = (count) => new Promise((resolve) => { const look = () => (heard.length < count ? setTimeout(look) : resolve()); look(); });
  [asked.length, heard.length] = [0, 0];
  story.setAdvisory("2017-09-06T03:00:00Z");
  assert.deepEqual(heard, ["look"]);
  await heardOf(2);
  story.setAdvisory("2017-09-06T03:00:00Z");
  story.setAdvisory(null);
  story.setAdvisory("2017-09-06T03:00:00Z");
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([heard, asked.length], [["look", "look", "look", "look"], 1]);
  assert.match(asked[0], /properties=wind_speed_kt&/);
});

test("the storm that was asked for last is followed, in whatever order answers come", async () => {
  const { fetch } = globalThis;
  const held = { AL1: [], AL2: [], BAD: [] };
  globalThis.fetch = (url) => new Promise((resolve) => held[/event_id=(\w+)/.exec(url)[1]].push(() => resolve(fetch(url))));
  const [first, bad, last] = ["AL1", "BAD", "AL2"].map((event) => story.follow("events", event));
  for (const [events, following] of [[["AL2"], [last]], [["AL1", "BAD"], [first, bad]]]) {
    for (const event of events) for (const release of held[event]) release();
    await Promise.all(following);
  }
  assert.deepEqual([story.life.event, heard], ["AL2", ["life"]]);
  held.AL1.length = 0;
  const ended = story.follow("events", "AL1");
  story.end();
  for (const release of held.AL1) release();
  await ended;
  assert.deepEqual([story.life, heard], [null, ["life", "life"]]);
});
