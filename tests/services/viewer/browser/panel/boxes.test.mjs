// Boxes beside the map, tabs, keys and tools of the map.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { engineOf, openMap } from "../map-page.mjs";
import { fire } from "../open-page.mjs";

const COMPACT = "(max-width: 820px), (max-height: 640px)";
let page = openMap();
const { element, find } = await import("../../../../../services/viewer/browser/page/dom.js");
const { currentError } = await import("../../../../../services/viewer/browser/page/status.js");
const { keyboard } = await import("../../../../../services/viewer/browser/panel/keyboard.js");
const { otherPages, ownPlace, wholeScreen } = await import("../../../../../services/viewer/browser/panel/map-tools.js");
const { Measure } = await import("../../../../../services/viewer/browser/panel/measure.js");
const { toolBox } = await import("../../../../../services/viewer/browser/panel/tool-box.js");
// these have found their parts of the page when they were loaded
const [status, spoken] = ["#status", "#spoken"].map((name) => find(name));
let calls, engine, opened = 0;

beforeEach(() => {
  page = openMap();
  calls = [];
  engine = engineOf(calls);
});

test("a button opens a box and closes it, and one box closes another", () => {
  const heard = [];
  for (const id of ["measure", "share"]) toolBox(find(`#${id}`), () => heard.push(`${id} opens`), () => heard.push(`${id} closes`));
  const [measure, share] = ["measure", "share"].map((id) => ({ box: find(`#${id}`), button: find(`#${id}-button`) }));
  measure.button.click();
  assert.deepEqual([measure.box.hidden, measure.button.getAttribute("aria-expanded"), heard], [false, "true", ["measure opens"]]);
  share.button.click();
  assert.deepEqual([measure.box.hidden, measure.button.getAttribute("aria-expanded"), share.box.hidden], [true, "false", false]);
  share.button.click();
  assert.deepEqual([share.box.hidden, page.activeElement === share.button], [true, true]);
  assert.deepEqual(heard, ["measure opens", "measure closes", "share opens", "share closes"]);
  measure.button.click();
  assert.deepEqual(heard.slice(4), ["measure opens"], "what is closed already is not closed again");
  find("[data-act=close]", measure.box).click();
  assert.deepEqual([measure.box.hidden, page.activeElement === measure.button], [true, true]);
});

test("Escape closes a box and nothing else", () => {
  const heard = [];
  page.addEventListener("keydown", ({ key }) => heard.push(key));
  toolBox(find("#share"), () => {});
  find("#share-button").click();
  fire(find("#share input"), "keydown", { key: "Enter" });
  assert.equal(find("#share").hidden, false);
  fire(find("#share input"), "keydown", { key: "Escape" });
  assert.deepEqual([find("#share").hidden, heard], [true, ["Enter"]]);
});

test("keys zoom where nothing has the focus, and Escape closes the popup anywhere", () => {
  let cleared = 0;
  keyboard(engine, { clear: () => (cleared += 1) });
  for (const key of ["+", "-", "a"]) fire(page.body, "keydown", { key });
  for (const held of ["ctrlKey", "metaKey", "altKey"]) fire(page.body, "keydown", { key: "+", [held]: true });
  fire(find("#go input"), "keydown", { key: "+" });
  assert.deepEqual([calls, cleared], [[["zoomBy", 1], ["zoomBy", -1]], 0]);
  fire(find("#go input"), "keydown", { key: "Escape" });
  assert.equal(cleared, 1);
});

/** The tabs of a page; `shown` are the panels in sight. */
async function openTabs(first, media = []) {
  page = openMap({ media });
  const { tabs } = await import(`../../../../../services/viewer/browser/panel/tabs.js?${(opened += 1)}`);
  const { compact } = await import("../../../../../services/viewer/browser/page/layout.js");
  compact.matches = media.includes(COMPACT);
  const heard = [];
  const offer = tabs(find(".tabs"), first, (id) => heard.push(id));
  const shown = () => ["storm", "events", "filter", "layers", "legend"].filter((id) => !find(`#${id}`).hidden);
  const chosen = () => [...find(".tabs").querySelectorAll("[aria-selected=true]")].filter(({ hidden }) => !hidden).map(({ id, tabIndex }) => [id, tabIndex]);
  return { offer, heard, shown, chosen, compact };
}

