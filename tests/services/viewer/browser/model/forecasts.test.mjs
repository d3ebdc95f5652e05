import assert from "node:assert/strict";
import { test } from "node:test";

import { forecastsAround, forecastsOf } from "../../../../../services/viewer/browser/model/forecasts.js";
import { collection } from "../collections.mjs";

const NOW = Date.parse("2026-11-23T12:00:30Z");
const time = { column: "issued", endColumn: "expires", lasts: true, end: "2026-11-25T00:00:00Z" };
const alerts = collection("alerts", { time });
const gauges = collection("gauges", { forecast: true });
const area = (west, east) => ({ type: "Polygon", coordinates: [[[west, 0], [east, 0], [east, 2], [west, 2], [west, 0]]] });
const alert = (properties = {}, geometry = area(178.9, 179.9)) => ({ type: "Feature", id: 1, properties, geometry });

test("what is in force has the forecasts of its group", () => {
  const others = [alerts, gauges, collection("winds", { forecast: true, group: "Storms" })];
  const of = (one, feature) => forecastsOf(one, feature, others, NOW).map(({ id }) => id);
  assert.deepEqual(of(alerts, alert({ expires: "2026-11-24" })), ["gauges"]);
  assert.deepEqual(of(alerts, alert({ expires: "2026-11-22" })), [], "it is over");
  assert.deepEqual(of(alerts, { ...alert(), geometry: null }), []);
  assert.deepEqual(of(collection("archive", { time: { ...time, end: "2018" } }), alert()), []);
  assert.deepEqual(of({ ...gauges, time }, alert()), [], "it is one itself");
});

test("forecasts are asked for around the feature, from now on, and the nearest is the first", async () => {
  const asked = [];
  const point = (id, longitude) => ({ type: "Feature", id, properties: {}, geometry: { type: "Point", coordinates: [longitude, 1] } });
  globalThis.fetch = async (url) => {
    asked.push(Object.fromEntries(new URLSearchParams(url.split("?")[1])));
    return new Response(JSON.stringify({ features: [point(1, -179.7), point(2, 179.5)] }));
  };
  const hits = await forecastsAround(alert(), [gauges], { now: NOW });
  assert.deepEqual(hits.map(({ collection: of, id }) => [of, id]), [["gauges", 2], ["gauges", 1]]);
  assert.equal(asked[0].bbox, "178.4000,-0.5000,-179.6000,2.5000", "across the antimeridian");
  assert.equal(asked[0].datetime, "2026-11-23T12:00:00Z/..");
  assert.deepEqual(await forecastsAround(alert({}, area(-180, 180)), [gauges], { now: NOW }), []);
  assert.equal(asked.length, 1, "of the whole world nothing is asked");
});
