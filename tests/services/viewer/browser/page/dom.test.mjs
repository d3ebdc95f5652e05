import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { canvasOf } from "../../../../../services/viewer/browser/page/canvas.js";
import { element, find, findAround } from "../../../../../services/viewer/browser/page/dom.js";
import { openPage } from "../open-page.mjs";

let page;
beforeEach(() => (page = openPage()));

test("an element has the attributes, the text and the children that are given", () => {
  const made = element("p", { class: "chip", title: "a", hidden: true, lang: null, role: undefined, disabled: false }, "one", 2, null, undefined, false, element("b", { text: "<i>" }));
  assert.deepEqual(["class", "title", "hidden", "lang", "role", "disabled", "text"].map((name) => made.getAttribute(name)), ["chip", "a", "", null, null, null, null]);
  assert.deepEqual([made.textContent, made.children.length], ["one2<i>", 1]);
  assert.equal(element("span", {}, 0).textContent, "0");
});

test("a handler is called, and a style is set property by property", (t) => {
  const { mock: setting } = t.mock.method(page.defaultView.CSSStyleDeclaration.prototype, "setProperty");
  let clicked = 0;
  const made = element("button", { onclick: () => (clicked += 1), style: { color: "red", "--at": "5%" } });
  made.click();
  assert.deepEqual([clicked, made.style.color, made.style.getPropertyValue("--at"), made.getAttribute("onclick")], [1, "red", "5%", null]);
  assert.deepEqual(setting.calls.map((call) => call.arguments), [["color", "red"], ["--at", "5%"]]);
});

test("what is drawn is of SVG, everything else of HTML", () => {
  for (const name of ["svg", "path", "circle", "line", "rect", "g", "polyline", "polygon", "text"]) assert.ok(element(name) instanceof globalThis.SVGElement, name);
  assert.ok(element("span") instanceof globalThis.HTMLElement);
});

test("an element is found within another, and one that is missing or of another kind is a fault", () => {
  const [inner, outer] = [element("input", { id: "name" }), element("input")];
  const group = element("fieldset", {}, element("label", { class: "row" }, inner));
  page.body.append(outer, group);
  assert.ok(find("input") === outer);
  assert.ok(find("input", group) === inner);
  assert.ok(find("input", group, globalThis.HTMLInputElement) === inner);
  assert.throws(() => find("input", group, globalThis.HTMLSelectElement), /no input on the page/);
  assert.throws(() => find(".none", group), /no \.none on the page/);
  assert.ok(findAround(inner, "fieldset") === group);
  assert.throws(() => findAround(outer, "fieldset"), /no fieldset around/);
});

test("a canvas has the pixels of the screen, and is drawn on in those of the page", () => {
  let scaled = null;
  const context = { scale: (...values) => (scaled = values) };
  const made = page.createElement("canvas");
  made.getContext = (kind) => (kind === "2d" ? context : null);
  page.createElement = () => made;
  const { canvas, context: drawing } = canvasOf(100.3, 50);
  assert.deepEqual([canvas.width, canvas.height, scaled, drawing], [201, 100, [2, 2], context]);
  made.getContext = () => null;
  assert.throws(() => canvasOf(1, 1), /cannot draw/);
});
