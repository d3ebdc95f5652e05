// Asking by place: an area that is drawn, or typed; and its outline on the map.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { collection } from "../collections.mjs";
import { answered, engineOf, openMap, settled } from "../map-page.mjs";
import { fire } from "../open-page.mjs";

let page = openMap();
const { Explorer } = await import("../../../../../services/viewer/browser/model/explorer.js");
const { find } = await import("../../../../../services/viewer/browser/page/dom.js");
const { areaMap } = await import("../../../../../services/viewer/browser/panel/area-map.js");
let explorer, calls, section, draw, preview, places, within;

const turn = () => new Promise((resolve) => setTimeout(resolve, 20));

beforeEach(async () => {
  page = openMap();
  [calls, places, within] = [[], [], { bbox: [1, 2, 3, 4] }];
  globalThis.fetch = async () => answered({ features: places });
  explorer = new Explorer({ collections: [collection("a")], tileMatrixSet: "X", styleParameters: () => ({}) });
  explorer.attach(engineOf(calls, { within: () => within, view: () => ({ zoom: 5, center: [121, 24] }) }));
  areaMap(explorer);
  section = find("#area");
  find("#area-button").click();
  await turn();
  [, draw, preview] = calls.findLast(([name]) => name === "capture");
});

const choose = (kind) => fire(find(`input[value=${kind}]`, section), "change");
const said = () => find("output", section).textContent;
const fault = () => [find(".fault", section).textContent, find(".fault", section).hidden];
const fields = () => [...find(".fields", section).querySelectorAll("input, textarea")];
const sketch = () => calls.findLast(([name]) => name === "sketch")[1];
const button = (act) => find(`[data-act=${act}]`, section);
const submit = async (...values) => {
  fields().forEach((field, at) => (field.value = values[at]));
  fire(find("form", section), "submit");
  await turn();
  return explorer.area;
};

test("the tool opens with a box to draw, and closes without a trace on the map", () => {
  assert.deepEqual([section.hidden, page.body.matches(".measuring"), find("input[value=box]", section).checked, page.activeElement.value], [false, true, true, "box"]);
  assert.match(said(), /^Click a corner on the map/);
  assert.deepEqual([sketch(), button("undo").disabled, button("remove").disabled, fields().map((field) => field.name)], [null, true, true, ["west", "south", "east", "north"]]);
  draw([1, 2]);
  assert.equal(fire(find("#map"), "keydown", { key: "Escape" }).defaultPrevented, true);
  assert.deepEqual([section.hidden, page.body.matches(".measuring"), calls.slice(-2)], [true, false, [["capture", null], ["sketch", null]]]);
  calls.length = 0;
  fire(find("#map"), "keydown", { key: "Enter" });
  assert.deepEqual(calls, []);
});

test("a box is drawn by two corners, and followed by the pointer", () => {
  preview([5, 5]);
  draw([1, 2]);
  assert.match(said(), /^Click the opposite corner/);
  assert.deepEqual([sketch(), button("undo").disabled], [{ line: [], points: [[1, 2]], closed: false }, false]);
  preview([3, 4]);
  assert.deepEqual([sketch().closed, sketch().points, sketch().line.length], [true, [[1, 2]], 9]);
  draw([1, 2]);
  assert.equal(explorer.area, null, "the same corner twice is none");
  draw([3, 4]);
  assert.deepEqual(explorer.area, { kind: "box", box: [1, 2, 3, 4] });
  assert.deepEqual([said(), fields().map(({ value }) => value), sketch(), button("remove").disabled], ["Showing features in the box 2°N 1°E to 4°N 3°E.", ["1", "2", "3", "4"], null, false]);
  const [name, { closed, points }] = calls.findLast(([each]) => each === "outline");
  assert.deepEqual([name, closed, points], ["outline", true, []]);
  button("remove").click();
  assert.deepEqual([explorer.area, calls.findLast(([each]) => each === "outline")[1], fields()[0].value, page.activeElement.value], [null, null, "", "box"]);
});

test("without a mouse the middle of the map is a point", () => {
  choose("circle");
  assert.match(said(), /^Click the middle on the map/);
  assert.equal(fire(find("#map"), "keydown", { key: "Enter" }).defaultPrevented, true);
  assert.deepEqual([sketch().points, said().slice(0, 26)], [[[121, 24]], "Click a point of the edge "]);
  fire(find("#map"), "keydown", { key: "Backspace" });
  assert.equal(sketch(), null);
  assert.equal(fire(find("#map"), "keydown", { key: "x" }).defaultPrevented, false);
  button("add").click();
  draw([121, 25]);
  assert.deepEqual([explorer.area.kind, explorer.area.kilometres, fields().map(({ value }) => value)], ["circle", 111, ["24°N 121°E", "111"]]);
});