test("one tab is chosen, by a click or by the arrows, and its panel is in sight", async () => {
  const { heard, shown, chosen } = await openTabs("layers");
  find("#storm").hidden = true;
  assert.deepEqual([shown(), chosen(), heard], [["layers", "legend"], [["tab-layers", 0]], ["layers"]]);
  fire(find("#tab-events b"), "click");
  assert.deepEqual([shown(), chosen(), find("#tab-layers").tabIndex], [["events", "legend"], [["tab-events", 0]], -1]);
  find("#tab-events").focus();
  for (const [key, tab] of [["ArrowRight", "tab-filter"], ["ArrowLeft", "tab-events"], ["ArrowLeft", "tab-layers"], ["ArrowRight", "tab-events"], ["End", "tab-layers"], ["Home", "tab-events"]]) {
    assert.equal(fire(find(".tabs"), "keydown", { key }).defaultPrevented, true);
    assert.deepEqual([chosen(), page.activeElement.id], [[[tab, 0]], tab], key);
  }
  assert.equal(fire(find(".tabs"), "keydown", { key: "x" }).defaultPrevented, false);
  fire(find(".tabs"), "click");
  assert.deepEqual(chosen(), [["tab-events", 0]], "between the tabs there is none");
});

test("a tab that is offered is chosen, and the one before when it is gone", async () => {
  const { offer, shown, chosen } = await openTabs("events");
  offer("storm", true);
  assert.deepEqual([shown(), chosen()], [["storm", "legend"], [["tab-storm", 0]]]);
  offer("storm", true);
  offer("none", true);
  offer("storm", false);
  assert.deepEqual([chosen(), find("#tab-storm").hidden], [[["tab-events", 0]], true]);
  offer("storm", true);
  fire(find("#tab-filter"), "click");
  offer("storm", false);
  assert.deepEqual(chosen(), [["tab-filter", 0]], "what was chosen since stays");
});

test("where there is little room the legend is a tab", async () => {
  const { shown, chosen, compact } = await openTabs("layers", [COMPACT]);
  const legend = find("#legend");
  const said = () => [find("#tab-legend").hidden, legend.getAttribute("role"), legend.getAttribute("aria-labelledby"), legend.getAttribute("tabindex"), [...legend.parentNode.children].indexOf(legend) === 0];
  assert.deepEqual([said(), legend.hidden], [[false, "tabpanel", "tab-legend", "0", false], true]);
  fire(find("#tab-legend"), "click");
  assert.deepEqual([shown().includes("legend"), chosen()], [true, [["tab-legend", 0]]]);
  compact.matches = false;
  fire(compact, "change");
  assert.deepEqual([said(), legend.hidden, chosen()], [[true, null, null, null, true], false, [["tab-events", 0]]]);
  fire(find("#tab-layers"), "click");
  compact.matches = true;
  fire(compact, "change");
  assert.deepEqual([chosen(), legend.hidden], [[["tab-layers", 0]], true]);
});

test("a path and an area are measured as they are drawn", () => {
  const box = find("#measure");
  new Measure(box, engine);
  find("#measure-button").click();
  const told = () => find("output", box).textContent;
  const capture = calls.find(([name]) => name === "capture")[1];
  const last = () => calls.filter(([name]) => name === "sketch").at(-1)[1];
  assert.match(told(), /2 more points\.$/);
  assert.deepEqual([last(), page.body.matches(".measuring"), page.activeElement.value], [{ line: [], points: [], closed: false }, true, "distance"]);
  assert.deepEqual(["undo", "clear"].map((name) => find(`[data-act=${name}]`, box).disabled), [true, true]);
  capture([0, 0]);
  assert.match(told(), /1 more point\.$/);
  capture([1, 0]);
  assert.match(told(), /^Distance 111\.3 km \(60\.11 nmi\)$/);
  assert.deepEqual([last().closed, last().points, last().line.length], [false, [[0, 0], [1, 0]], 4]);
  const [, area] = box.querySelectorAll("input");
  area.checked = true;
  fire(area, "change");
  assert.match(told(), /^Distance/, "two points have no area");
  find("[data-act=add]", box).click();
  assert.deepEqual(last().points.at(-1), [121, 24], "the middle of the map");
  find("[data-act=undo]", box).click();
  capture([1, 1]);
  assert.match(told(), /^Area 6,155 km², around it 378\.\d km/);
  assert.deepEqual([last().closed, last().line.at(-1).map(Math.round)], [true, [0, 0]]);
  fire(find("#map"), "keydown", { key: "Backspace" });
  assert.equal(last().points.length, 2);
  assert.equal(fire(find("#map"), "keydown", { key: "Enter" }).defaultPrevented, true);
  assert.equal(fire(find("#map"), "keydown", { key: "a" }).defaultPrevented, false);
  assert.equal(last().points.length, 3);
  find("[data-act=clear]", box).focus();
  find("[data-act=clear]", box).click();
  assert.deepEqual([last().points, page.activeElement.dataset.act], [[], "add"], "the keyboard keeps its place");
  find("#measure-button").click();
  assert.deepEqual([calls.slice(-2), page.body.matches(".measuring")], [[["capture", null], ["sketch", null]], false]);
  calls.length = 0;
  fire(find("#map"), "keydown", { key: "Enter" });
  assert.deepEqual(calls, []);
});

