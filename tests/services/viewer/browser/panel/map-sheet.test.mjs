// The complete picture of the map: its parts and their positions.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { collection } from "../collections.mjs";
import { engineOf, openMap } from "../map-page.mjs";

let page = openMap();
const { Explorer } = await import("../../../../../services/viewer/browser/model/explorer.js");
const { element, find } = await import("../../../../../services/viewer/browser/page/dom.js");
const { mapSheet } = await import("../../../../../services/viewer/browser/panel/map-sheet.js");
const PICTURE = { width: 1600, height: 800 }; // of a screen with two pixels for each of the page

let drawn, explorer;

/** A context that records drawing calls with their current colours; each character of a text is six pixels wide. */
function contextOf() {
  const own = { measureText: (text) => ({ width: 6 * text.length }) };
  return new Proxy(own, {
    get: (_, name) => own[name] ?? ((...values) => void drawn.push({ name, values, fill: own.fillStyle, stroke: own.strokeStyle, font: own.font, line: own.lineWidth })),
    set: (_, name, value) => ((own[name] = value), true),
  });
}

beforeEach(() => {
  page = openMap();
  drawn = [];
  const createElement = page.createElement.bind(page);
  page.createElement = (name) => {
    const made = createElement(name);
    if (name === "canvas") {
      drawn.length = 0; // the sheet is drawn twice: what counts is the last
      made.getContext = contextOf;
    }
    return made;
  };
  globalThis.getComputedStyle = (of) => ({ color: `ink of ${of.id || of.localName}`, backgroundColor: `ground of ${of.id || of.localName}` });
  explorer = new Explorer({ collections: [collection("a", { label: "Floods" }), collection("b", { label: "Quakes" })], tileMatrixSet: "X", styleParameters: () => ({}) });
  explorer.attach(engineOf([], { picture: async () => PICTURE }));
  find("#panel h1").textContent = "Disasters  of the world";
  find("#panel .home").textContent = "Service";
});
const texts = () => drawn.filter(({ name }) => name === "fillText").map(({ values: [text, x, y] }) => [text, x, y]);
const legend = (...entries) => ({ metadata: { "dams:legend": entries }, layers: [] });

test("title, map and whose it is stand one below the other", async () => {
  const canvas = await mapSheet(explorer);
  const [title, made] = texts();
  assert.deepEqual(title, ["Disasters of the world", 20, 32]);
  assert.match(made[0], /^Service, \d+ \w+ \d{4}, \d\d:\d\d UTC: https:\/\/example\.org\/map$/);
  const [{ values: [picture, ...place] }] = drawn.filter(({ name }) => name === "drawImage");
  assert.deepEqual([picture, place], [PICTURE, [0, 68, 800, 400]]);
  assert.deepEqual([made[1], made[2]], [20, 488]);
  // below the last line half a margin, in the pixels of the screen
  assert.deepEqual([canvas.width, canvas.height], [1600, 2 * (488 + 15 + 10)]);
  const [first, second] = drawn.filter(({ name }) => name === "fillRect");
  assert.deepEqual([first.fill, second.fill, first.values], ["ground of body", "ground of panel", [0, 0, 800, 513]]);
  const lines = drawn.filter(({ name }) => name === "fillText");
  assert.deepEqual(lines.map(({ font, fill }) => [font, fill]), [["600 20px Inter, system-ui, sans-serif", "ink of body"], ["400 11px Inter, system-ui, sans-serif", "ink of a"]]);
});

test("a small map lies in the middle of a sheet that is wide enough for words", async () => {
  explorer.attach(engineOf([], { picture: async () => ({ width: 400, height: 200 }) }));
  const canvas = await mapSheet(explorer);
  assert.equal(canvas.width, 1280);
  assert.deepEqual(drawn.find(({ name }) => name === "drawImage").values.slice(1), [220, 68, 200, 100]);
});

test("what the panel says is on it, in lines that fit, and nothing that is hidden", async () => {
  find("#facts").textContent = "320 of 1,707 features";
  find("#timeline").hidden = false;
  find("#timeline .label output").textContent = "6–7 Sept 2017";
  find("#chips").append(element("p", { class: "chip" }, element("span", { text: ` ${"word ".repeat(40)}` })));
  find("#drawn").textContent = "hidden words";
  find("#simulated").hidden = false;
  find("#simulated").textContent = "2 simulated";
  await mapSheet(explorer);
  const written = texts();
  assert.deepEqual(written.slice(1, 2), [["320 of 1,707 features · 6–7 Sept 2017", 20, 60]]);
  // 760 pixels hold 126 signs
  assert.deepEqual(written.slice(2, 4).map(([text, x, y]) => [text.length, x, y]), [[124, 20, 78], [74, 20, 96]]);
  assert.deepEqual(written[4], ["2 simulated", 20, 114]);
  assert.equal(written.length, 6);
});