test("a polygon ends where its last corner is clicked twice", () => {
  choose("polygon");
  for (const corner of [[0, 0], [10, 0]]) draw(corner);
  draw([10, 0]);
  assert.deepEqual([explorer.area, fields()[0].value], [null, "0 0, 10 0"]);
  draw([10, 10]);
  assert.match(said(), /Double-click/);
  assert.equal(sketch().closed, true);
  // five pixels at this zoom are a tenth of a degree
  draw([10.12, 10]);
  assert.equal(explorer.area, null);
  button("undo").click();
  draw([10.1, 10]);
  assert.deepEqual(explorer.area, { kind: "polygon", ring: [[0, 0], [10, 0], [10, 10]] });
});

test("a polygon that is none is said when it ends", async () => {
  choose("polygon");
  for (const corner of [[0, 0], [5, 5], [10, 10], [10, 10]]) draw(corner);
  await turn();
  assert.deepEqual([explorer.area, fault()], [null, ["The corners of a polygon lie not all on a line", false]]);
});

test("a box goes the shorter way around the world in a projection", () => {
  within = { bbox: [1, 2, 3, 4], crs: "urn:x" };
  draw([170, 0]);
  draw([-170, 10]);
  assert.deepEqual(explorer.area.box, [170, 0, -170, 10]);
});

test("an area is typed, and the map goes to it", async () => {
  assert.deepEqual(await submit("1", " 2 ", "3", "4"), { kind: "box", box: [1, 2, 3, 4] });
  assert.deepEqual(calls.findLast(([name]) => name === "fit").slice(1, 2), [[1, 2, 3, 4]]);
  assert.deepEqual([find("form", section).getAttribute("aria-busy"), fault()], [null, ["", true]]);
  for (const [values, text] of [[["1", "x", "3", "4"], "x is not a number"], [["1", " ", "3", "4"], "A number is missing"], [["1", "5", "3", "4"], "The north of a box is greater than its south"]]) {
    await submit(...values);
    assert.deepEqual(fault(), [text, false]);
  }
  choose("polygon");
  assert.deepEqual((await submit("0 0; 10,0\n10 10"))?.ring, [[0, 0], [10, 0], [10, 10]]);
});

test("a circle is typed around coordinates, a place, or where it is", async () => {
  choose("circle");
  assert.deepEqual(await submit("24N 121E", "50"), { kind: "circle", center: [121, 24], kilometres: 50, name: "" });
  places = [{ geometry: { coordinates: [121.6, 25] }, properties: { name: "Taipei", province: null, country: "Taiwan" } }];
  const taipei = { kind: "circle", center: [121.6, 25], kilometres: 300, name: "Taipei, Taiwan" };
  assert.deepEqual(await submit("taipei", "300"), taipei);
  assert.equal(fields()[0].value, "Taipei, Taiwan");
  places = [];
  assert.deepEqual(await submit("Taipei, Taiwan", "40"), { ...taipei, kilometres: 40 }, "its middle stays");
  await submit("nowhere", "40");
  assert.deepEqual(fault(), ["No place named nowhere", false]);
  await submit(" ", "40");
  assert.deepEqual(fault(), ["A circle has a place or coordinates in its middle", false]);
  await submit("taipei", "");
  assert.deepEqual(fault(), ["A number is missing", false]);
});

test("the fields follow an area that others set, but not under the hand", async () => {
  explorer.setArea({ kind: "box", box: [5, 6, 7, 8] });
  assert.equal(fields()[0].value, "5");
  fields()[0].focus();
  explorer.setArea({ kind: "box", box: [9, 6, 17, 8] });
  assert.equal(fields()[0].value, "5");
  page.activeElement.blur();
  explorer.setArea({ kind: "circle", center: [1, 2], kilometres: 3, name: "" });
  assert.deepEqual([fields().length, fields()[0].value], [4, "5"]);
  find("#area-button").click();
  find("#area-button").click();
  await settled();
  assert.deepEqual([find("input[value=circle]", section).checked, fields().map(({ value }) => value)], [true, ["2°N 1°E", "3"]]);
});
