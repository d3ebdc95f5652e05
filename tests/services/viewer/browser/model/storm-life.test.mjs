import assert from "node:assert/strict";
import { test } from "node:test";

import { stormCollections } from "../../../../../services/viewer/browser/model/storm-collections.js";
import { difference, stormBox, stormDrawing, zoneRing } from "../../../../../services/viewer/browser/model/storm-drawing.js";
import { stormPalette } from "../../../../../services/viewer/browser/model/storm-palette.js";
import { advisoriesOf, firstStep, lifeOf, nextTo } from "../../../../../services/viewer/browser/model/storm-life.js";
import { areaText, zoneItem } from "../../../../../services/viewer/browser/model/storm-zone.js";
import { collection } from "../collections.mjs";

const node = (time, longitude, properties = {}) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates: [longitude, 18] },
  properties: { valid_time: `2017-09-${time}:00:00Z`, kind: "analysed", ...properties },
});
const winds = (...radii) => Object.fromEntries(["ne", "se", "sw", "nw"].map((name, at) => [`${name}64_nm`, radii[at]]));
const issued = (time, properties) => ({ advisory: 30, advisory_time: `2017-09-${time}:00:00Z`, ...properties });

const ADVISORIES = advisoriesOf([
  // forecasts are listed before observations, and newer rows before older ones
  node("06T12", -61, issued("06T09", { kind: "forecast", wind_kt: 150, ...winds(50, 40, 30, 40) })),
  node("06T09", -60.5, issued("06T09", winds(45, 35, 25, 35))),
  node("06T12", -62, issued("06T03", { kind: "forecast", wind_kt: 140, ...winds(9, 9, 9, 9) })),
  node("06T03", -59, issued("06T03", winds(40, 30, 20, 30))),
]);
const LIFE = lifeOf(
  [node("06T12", -61.2, { wind_kt: 155, landfall: true, landfall_place: "Anguilla" }), node("06T06", -60, { wind_kt: 145 })],
  ADVISORIES,
);

test("the collections of a storm are found by their columns", () => {
  const named = (...names) => ({ group: "Storms", eventKey: "event_id", columns: names.map((name) => ({ name })) });
  const all = [
    collection("events", { ...named("event_id") }),
    collection("points", named("valid_time", "wind_kt", "kind", "advisory_time")),
    collection("issued", named("valid_time", "wind_kt", "kind", "lead_hours", "advisory_time")),
    collection("zones", { ...named("wind_speed_kt", "scope", "advisory_time", "start_date"), geometryType: "MultiPolygon" }),
    collection("floods", { eventKey: "event_id" }),
    collection("plain"),
  ];
  const byId = new Map(all.map((each) => [each.id, each]));
  const found = stormCollections(byId, "events");
  assert.deepEqual([found.steps.id, found.advisories.id, found.zones.id], ["points", "issued", "zones"]);
  // lines are not steps, and a collection without advisories still has storms
  const tracks = collection("lines", { ...named("valid_time", "wind_kt", "kind"), geometryType: "LineString" });
  const old = stormCollections(new Map([tracks, all[1]].map((each) => [each.id, each])), "points");
  assert.deepEqual([old.steps.id, old.advisories, old.zones], ["points", null, null]);
  assert.equal(stormCollections(new Map([["lines", tracks]]), "lines"), null);
  for (const id of ["floods", "plain", "none"]) assert.equal(stormCollections(byId, id), null);
});

test("advisories and steps are in the order of time, each step with the best that is known of its winds", () => {
  assert.deepEqual(ADVISORIES.map(({ issued: time, number, steps }) => [time, number, steps.length]), [["2017-09-06T03:00:00Z", 30, 2], ["2017-09-06T09:00:00Z", 30, 2]]);
  assert.deepEqual(LIFE.map(({ moment, aside }) => [new Date(moment).getUTCHours(), aside]), [[3, true], [6, false], [9, true], [12, false]]);
  assert.deepEqual(LIFE.slice(1).map(({ winds: known }) => known && [known.issued.slice(11, 13), known.expected, known.radii.get(64)[0], known.center[0]]), [
    null,
    // analysed by the advisory of that hour
    ["09", false, 45, -60.5],
    // no advisory analysed it: the forecast of the newest advisory before
    ["09", true, 50, -61],
  ]);
});

test("the winds that a track has are its own", () => {
  const [step] = lifeOf([node("06T12", -61.2, winds(70, 70, 70, 70))], ADVISORIES).slice(-1);
  assert.deepEqual([step.winds.radii.get(64)[0], step.winds.center[0], step.winds.issued, step.winds.expected], [70, -61.2, null, false]);
});

