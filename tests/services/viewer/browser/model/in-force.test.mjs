import assert from "node:assert/strict";
import { test } from "node:test";

import { faded } from "../../../../../services/viewer/browser/model/faded.js";
import { inForceFirst, inForceQuery, isLive, overSince } from "../../../../../services/viewer/browser/model/in-force.js";
import { listQuery } from "../../../../../services/viewer/browser/model/list-query.js";
import { featureAge } from "../../../../../services/viewer/browser/panel/feature-badge.js";
import { agoWords } from "../../../../../services/viewer/browser/words/time.js";
import { collection } from "../collections.mjs";

const NOW = Date.parse("2026-11-23T12:00:30Z");
const time = { column: "issued", endColumn: "expires", issuedColumn: "issued", lasts: true, end: "2026-11-25T00:00:00Z" };
const alerts = collection("alerts", { time, importance: "-severity", columns: [{ name: "withdrawn" }] });
const archive = { ...time, end: "2018-01-01T00:00:00Z" };

test("of these weeks something may be in force, of an archive nothing is told apart", () => {
  assert.deepEqual([time, archive, { ...time, lasts: false }, null].map((each) => isLive(each, NOW)), [true, false, false, false]);
  assert.equal(overSince(time, { expires: "2026-11-23T12:00:00Z" }, NOW), NOW - 30e3);
  // a day is over when it has passed
  assert.equal(overSince(time, { expires: "2026-11-23" }, NOW), null);
  assert.equal(overSince(time, { expires: null }, NOW), null);
  assert.equal(overSince(archive, { expires: "2017-01-01" }, NOW), null);
  assert.equal(overSince(time, { expires: "2026-11-25", withdrawn: "2026-11-23T10:00:00Z" }, NOW), NOW - 7230e3);
});

test("a list has those in force first, each once", () => {
  const query = listQuery(alerts, {}, { bbox: [0, 0, 1, 1], text: "", order: "newest" });
  assert.equal(query.sortby, "-issued");
  assert.equal(inForceQuery(alerts, query, "newest", NOW).datetime, "2026-11-23T12:00:00Z");
  assert.equal(inForceQuery(alerts, query, "strongest", NOW), null);
  assert.equal(inForceQuery(alerts, { ...query, datetime: "2026" }, "newest", NOW), null);
  const feature = (id, properties = {}) => ({ id, properties });
  const page = { features: [1, 2, 3].map((id) => feature(id)), numberMatched: 9 };
  const found = inForceFirst(page, { features: [feature(3), feature(8), feature(2, { withdrawn: "2026-11-23" })] });
  assert.deepEqual(found.features.map(({ id }) => id), [3, 8, 1]);
  // the features in force were requested a moment later, when there were more
  const later = inForceFirst(page, { features: [8, 3, 7, 6].map((id) => feature(id)) });
  assert.deepEqual(later.features.map(({ id }) => id), [8, 3, 7, 6]);
  for (const nothing of [null, { features: [] }]) assert.equal(inForceFirst(page, nothing), page);
  assert.equal(found.numberMatched, 9);
});

test("how old it is in words", () => {
  const age = (properties, of = alerts) => featureAge(of, properties, NOW).words;
  assert.equal(age({ issued: "2026-11-23T09:00:00Z", expires: "2026-11-24T00:00:00Z" }), "issued 3 h ago");
  assert.equal(age({ issued: "2026-11-20T09:00:00Z", expires: "2026-11-21T12:00:00Z" }), "issued 3 days ago, ended 2 days ago");
  const quakes = collection("quakes", { time: { column: "at" } });
  assert.equal(age({ at: "2018-02-06T15:50:42Z" }, quakes), "");
  assert.equal(age({ at: "2026-11-23T11:48:00Z" }, quakes), "12 min ago");
  const words = ["2026-11-21T12:00:31Z", "2024-11-20T00:00:00Z", "2026-11-23T15:30:31Z", "2026-08-23T00:00:00Z", "2026-11-22T11:00:00Z", "2026-11-23T12:00:29Z"].map((at) => agoWords(Date.parse(at), NOW));
  assert.deepEqual(words, ["47 h ago", "2 years ago", "in 3 h", "3 months ago", "25 h ago", "just now"]);
});

test("what is over is pale on the map, and below what is in force", () => {
  const own = { id: "fill", type: "fill", metadata: { "dams:collection": "alerts" }, paint: { "fill-opacity": 0.4 }, layout: { "fill-sort-key": ["get", "severity"] } };
  const style = { layers: [{ id: "land", type: "fill", paint: {} }, own] };
  const { layers } = faded(style, alerts, NOW);
  assert.deepEqual(layers[0], style.layers[0]);
  const over = ["any", ["all", ["has", "expires"], ["<", ["to-string", ["get", "expires"]], "2026-11-23T12:00:30"]], ["has", "withdrawn"]];
  assert.deepEqual(layers[1].paint["fill-opacity"], ["case", over, ["*", 0.35, 0.4], 0.4]);
  assert.deepEqual(layers[1].layout["fill-sort-key"], ["-", ["get", "severity"], ["case", over, 1e6, 0]]);
  assert.equal("metadata" in layers[0], false);
  assert.equal(layers[1].metadata, own.metadata);
  assert.equal(faded(style, { ...alerts, time: archive }, NOW), style);
});

test("on a dark map it is pale as well, and what follows the zoom stays as it is", () => {
  const dark = { "fill-opacity": 0.8, "fill-color": "#fff" };
  const own = { id: "fill", type: "fill", metadata: { "dams:collection": "alerts", "dams:dark": dark }, paint: { "fill-opacity": ["interpolate", ["linear"], ["zoom"], 1, 0, 2, 1] } };
  const days = { ...alerts, columns: [{ name: "expires", format: "date" }] };
  const [layer] = faded({ layers: [own] }, days, NOW).layers;
  const over = ["all", ["has", "expires"], ["<", ["to-string", ["get", "expires"]], "2026-11-23"]];
  assert.deepEqual(layer.metadata, { "dams:collection": "alerts", "dams:dark": { "fill-opacity": ["case", over, ["*", 0.35, 0.8], 0.8], "fill-color": "#fff" } });
  assert.deepEqual(layer.paint, own.paint);
  // names lie above all, as before
  const [names] = faded({ layers: [{ ...own, type: "symbol", paint: {} }] }, days, NOW).layers;
  assert.deepEqual([names.layout, names.paint["text-opacity"][0]], [{}, "case"]);
});
