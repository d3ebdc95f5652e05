// A storm that is followed, in detail: which steps, zones and columns, and what another storm or a fault leaves behind.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { presentColumns, stormCollections } from "../../../../../services/viewer/browser/model/storm-collections.js";
import { difference, stormBox, stormDrawing, zoneRing } from "../../../../../services/viewer/browser/model/storm-drawing.js";
import { advisoriesOf, firstStep, lifeOf, numberOf, STEP_COLUMNS } from "../../../../../services/viewer/browser/model/storm-life.js";
import { zoneItem } from "../../../../../services/viewer/browser/model/storm-zone.js";
import { Story } from "../../../../../services/viewer/browser/model/story.js";
import { collection } from "../collections.mjs";

const node = (time, longitude, properties = {}) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [longitude, 18] },
  properties: { valid_time: `2017-09-${time}:00:00Z`, kind: "analysed", ...properties },
});
const named = (...names) => ({ group: "Storms", eventKey: "event_id", columns: names.map((name) => ({ name })) });

test("all that is told of a step is asked for", () => {
  const radii = [34, 50, 64].flatMap((speed) => ["ne", "se", "sw", "nw"].map((quadrant) => `${quadrant}${speed}_nm`));
  const others = "name valid_time kind advisory advisory_time lead_hours category status wind_kt gust_kt pressure_hpa landfall landfall_place basin";
  assert.deepEqual([...STEP_COLUMNS].sort(), [...others.split(" "), ...radii].sort());
  assert.equal(presentColumns({ columns: [{ name: "b" }, { name: "a" }] }, ["a", "c", "b"]), "a,b");
});

test("the winds of a step are by speed and quadrant, those that are known", () => {
  const [step] = lifeOf([node("06T12", -61, { ne34_nm: 100, se34_nm: 90, sw34_nm: 80, nw34_nm: 70, ne50_nm: 40, se50_nm: null, sw64_nm: 0 })], []);
  assert.deepEqual([...step.winds.radii], [[34, [100, 90, 80, 70]], [50, [40, 0, 0, 0]]]);
  assert.deepEqual([step.winds.issued, step.winds.expected, step.winds.center], [null, false, [-61, 18]]);
  const [none] = lifeOf([node("06T12", -61, { ne34_nm: 0 })], []);
  assert.equal(none.winds, null);
  assert.deepEqual([numberOf(0), numberOf(NaN), numberOf("1"), numberOf(null)], [0, null, null, null]);
});

test("what an advisory analysed stands beside the track up to three hours from a step of it", () => {
  const analysed = (time) => node(time, -50, { advisory_time: `2017-09-${time}:00:00Z`, advisory: 1 });
  const asides = lifeOf([node("06T12", -61)], advisoriesOf(["06T08", "06T09", "06T15", "06T16"].map(analysed))).map(({ aside }) => aside);
  assert.deepEqual(asides, [false, true, false, true, false]);
});

test("an advisory has the steps that have a time, in their order, and is none without any", () => {
  const of = (issued, time, properties) => node(time, -50, { advisory_time: issued, ...properties });
  const found = advisoriesOf([
    of("2017-09-06T09:00:00Z", "06T12"), of("2017-09-06T09:00:00Z", "06T09"), of("2017-09-06T09:00:00Z", "06T10"),
    of(null, "06T12"), of("2017-09-06T15:00:00Z", "x"), of("2017-09-06T03:00:00Z", "06T03", { advisory: 7 }),
  ]);
  assert.deepEqual(found.map(({ issued, number, moment, steps }) => [issued, number, moment === Date.parse(issued), steps.map((step) => new Date(step.moment).getUTCHours())]), [
    ["2017-09-06T03:00:00Z", 7, true, [3]], ["2017-09-06T09:00:00Z", null, true, [9, 10, 12]],
  ]);
});

test("the strongest step is the first to be seen, whose wind is known", () => {
  const winds = (...values) => values.map((wind, at) => ({ moment: at, expected: false, properties: { wind_kt: wind } }));
  assert.deepEqual([firstStep(winds(null, 50, null)), firstStep(winds(null, null)), firstStep(winds(60, 50))], [1, 0, 0]);
  const ahead = [{ moment: 0, expected: true, properties: { wind_kt: 10 } }, { moment: 1, expected: true, properties: { wind_kt: 90 } }];
  const underWay = [{ moment: 0, expected: false, properties: { wind_kt: 10 } }, ahead[1]];
  assert.deepEqual([firstStep(underWay), firstStep([underWay[0], ...underWay])], [0, 1], "where it was last, however strong it will be");
  assert.equal(firstStep(ahead), 1, "of a storm that nobody saw yet");
});