test("what advisories analysed is of the track where that has nothing near, and what was seen wins over what was expected", () => {
  const gone = lifeOf([node("05T21", -57), node("05T21", -99, { kind: "forecast" }), node("07T00", -66, { kind: "forecast" })], ADVISORIES);
  assert.deepEqual(gone.map(({ position, expected, aside }) => [position[0], expected, aside]), [[-57, false, false], [-59, false, false], [-60.5, false, false], [-66, true, false]]);
  const twice = lifeOf([node("05T21", -99, { kind: "forecast" }), node("05T21", -57)], []);
  assert.deepEqual(twice.map(({ position }) => position[0]), [-57]);
  assert.deepEqual(lifeOf([{ ...node("05T21", 1), geometry: null }, node("x", 1)], []), []);
});

test("a storm under way is seen where it was last, another where it was strongest", () => {
  assert.equal(firstStep(LIFE), 3);
  assert.equal(firstStep([...LIFE.slice(0, 3), { ...LIFE[0], expected: true }, { ...LIFE[0], expected: true }]), 2);
  assert.equal(firstStep(LIFE.slice(0, 1)), 0);
  assert.equal(nextTo(LIFE.slice(0, 1), 0), 0);
  // of two as strong or as near the first
  assert.equal(firstStep([...LIFE.slice(0, 2), LIFE[1]]), 1);
  assert.equal(nextTo([LIFE[0], LIFE[0]], LIFE[0].moment + 1), 0);
  assert.deepEqual([0, 7, 8, 99].map((hour) => nextTo(LIFE, Date.parse("2017-09-06T00:00Z") + hour * 3600e3)), [0, 1, 2, 3]);
});

const palette = { step: ({ wind_kt: wind }) => (wind > 145 ? "strong" : "weak"), zone: (wind) => `zone ${wind}` };
const roles = (drawing) => drawing.features.map(({ properties: { role } }) => role);

test("the drawing has the track by strength, the zone of the step, times and landfall", () => {
  const drawing = stormDrawing({ steps: LIFE, at: 3, wind: 64, advisory: null, expectedZones: [] }, palette);
  const of = (role) => drawing.features.filter(({ properties }) => properties.role === role);
  assert.deepEqual(of("track").map(({ geometry, properties }) => [properties.color, geometry.coordinates.length]), [["weak", 2]]);
  assert.deepEqual(of("zone").map(({ properties }) => [properties.color, properties.chosen, properties.dashed]), [["zone 64", true, true]]);
  assert.deepEqual(of("landfall").map(({ properties }) => properties.text), ["Landfall, Anguilla"]);
  // the step that is looked at has words of its own
  assert.deepEqual(of("time").map(({ properties }) => [properties.text, properties.zoom]), [["06:00", 6]]);
  // words of dates differ from one version of the language data to another
  assert.deepEqual(of("now").map(({ geometry, properties }) => [geometry.coordinates[0], /^Wed,? 6 Sept?,? 12:00 UTC$/.test(properties.text)]), [[-61.2, true]]);
  assert.ok(!roles(drawing).some((role) => role.startsWith("expected")));
});

test("what was seen and what is expected are lines of their own, which meet", () => {
  const storm = [[0, 100], [3, 100], [6, 100], [9, 150], [12, 150], [15, 150]].map(([hour, wind], at) => (
    node(`06T${String(hour).padStart(2, "0")}`, -60 - at, { wind_kt: wind, kind: at < 3 ? "analysed" : "forecast" })
  ));
  const steps = lifeOf(storm, []);
  const { features } = stormDrawing({ steps, at: 0, wind: 64, advisory: null, expectedZones: [] }, palette);
  const drawn = (role) => features.filter(({ properties }) => properties.role === role);
  const lines = (role) => drawn(role).map(({ geometry, properties }) => [properties.color, geometry.coordinates.map(([x]) => x)]);
  // from where it was last seen on
  assert.deepEqual(lines("track"), [["weak", [-60, -61, -62]]]);
  assert.deepEqual(lines("expected-track"), [["weak", [-62, -63]], ["strong", [-63, -64, -65]]]);
  assert.deepEqual([drawn("step").length, drawn("expected-step").length], [3, 3]);
  // the first step has words of its own; every third hour is said from near
  assert.deepEqual(drawn("time").map(({ properties }) => [properties.text, properties.zoom]), [["03:00", 7], ["06:00", 6], ["09:00", 7], ["12:00", 5], ["15:00", 7]]);
  const midnight = stormDrawing({ steps: lifeOf([...storm, node("07T00", -70)], []), at: 0, wind: 64, advisory: null, expectedZones: [] }, palette);
  assert.ok(midnight.features.some(({ properties }) => properties.role === "time" && properties.zoom === 3));
});

test("landfall without a place is told, and no winds have no zone", () => {
  const [step] = lifeOf([node("06T12", -61, { landfall: true })], []);
  assert.equal(step.landfall, "");
  const { features } = stormDrawing({ steps: [step], at: 0, wind: 64, advisory: null, expectedZones: [] }, palette);
  assert.deepEqual(features.filter(({ properties }) => properties.role === "landfall").map(({ properties }) => properties.text), ["Landfall"]);
  assert.deepEqual([zoneRing(step, 64), zoneRing(null, 64)], [null, null]);
});