test("the picture of a storm has its name, days, strength, winds and address", async () => {
  find("#timeline").hidden = false;
  find("#timeline .label output").textContent = "1980–2024";
  const swatch = element("i");
  // a canvas does not understand what a style sheet says of two themes, light-dark(#123456, #abcdef)
  swatch.id = "swatch";
  find("#storm").append(
    element("header", {}, element("h2", { text: "Irma" }), element("p", { class: "muted", text: "30 Aug – 14 Sept 2017" })),
    element("p", { class: "state", text: "155 kt" }),
    element("fieldset", {}, element("legend", { text: "Winds of at least" }), element("label", {}, swatch, "34 kt")),
  );
  await mapSheet(explorer);
  const written = texts().map(([text]) => text);
  assert.deepEqual(written.slice(0, -1), ["Irma", "30 Aug – 14 Sept 2017", "155 kt", "Winds of at least", "34 kt"]);
  assert.ok(written.at(-1).endsWith(globalThis.location.href));
  assert.deepEqual(drawn.filter(({ name, fill }) => name === "fill" && fill === "ground of swatch").length, 1);
});

test("credits are said, and the scale is drawn as long as on the map", async () => {
  const bar = element("div", { class: "ol-scale-line-inner", text: " 500 km " });
  bar.getBoundingClientRect = () => ({ width: 90 });
  find("#map").append(bar, element("div", { class: "ol-attribution" }, element("ul", {}, element("li", { text: "USGS" }), element("li", { text: "NOAA" }))));
  await mapSheet(explorer);
  assert.deepEqual(texts().slice(1, 3), [["500 km at the middle of the map", 118, 490], ["USGS | NOAA", 20, 518]]);
  const way = drawn.filter(({ name }) => ["moveTo", "lineTo"].includes(name)).map(({ name, values }) => [name, ...values]);
  assert.deepEqual(way, [["moveTo", 20, 484], ["lineTo", 20, 490], ["lineTo", 110, 490], ["lineTo", 110, 484]]);
  assert.deepEqual(drawn.filter(({ name }) => name === "stroke").map(({ stroke, line }) => [stroke, line]), [["ink of body", 1.5]]);
});

test("legends stand side by side, with the symbols of their layers", async () => {
  const classes = [{ label: "C1", color: "#111111" }, { label: "C2", color: "#222222" }];
  explorer.shown.set("a", legend({ title: "Level", unit: "m", properties: [], classes, symbol: "circle" }));
  explorer.shown.set("b", legend({ title: "Depth", properties: [], classes: classes.slice(0, 1), symbol: "line", provisional: true }, { title: "Size", properties: [], sizes: [{ label: "5", diameter: 10 }, { label: "10", diameter: 20 }] }));
  await mapSheet(explorer);
  assert.deepEqual(texts().slice(1, -1), [
    ["Floods", 20, 488], ["Level (m)", 20, 505], ["C1", 46, 526], ["C2", 46, 543],
    ["Quakes", 270, 488], ["Depth", 270, 505], ["C1", 296, 526], ["Size", 270, 539], ["5", 285, 568], ["10", 325, 568],
  ]);
  const circles = drawn.filter(({ name }) => name === "arc").map(({ values: [x, y, radius] }) => [x, y, radius]);
  assert.deepEqual(circles, [[29, 522, 6], [29, 539, 6], [275, 564, 5], [310, 564, 10]]);
  assert.deepEqual(drawn.filter(({ name }) => name === "fill").map(({ fill }) => fill), ["#111111", "#222222"]);
  assert.deepEqual(drawn.filter(({ name }) => name === "rect").map(({ values }) => values), [[270, 520, 18, 4]]);
  const dashed = drawn.filter(({ name }) => ["setLineDash", "stroke"].includes(name)).map(({ name, values, stroke, line }) => (name === "stroke" ? [stroke, line] : values[0]));
  assert.deepEqual(dashed, [[3, 3], ["#111111", 2], [], ["ink of a", 1.5], ["ink of a", 1.5]]);
  // below the higher of the two
  assert.equal(texts().at(-1)[2], 600);
});

test("where there are more legends than room they go on below", async () => {
  for (const [at, id] of ["a", "b", "c", "d"].entries()) {
    explorer.collections.set(id, collection(id, { label: id }));
    explorer.shown.set(id, legend({ title: `T${at}`, properties: [], classes: [{ label: "x", color: "#111111" }] }));
  }
  await mapSheet(explorer);
  const names = texts().filter(([text]) => "abcd".includes(text));
  assert.deepEqual(names, [["a", 20, 488], ["b", 270, 488], ["c", 520, 488], ["d", 20, 547]]);
  assert.deepEqual(drawn.filter(({ name }) => name === "rect")[0].values, [20, 516, 18, 12], "areas are boxes");
});
