// A feature in a line, on its card and as a chart; legends.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { collection } from "../collections.mjs";
import { openMap } from "../map-page.mjs";

openMap();
const { featureBadge, featureColor, featureTime, featureTitle } = await import("../../../../../services/viewer/browser/panel/feature-badge.js");
const { featureCard } = await import("../../../../../services/viewer/browser/panel/feature-card.js");
const { legendOf, legendTitle } = await import("../../../../../services/viewer/browser/panel/legend.js");
const { valueNode, webLink } = await import("../../../../../services/viewer/browser/panel/property-value.js");
const { seriesChart } = await import("../../../../../services/viewer/browser/panel/series-chart.js");
beforeEach(() => openMap());

const CLASSES = [{ label: "C1", color: "#ffffff", values: ["C1"] }, { label: "C5", color: "#000000", values: ["C5"], shape: "◆" }];
const STYLE = { metadata: { "dams:legend": [{ title: "Category", properties: ["category"], classes: CLASSES }] }, layers: [] };

test("a feature's class is a word in its colour, a magnitude comes first", () => {
  const badge = (properties) => {
    const made = featureBadge(STYLE, properties);
    return made && [made.textContent, made.title, made.style.getPropertyValue("background-color"), made.style.color];
  };
  assert.deepEqual(badge({ category: "C1" }), ["C1", "Category", "#ffffff", "#000000"]);
  assert.deepEqual(badge({ category: "C5" }), ["◆ C5", "Category", "#000000", "#ffffff"]);
  assert.deepEqual(badge({ category: "C5", magnitude: 6 }), ["M 6.0", "Magnitude", "#000000", "#ffffff"]);
  assert.deepEqual(badge({ magnitude: 6.14 }), ["M 6.1", "Magnitude", "#5b6b7b", "#ffffff"]);
  assert.equal(badge({ category: "C9" }), null);
  assert.deepEqual([featureColor(STYLE, { category: "C5" }), featureColor(STYLE, {})], ["#000000", null]);
});

test("a title does not say the magnitude that the badge says", () => {
  const quakes = collection("quakes", { label: "Earthquakes" });
  const title = (properties) => featureTitle(quakes, { id: 1, properties });
  assert.equal(title({ title: "M 6.1 - 20 km of A", magnitude: 6.1 }), "20 km of A");
  assert.equal(title({ title: "M -0.5 – B", magnitude: -0.5 }), "B");
  assert.equal(title({ title: "M 6.1 - A" }), "M 6.1 - A");
  assert.deepEqual([title({ title: "M 6.1", magnitude: 6.1, place: "C" }), title({ title: "M 6.1", magnitude: 6.1 })], ["C", "M 6.1"]);
});

test("when it happened is what its column of time says", () => {
  const quakes = collection("quakes", { time: { column: "at" } });
  assert.deepEqual([featureTime(quakes, { at: "2018" }), featureTime(quakes, { at: 5 }), featureTime(collection("plain"), { at: "2018" })], ["2018", null, null]);
});

test("a card has title, properties, products and links, and nothing twice", () => {
  const gauges = collection("my gauges", {
    label: "Gauges", time: { column: "at" },
    columns: [{ name: "level_m3s", title: "Level" }, { name: "report_url" }],
  });
  const properties = {
    title: "Gauge 7", at: "2018-02-07T06:00:00Z", level_m3s: 12, report_url: "https://a.example/reports/7.pdf", empty: null, nothing: "", source: "simulated",
    nearest_place: "A", nearest_place_km: 3, nearest_place_bearing: "N", series: [["2026-01-01", 1], ["2026-01-02", 2]],
  };
  const action = globalThis.document.createElement("button");
  const card = featureCard(gauges, STYLE, { id: "g/7", properties }, [action]);
  assert.equal(card.querySelector("h2").textContent, "Gauge 7");
  assert.match(card.querySelector("header p").textContent, /^Gauges · 7 Feb 2018, 06:00 UTC/);
  const [body, products, nav] = [".card-body", ".products", "nav"].map((name) => card.querySelector(name));
  const rows = [...body.querySelectorAll("dt")].map((each, at) => [each.textContent, body.querySelectorAll("dd")[at].textContent]);
  assert.deepEqual(rows, [["Nearest place", "3 km N of A"], ["Level", "12 m³/s"]]);
  assert.equal(body.querySelectorAll("figure").length, 1);
  assert.deepEqual([...products.querySelectorAll("a")].map((link) => [link.textContent, link.href, link.getAttribute("rel")]), [["Report", properties.report_url, "noopener noreferrer"]]);
  assert.deepEqual([...nav.children].slice(0, 2).map((link) => [link.textContent, link.getAttribute("href")]), [["Feature page", "/collections/my%20gauges/items/g%2F7?f=html"], ["GeoJSON", "/collections/my%20gauges/items/g%2F7?f=geojson"]]);
  assert.deepEqual([nav.children[2] === action, card.querySelector(".simulated").textContent, card.querySelector(".ended")], [true, "Simulated, not observed", null]);
});