test("collections of a storm are found by columns, geometry and group, the first of each", () => {
  const steps = ["valid_time", "wind_kt", "kind"];
  const zones = ["wind_speed_kt", "scope", "advisory_time", "start_date"];
  const find = (...all) => stormCollections(new Map(all.map((each) => [each.id, each])), all[0].id);
  const [one, two] = ["one", "two"].map((id) => collection(id, named(...steps)));
  assert.deepEqual([find(one, two).steps.id, find(one, two).advisories], ["one", null]);
  const issued = ["a", "b"].map((id) => collection(id, named(...steps, "lead_hours", "advisory_time")));
  assert.deepEqual([find(one, ...issued).advisories.id, find(issued[0], one).steps.id], ["a", "one"]);
  assert.equal(find(collection("a", named(...steps, "lead_hours", "advisory_time"))), null, "advisories alone are no life");
  for (const missing of steps) assert.equal(find(collection("a", named(...steps.filter((name) => name !== missing)))), null, missing);
  const area = (names) => collection("zones", { ...named(...names), geometryType: "Polygon" });
  assert.equal(find(one, area(zones)).zones.id, "zones");
  for (const missing of zones) assert.equal(find(one, area(zones.filter((name) => name !== missing))).zones, null, missing);
  assert.equal(find(one, { ...area(zones), geometryType: "Point" }).zones, null);
  for (const other of [{ group: "Floods" }, { eventKey: "id" }]) assert.equal(find(one, { ...issued[0], ...other }).advisories, null);
  assert.equal(find({ ...one, eventKey: null }), null);
});

const palette = { step: ({ wind_kt: wind }) => `wind ${wind}`, zone: (wind) => `zone ${wind}` };

test("a drawing is GeoJSON, and has what is expected in its own colours", () => {
  const [advisory] = advisoriesOf([
    node("06T09", -60, { advisory_time: "2017-09-06T09:00:00Z", wind_kt: 1 }), node("06T12", -61, { advisory_time: "2017-09-06T09:00:00Z", kind: "forecast", wind_kt: 2 }),
  ]);
  const steps = lifeOf([node("06T09", -60, { wind_kt: 3 }), node("06T12", -62, { wind_kt: 4, ne34_nm: 9, ne64_nm: 5 })], []);
  const zone = { type: "Feature", geometry: { type: "Polygon", coordinates: [] }, properties: { kind: "forecast" } };
  const { type, features } = stormDrawing({ steps, at: 1, wind: 64, advisory, expectedZones: [zone, { ...zone, geometry: null }] }, palette);
  assert.deepEqual([type, [...new Set(features.map((each) => each.type))]], ["FeatureCollection", ["Feature"]]);
  const colors = (role) => features.filter(({ properties }) => properties.role === role).map(({ properties }) => properties.color);
  assert.deepEqual(["track", "expected-track", "step", "expected-step", "now", "expected-now", "expected-zone"].map(colors), [
    ["wind 3"], ["wind 1"], ["wind 3", "wind 4"], ["wind 1", "wind 2"], ["wind 4"], ["wind 2"], ["zone 0"],
  ]);
  const zones = features.filter(({ properties }) => properties.role === "zone").map(({ properties, geometry }) => [properties.chosen, properties.dashed, geometry.type, geometry.coordinates[0].length]);
  assert.deepEqual(zones, [[false, false, "Polygon", 37], [true, false, "Polygon", 37]]);
  assert.deepEqual([zoneRing(steps[1], 34).length, zoneRing(steps[1], 50), zoneRing(steps[0], 34)], [37, null, null]);
  // a position that an advisory analysed is not a forecast
  assert.equal(difference(advisory, steps[0]), null);
  assert.deepEqual([difference(advisory, steps[1]).hours, difference(advisory, steps[1]).wind], [3, 2]);
});

test("steps that are expected from the first on have a line of their own, and none is a drawing all the same", () => {
  const steps = lifeOf([node("06T09", -60, { kind: "forecast" }), node("06T12", -61, { kind: "forecast" })], []);
  const of = (told) => stormDrawing({ at: 0, wind: 64, advisory: null, expectedZones: [], ...told }, palette).features;
  assert.deepEqual(of({ steps }).filter(({ geometry }) => geometry.type === "LineString").map(({ properties }) => properties.role), ["expected-track"]);
  assert.deepEqual(of({ steps: [] }), []);
  // a step beside the track is not a vertex of it
  const aside = { ...steps[0], aside: true, expected: false };
  assert.equal(of({ steps: [aside, ...steps] }).filter(({ properties }) => properties.role === "step").length, 0);
});

test("a storm's box is the smallest, on either side of the antimeridian", () => {
  const box = (...positions) => stormBox(positions.map((position) => ({ position })));
  assert.deepEqual(box([10, 5], [12, -3], [8, 9]), [8, -3, 12, 9]);
  assert.deepEqual(box([-179, 1], [179, 2], [178, 0]), [178, 0, 181, 2]);
  assert.deepEqual(box([-180, 1], [-170, 2]), [-180, 1, -170, 2]);
});

test("of a zone that the service has its people, largest places and area are asked for", async () => {
  let asked = "";
  globalThis.fetch = async (url) => ((asked = url), new Response('{"features": []}'));
  const zones = { id: "zones", eventKey: "event_id", columns: ["population_in_places", "largest_places", "area_km2", "other"].map((name) => ({ name })) };
  await zoneItem({ event: "A", collections: { zones } }, { moment: 0, winds: { issued: "x" } }, 34, new AbortController().signal);
  assert.equal(new URLSearchParams(asked.split("?")[1]).get("properties"), "population_in_places,largest_places,area_km2");
});