test("the map comes to where the reader is, or says why not", () => {
  const button = find("#own-place");
  let asked;
  const told = (secure, known) => {
    Object.defineProperty(globalThis, "navigator", { value: known ? { geolocation: { getCurrentPosition: (...values) => (asked = values) } } : {}, configurable: true });
    globalThis.isSecureContext = secure;
    ownPlace(button, engine);
    return button.hidden;
  };
  assert.deepEqual([told(false, true), told(true, false)], [true, true]);
  assert.equal(told(true, true), false);
  button.click();
  assert.deepEqual([button.getAttribute("aria-busy"), asked[2]], ["true", { timeout: 15_000, maximumAge: 60_000 }]);
  asked[0]({ coords: { longitude: 121.5, latitude: 25, accuracy: 850 } });
  assert.deepEqual(calls.slice(0, 2), [["setView", { center: [121.5, 25], zoom: 9 }], ["sketch", { line: [], points: [[121.5, 25]], closed: false }]]);
  assert.deepEqual([button.getAttribute("aria-busy"), spoken.textContent], [null, "The map shows your location, within 850 m."]);
  for (const [code, said] of [[1, /blocked/], [3, /in time/], [2, /unavailable/]]) {
    button.setAttribute("aria-busy", "true");
    asked[1]({ code });
    assert.match(status.textContent, said);
    assert.equal(button.getAttribute("aria-busy"), null);
  }
  asked[0]({ coords: { longitude: 0, latitude: 0, accuracy: 1 } });
  assert.equal(currentError(), null);
});

test("the page goes to the whole screen and back", async () => {
  const button = find("#whole-screen");
  wholeScreen(button);
  assert.equal(button.hidden, true);
  const asked = [];
  const answer = (name, result) => () => (asked.push(name), result());
  page.fullscreenEnabled = true;
  page.exitFullscreen = answer("exit", async () => {});
  page.documentElement.requestFullscreen = answer("request", async () => {});
  page.fullscreenElement = null;
  const again = element("button");
  wholeScreen(again);
  again.click();
  page.fullscreenElement = page.documentElement;
  fire(page, "fullscreenchange");
  assert.deepEqual([again.hidden, asked, again.getAttribute("aria-pressed")], [false, ["request"], "true"]);
  again.click();
  page.fullscreenElement = null;
  fire(page, "fullscreenchange");
  assert.deepEqual([asked, again.getAttribute("aria-pressed")], [["request", "exit"], "false"]);
  page.documentElement.requestFullscreen = async () => { throw new Error("no"); };
  again.click();
  await new Promise((resolve) => setTimeout(resolve));
  assert.match(currentError(), /full screen/);
});

test("links to other maps lead to what is shown now", () => {
  const link = element("a", { href: "/map?lang=fr" });
  otherPages(element("nav", {}, link));
  for (const [event, hash] of [["pointerdown", "#a"], ["focus", "#b"], ["click", "#c"]]) {
    globalThis.location.hash = hash;
    fire(link, event);
    assert.equal(link.href, `https://example.org/map?lang=fr${hash}`);
  }
});