test("a card begins with the strength and ends with identifiers", () => {
  const storms = collection("storms", { label: "Storms", columns: [] });
  const properties = { id: 1, event_id: "AL1", name: "Irma", basin: "NA", max_wind_kt: 155, category: "C5" };
  const rows = [...featureCard(storms, STYLE, { id: 1, properties }).querySelectorAll("dd")].map((each) => each.textContent);
  assert.deepEqual(rows.map((text) => text.split(/\s/u)[0]), ["C5", "155", "NA", "1", "AL1"]);
});

test("a card says that its feature is over; without products, properties or an id it has none", () => {
  const alerts = collection("alerts", { label: "Alerts", columns: [] });
  const over = featureCard(alerts, STYLE, { id: 1, properties: { withdrawn: "2020-01-01T00:00:00Z" } });
  assert.equal(over.querySelector(".ended").textContent, "No longer active");
  const bare = featureCard(alerts, STYLE, { properties: null });
  assert.deepEqual([bare.querySelector(".products"), bare.querySelectorAll("a").length, bare.querySelectorAll("dt").length, bare.querySelector(".simulated"), bare.querySelector(".badge")], [null, 0, 0, null, null]);
});

test("a value is text or a link to another site, never markup", () => {
  const link = valueNode("url", `https://a.example/x/${"b".repeat(50)}?c`);
  assert.deepEqual([link.textContent.length, link.getAttribute("target"), link.getAttribute("rel")], [40, "_blank", "noopener noreferrer"]);
  assert.deepEqual([valueNode("url", "https://a.example/").textContent, valueNode("a", "<b>").textContent, valueNode("a", null)], ["a.example", "<b>", null]);
  assert.deepEqual([webLink("t", "h").textContent, webLink("t", "h").getAttribute("href")], ["t", "h"]);
});

const DAYS = [1, 2, 3].map((day) => ({ time: `2026-11-0${day}T00:00:00Z`, p10: day, flow_m3s: day * 10, p90: day * 20 }));

test("a chart has its numbers within it, and says them", () => {
  const figure = seriesChart("series", DAYS, { warning_m3s: 50, threshold_m3s: 500, return_2y_m3s: 70 }, new Map(), Date.parse("2026-11-02T00:00:00Z"));
  const [svg, caption] = figure.children;
  assert.equal(caption.textContent, "Flow: 10 to 30 m³/s, 1 Nov 2026 to 3 Nov 2026; shaded: 10th to 90th percentile; Warning: 50 m³/s; 2-year: 70 m³/s");
  assert.equal(svg.getAttribute("aria-label"), caption.textContent);
  const line = svg.querySelector("polyline").getAttribute("points").split(" ").map((pair) => pair.split(",").map(Number));
  assert.deepEqual(line.map(([x]) => x), [34, 156, 278]);
  // from the floor at 92 up to 14, over numbers from 1 to 70
  assert.deepEqual(line.map(([, y]) => y), [10, 20, 30].map((value) => Number((92 - ((value - 1) / 69) * 78).toFixed(1))));
  const band = svg.querySelector("polygon").getAttribute("points").split(" ").map((pair) => Number(pair.split(",")[0]));
  assert.deepEqual(band, [34, 156, 278, 278, 156, 34]);
  const thresholds = [...svg.querySelectorAll("line")].map((each) => Number(each.getAttribute("y1")));
  assert.deepEqual(thresholds, [50, 70].map((value) => Number((92 - ((value - 1) / 69) * 78).toFixed(1))));
  assert.equal(svg.querySelector(".now").getAttribute("d"), "M156.0 10V96");
  const texts = [...svg.querySelectorAll("text")].map((each) => [each.textContent, each.getAttribute("text-anchor")]);
  assert.deepEqual(texts.map(([text]) => text.replace("Nov", "N")), ["50", "1 N", "12:00", "2 N", "12:00", "3 N", "Warning", "2-year", "now"]);
  assert.deepEqual(texts.map(([, anchor]) => anchor), ["end", "start", "middle", "middle", "middle", "end", "end", "end", "middle"]);
});