test("an advisory is drawn beside what happened, and told apart from it", () => {
  const zone = (kind) => ({ type: "Feature", geometry: { type: "MultiPolygon", coordinates: [] }, properties: { kind, wind_speed_kt: 34 } });
  const told = { steps: LIFE, at: 3, wind: 34, advisory: ADVISORIES[0], expectedZones: [zone("forecast"), zone("analysed")] };
  const drawing = stormDrawing(told, palette);
  const found = roles(drawing);
  assert.equal(drawing.features[0].properties.color, "zone 34");
  assert.deepEqual(found.filter((role) => role.startsWith("expected")).sort(), ["expected-now", "expected-step", "expected-step", "expected-track", "expected-zone"]);
  const { metres, wind, hours } = difference(ADVISORIES[0], LIFE[3]);
  assert.deepEqual([Math.round(metres / 1000), wind, hours], [85, 140, 9]);
  assert.equal(difference(ADVISORIES[0], LIFE[2]), null);
  // an advisory's positions before its time of issue are not forecasts
  const early = { ...ADVISORIES[0], steps: [{ ...ADVISORIES[0].steps[0], moment: ADVISORIES[0].moment - 1 }, ...ADVISORIES[0].steps] };
  assert.equal(roles(stormDrawing({ ...told, advisory: early }, palette)).filter((role) => role === "expected-step").length, 2);
});

test("the colours are those of the legends of steps and zones", async () => {
  const styleOf = (property) => ({ metadata: { "dams:legend": [{ properties: [property], classes: [{ color: `#${property}`, from: 34 }] }] } });
  const styles = { steps: styleOf("wind_kt"), zones: styleOf("wind_speed_kt") };
  const explorer = { style: async (id) => styles[id] };
  const both = await stormPalette(explorer, { steps: { id: "steps" }, zones: { id: "zones" } });
  assert.deepEqual([both.step({ wind_kt: 40 }), both.zone(64), both.step({ wind_kt: 1 }), both.zone(1)], ["#wind_kt", "#wind_speed_kt", "#5b6b7b", "#5b6b7b"]);
  const alone = await stormPalette(explorer, { steps: { id: "steps" }, zones: null });
  assert.deepEqual([alone.step({ wind_kt: 40 }), alone.zone(64)], ["#wind_kt", "#5b6b7b"]);
});

test("the service's own zone is asked for by storm, advisory, time and wind", async () => {
  const asked = [];
  globalThis.fetch = async (url) => {
    asked.push(decodeURIComponent(String(url)));
    return new Response(JSON.stringify({ features: asked.length < 2 ? [{ id: 7 }] : [] }));
  };
  const zones = { id: "zones", eventKey: "event_id", columns: [{ name: "area_km2" }] };
  const life = { event: "AL1", collections: { zones } };
  const { signal } = new AbortController();
  assert.equal((await zoneItem(life, LIFE[2], 64, signal)).id, 7);
  assert.equal(await zoneItem(life, LIFE[2], 50, signal), null);
  assert.equal(
    asked[0],
    "/collections/zones/items?event_id=AL1&advisory_time=2017-09-06T09:00:00Z&start_date=2017-09-06T09:00:00.000Z&scope=step&wind_speed_kt=64&properties=area_km2&bbox-only=true&limit=1&f=geojson",
  );
  // no zone without an advisory
  assert.equal(await zoneItem(life, LIFE[1], 64, signal), null);
  assert.equal(await zoneItem({ ...life, collections: { zones: null } }, LIFE[2], 64, signal), null);
  assert.equal(asked.length, 2);
});

test("what crosses 180 degrees stays in one piece", () => {
  const life = lifeOf([node("01T00", 178), node("01T06", -179), node("01T12", -176)], []);
  assert.deepEqual(stormBox(life), [178, 18, 184, 18]);
  const lines = stormDrawing({ steps: life, at: 0, wind: 64, advisory: null, expectedZones: [] }, palette).features.filter(({ geometry }) => geometry.type === "LineString");
  assert.deepEqual(lines.map(({ geometry }) => geometry.coordinates.map(([x]) => x)), [[178, 181], [-179, -176]]);
});

test("the corners of a zone are asked for to a hundred metres", () => {
  assert.equal(zoneRing(LIFE[1], 64), null);
  assert.equal(zoneRing(LIFE[2], 34), null);
  assert.equal(areaText([[1.23456, 2], [3, 4], [1.23456, 2]]), "1.235,2,3,4");
  assert.equal(areaText(zoneRing(LIFE[2], 64)).split(",").length, 72);
});