let explorer, story, heard, release;
const COLLECTIONS = [
  collection("points", named("valid_time", "wind_kt", "kind", "name", "basin")),
  collection("issued", named("valid_time", "wind_kt", "kind", "lead_hours", "advisory_time")),
  collection("zones", { ...named("wind_speed_kt", "scope", "advisory_time", "start_date", "kind"), geometryType: "Polygon" }),
];

beforeEach(() => {
  heard = [];
  release = () => {};
  globalThis.fetch = async (url) => {
    heard.push(decodeURIComponent(url));
    const issued = (time) => node(time, -60, { advisory_time: `2017-09-${time}:00:00Z`, kind: "forecast" });
    if (url.includes("/zones/")) await new Promise((resolve) => (release = resolve));
    const features = url.includes("/points/") ? [node("06T00", -60, { wind_kt: 90, name: "" }), node("06T06", -61, { wind_kt: 80 })] : url.includes("/issued/") ? [issued("06T03"), issued("06T09")] : [{ id: 1 }];
    return new Response(JSON.stringify({ features }));
  };
  explorer = Object.assign(new EventTarget(), { collections: new Map(COLLECTIONS.map((each) => [each.id, each])), events: new Map(), emit: () => {} });
  story = new Story(explorer);
});
const turn = () => new Promise((resolve) => setTimeout(resolve));

test("a life is asked for whole, by storm, with the columns that there are", async () => {
  await story.follow("points", "AL1");
  assert.deepEqual(heard, [
    "/collections/points/items?event_id=AL1&properties=name,valid_time,kind,wind_kt,basin&limit=10000&f=geojson",
    "/collections/issued/items?event_id=AL1&properties=valid_time,kind,advisory_time,lead_hours,wind_kt&limit=10000&f=geojson",
  ]);
  assert.equal(story.life.name, "AL1", "what has no name is called by its identifier");
  assert.equal(new Story(explorer).step, null);
});

test("zones are those of the whole storm at an advisory, and of no storm before", async () => {
  await story.follow("points", "AL1");
  heard.length = 0;
  story.setAdvisory("2017-09-06T03:00:00Z");
  assert.deepEqual(heard, ["/collections/zones/items?event_id=AL1&advisory_time=2017-09-06T03:00:00Z&scope=whole&properties=wind_speed_kt,kind&limit=20&f=geojson"]);
  assert.deepEqual(story.expectedZones, []);
  release();
  await turn();
  assert.deepEqual(story.expectedZones, [{ id: 1 }]);
  await story.follow("points", "AL2");
  story.setAdvisory("2017-09-06T03:00:00Z");
  assert.deepEqual(story.expectedZones, [], "those of another storm");
});

test("zones that come late are not told of, and are there when their advisory is looked at again", async () => {
  await story.follow("points", "AL1");
  let looks = 0;
  story.addEventListener("look", () => (looks += 1));
  story.setAdvisory("2017-09-06T03:00:00Z");
  const first = release;
  story.setAdvisory("2017-09-06T09:00:00Z");
  assert.equal(looks, 2);
  first();
  await turn();
  assert.deepEqual([looks, story.expectedZones], [2, []]);
  story.setAdvisory("2017-09-06T03:00:00Z");
  assert.deepEqual(story.expectedZones, [{ id: 1 }]);
});

test("what is the same is not told again, and without a storm nothing is looked at", async () => {
  let looks = 0;
  story.addEventListener("look", () => (looks += 1));
  story.setMoment(0);
  story.setWind(34);
  story.setAdvisory("2017-09-06T03:00:00Z");
  assert.deepEqual([story.pick([-60, 18], 5), looks, story.advisory], [false, 0, null]);
  await story.follow("points", "AL1");
  story.setWind(64);
  story.setStep(0);
  story.setStep(-5);
  story.setAdvisory(null);
  story.setAdvisory("none");
  assert.deepEqual([looks, story.at, story.wind], [0, 0, 64]);
  explorer.events.set("points", ["AL1"]);
  heard.length = 0;
  explorer.dispatchEvent(new Event("query"));
  assert.deepEqual([heard, story.isAlone], [[], true]);
});

test("an event that is chosen alone is followed, whoever chose it", async () => {
  explorer.events.set("points", ["AL7"]);
  explorer.dispatchEvent(new Event("query"));
  await turn();
  assert.equal(story.life.event, "AL7");
});

test("a link that says no step, wind or advisory that there is has those of the beginning", async () => {
  await story.restore({ follow: "points/AL1", step: "2017-09-06T06:00Z", wind: "34", issue: "2017-09-06T09:00Z" });
  assert.deepEqual([story.step.properties.wind_kt, story.wind, story.advisory.issued, story.isToBeSeen], [80, 34, "2017-09-06T09:00:00Z", true]);
  await story.restore({ follow: "points/AL1", step: "x", wind: "-1", issue: "2000-01-01T00:00Z" });
  assert.deepEqual([story.at, story.wind, story.advisory], [0, 64, null]);
});