test("a chart says what its numbers stay below, its hours, and nothing of now where that is beside it", () => {
  const caption = (properties) => seriesChart("series", DAYS.slice(0, 2), properties, new Map(), 0).querySelector("figcaption").textContent;
  assert.match(caption({ warning_m3s: 500 }), /; below Warning$/);
  assert.match(caption({ warning_m3s: 0.5 }), /; below all thresholds$/);
  assert.doesNotMatch(caption({}), /below/);
  const hours = [0, 1, 2].map((hour) => [`2026-11-01T0${hour}:00:00Z`, 5]);
  const figure = seriesChart("rain_mm", hours, {}, new Map(), 0);
  assert.deepEqual([...figure.querySelectorAll("text")].map((each) => each.textContent).slice(-3).map((text) => text.slice(-5)), ["1 Nov", "01:00", "02:00"]);
  assert.deepEqual([figure.querySelector(".now"), figure.querySelector("polygon"), figure.querySelectorAll("line").length], [null, null, 0]);
  assert.equal(seriesChart("rain_mm", 5), null);
});

test("a legend shows each class in its colour, with its mark or its kind of symbol", () => {
  const entry = { title: "Category", properties: [], classes: CLASSES, symbol: "line", ramp: false, unclassed: { label: "no category", color: "#888888" } };
  const [made] = legendOf([entry]);
  assert.equal(made.querySelector("h3").textContent, "Category");
  const items = [...made.querySelectorAll(".legend-swatches span")].map((each) => [each.textContent, each.querySelector("i").getAttribute("class"), each.querySelector("i").style.getPropertyValue("--class-color")]);
  assert.deepEqual(items, [["C1", "symbol-line", "#ffffff"], ["◆C5", "shape", "#000000"], ["no category", "symbol-line", "#888888"]]);
  const [provisional] = legendOf([{ ...entry, provisional: true, unclassed: null, title: undefined }]);
  assert.deepEqual([provisional.querySelector("i").getAttribute("class"), provisional.querySelector("h3")], ["symbol-line provisional", null]);
});

test("many classes are a ramp, and sizes are circles as large", () => {
  const [ramp, sizes, none] = legendOf([
    { title: "Depth", unit: "km", properties: [], classes: CLASSES, ramp: true, unclassed: null },
    { properties: [], sizes: [{ label: "5", diameter: 9 }], ramp: false, unclassed: null }, { properties: [], ramp: false, unclassed: null },
  ]);
  assert.deepEqual([ramp.querySelector("h3").textContent, [...ramp.querySelectorAll(".legend-ramp i")].map((each) => each.style.getPropertyValue("background-color"))], ["Depth (km)", ["#ffffff", "#000000"]]);
  const circle = sizes.querySelector(".legend-sizes i");
  assert.deepEqual([circle.style.width, circle.style.height, sizes.textContent], ["9px", "9px", "5"]);
  assert.equal(none.querySelectorAll("i").length, 0);
  assert.deepEqual([legendTitle({ title: "A", unit: "m" }), legendTitle({ title: "A" }), legendTitle({})], ["A (m)", "A", ""]);
});
