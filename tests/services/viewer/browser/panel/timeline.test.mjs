// The timeline: bars, ends, names of times, playing; and the life of a storm in its place.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { collection } from "../collections.mjs";
import { engineOf, openMap, settled } from "../map-page.mjs";
import { fire, withValues } from "../open-page.mjs";

let page = openMap();
const { Explorer } = await import("../../../../../services/viewer/browser/model/explorer.js");
const { TimeAxis } = await import("../../../../../services/viewer/browser/model/time-axis.js");
const { find } = await import("../../../../../services/viewer/browser/page/dom.js");
const { TimeBars } = await import("../../../../../services/viewer/browser/panel/time-bars.js");
const { Timeline } = await import("../../../../../services/viewer/browser/panel/timeline.js");
const plain = (text) => text.replace(/\s+/g, " ");
let explorer, root, asked;

const TIME = { column: "at", start: "1980-01-01", end: "2024-12-31" };

beforeEach(() => {
  page = openMap();
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  asked = [];
  globalThis.fetch = async (url) => {
    asked.push(decodeURIComponent(url));
    if (!url.includes("/facets")) return new Response('{"metadata": {}, "layers": []}');
    const bars = url.split("datetime%3Aedges%3A")[1].split("&")[0].split("%2F").length - 1;
    const buckets = Array.from({ length: bars + 2 }, (_, at) => ({ count: at }));
    return new Response(JSON.stringify({ numberMatched: 1, facets: { datetime: { buckets } } }));
  };
  explorer = new Explorer({
    collections: [collection("floods", { label: "Floods", time: TIME }), collection("week", { label: "Week", time: { column: "at", start: "2018-02-01T00:00:00Z", end: "2018-02-07T23:00:00Z" } }), collection("plain", { label: "Plain" })],
    tileMatrixSet: "X", styleParameters: () => ({}),
  });
  explorer.attach(engineOf([]));
  root = find("#timeline");
  withValues(find(".range", root), { clientWidth: 372 });
  find(".range svg", root).getBoundingClientRect = () => ({ left: 100, width: 450 });
  new Timeline(root, explorer);
});
afterEach(() => mock.timers.reset());

const show = async (...ids) => {
  for (const id of ids) await explorer.show(id);
  await settled();
};
const words = () => plain(find(".label output", root).textContent);
const button = (act) => find(`[data-act=${act}]`, root);
const ends = () => [...root.querySelectorAll(".range input")].map(({ value }) => Number(value));
const bars = (kind) => [...root.querySelectorAll(`.range svg rect${kind ? `.${kind}` : ""}`)];

test("all of the time of the subject is shown, with a bar for each year", async () => {
  await show("floods");
  assert.deepEqual([root.hidden, root.getAttribute("aria-label"), find(".of", root).textContent], [false, "Time of Floods", ""]);
  assert.match(words(), /^1 Jan 1980 ?– ?31 Dec 2024$/);
  assert.deepEqual([ends(), bars().length, bars("inside").length], [[0, 16437], 45, 45]);
  assert.equal(asked.filter((url) => url.includes("/facets")).length, 1);
  assert.match(asked.at(-1), /datetime-column=at/);
  assert.deepEqual(["all", "whole", "zoom"].map((act) => button(act).hidden), [true, true, true]);
  // the root of the share of the highest, at least two pixels
  const heights = bars().map((bar) => Number(bar.getAttribute("height")));
  assert.deepEqual([heights[44], heights[0].toFixed(3)], [36, (2 + 34 * Math.sqrt(1 / 45)).toFixed(3)]);
  assert.equal(bars()[44].getAttribute("y"), "0");
  assert.match(find(".range svg", root).getAttribute("aria-label"), /about 1,035 in the chosen time/);
  assert.deepEqual([...find(".ticks", root).children].map((each) => each.textContent), ["1990", "2000", "2010", "2020"]);
  const inputs = [...root.querySelectorAll(".range input")];
  assert.deepEqual(inputs.map((input) => [input.max, input.getAttribute("aria-valuetext")]), [["16437", "1 Jan 1980"], ["16437", "31 Dec 2024"]]);
});

test("an end that is moved settles after a moment; both at the ends are all time", async () => {
  await show("floods");
  const [first, last] = root.querySelectorAll(".range input");
  first.value = String((Date.parse("2010-01-01") - Date.parse("1980-01-01")) / 86400e3);
  fire(first, "input");
  assert.match(words(), /^1 Jan 2010 ?– ?31 Dec 2024$/);
  assert.equal(explorer.datetime, null);
  mock.timers.tick(199);
  assert.equal(explorer.datetime, null);
  mock.timers.tick(1);
  assert.equal(explorer.datetime, "2010-01-01/2024-12-31");
  assert.deepEqual([bars("inside").length, button("all").hidden], [15, false]);
  first.value = "0";
  last.value = "16437";
  fire(last, "input");
  mock.timers.tick(200);
  assert.equal(explorer.datetime, null);
});

test("a time that could not be seen is shown larger, and the whole again", async () => {
  await show("floods");
  explorer.setDatetime("2017-09-06/2017-09-07");
  await settled();
  assert.deepEqual([button("whole").hidden, button("all").hidden, ends()], [false, false, [48, 96]]);
  assert.match(words(), /^6 ?– ?7 Sept 2017$/);
  button("whole").click();
  assert.deepEqual([button("whole").hidden, button("zoom").hidden, ends().map((end) => end > 13_000)], [true, false, [true, true]]);
  button("zoom").click();
  assert.deepEqual(ends(), [48, 96]);
  button("all").click();
  await settled();
  assert.equal(explorer.datetime, null);
  assert.deepEqual([bars("inside").length, bars().length], [bars().length, bars().length]);
});

test("what has no time has no timeline; of several it is said whose it is, and what has nothing then", async () => {
  await show("plain");
  assert.equal(root.hidden, true);
  await show("floods", "week");
  explorer.setSubject("week");
  await settled();
  assert.deepEqual([root.hidden, find(".of", root).textContent, root.getAttribute("aria-label")], [false, "Week", "Time of Week"]);
  const absent = () => find(".absent", root).textContent;
  for (const [datetime, said] of [
    ["2017-01-01/2017-12-31", "No data at this time: Week"], ["1970-01-01/1970-12-31", "No data at this time: Floods and Week"], ["2018-02-07T23:00:00Z/..", ""],
    ["2018-02-07T23:00:01Z/2018-03-01", "No data at this time: Week"], ["../2018-01-31", "No data at this time: Week"], ["../2018-02-01T00:00:00Z", ""], ["2025-01-01/..", "No data at this time: Floods and Week"], [null, ""],
  ]) {
    explorer.setDatetime(datetime);
    assert.equal(absent(), said, datetime);
  }
});

test("playing shows one time after another, and pauses", async () => {
  await show("floods");
  explorer.setDatetime("2022-01-01/2022-12-31");
  button("play").click();
  assert.deepEqual([explorer.playing, explorer.datetime], [true, "2022-01-01/2022-12-31"]);
  const seen = [];
  for (let step = 0; step < 3; step++) {
    mock.timers.tick(700);
    seen.push(explorer.datetime.slice(0, 4));
  }
  assert.deepEqual(seen, ["2023", "2024", "1980"], "it begins anew");
  let queries = 0;
  explorer.addEventListener("query", () => (queries += 1));
  button("play").click();
  mock.timers.tick(2000);
  assert.deepEqual([explorer.playing, explorer.datetime.slice(0, 4), queries], [false, "1980", 1]);
});

test("numbers are counted by what else is chosen, and again when the data change", async () => {
  await show("floods");
  asked.length = 0;
  explorer.setFilter("floods", "a = 1");
  await settled();
  assert.match(asked[0].replaceAll("+", " "), /filter=a = 1/);
  asked.length = 0;
  explorer.setDatetime("2010-01-01/2019-12-31");
  await settled();
  assert.deepEqual(asked, [], "whatever the time");
  explorer.renew(new Map([["plain", "2"]]));
  await settled();
  assert.deepEqual(asked, []);
  explorer.renew(new Map([["floods", "2"]]));
  await settled();
  assert.equal(asked.length, 1);
});

test("a bar says its time and number; a click takes it, drawing takes a time", async () => {
  await show("floods");
  const svg = find(".range svg", root);
  const at = (year) => 100 + 450 * ((Date.parse(`${year}-07-01`) - Date.parse("1980-01-01")) / (Date.parse("2025-01-01") - Date.parse("1980-01-01")));
  fire(svg, "pointermove", { clientX: at(1999) });
  const tip = find(".tip", root);
  assert.match(plain(tip.textContent), /^1 Jan ?– ?31 Dec 1999: 20$/);
  assert.deepEqual([tip.hidden, Math.round(Number.parseFloat(tip.style.getPropertyValue("--at")))], [false, 43]);
  fire(svg, "pointerleave");
  assert.equal(tip.hidden, true);
  const press = (from, to, fields = {}) => {
    fire(svg, "pointerdown", { button: 0, pointerId: 1, clientX: from, ...fields });
    fire(svg, "pointermove", { clientX: to });
    const during = words();
    fire(svg, "pointerup", { clientX: to });
    return during;
  };
  press(at(1999), at(1999) + 3);
  assert.equal(explorer.datetime, "1999-01-01/1999-12-31");
  press(50, 50);
  assert.equal(explorer.datetime, "1980-01-01/1980-12-31", "before the first bar");
  press(600, 600);
  assert.equal(explorer.datetime, "2024-01-01/2024-12-31", "after the last");
  const before = explorer.datetime;
  press(at(1990), at(2000), { button: 2 });
  assert.equal(explorer.datetime, before);
  assert.match(press(at(1990), at(2000)), /^1 Jul 1990 ?– ?30 Jun 2000$/);
  assert.equal(explorer.datetime, "1990-07-01/2000-06-30");
  fire(svg, "pointerdown", { button: 0, pointerId: 1, clientX: at(1985) });
  fire(svg, "pointercancel");
  fire(svg, "pointerup", { clientX: at(1999) });
  assert.equal(explorer.datetime, "1990-07-01/2000-06-30");
});

test("bars lie on the axis, and a number that is not known has none of its own", () => {
  const range = find(".range", root);
  const made = new TimeBars(range, () => {});
  const axis = TimeAxis.of("2018-01-31T19:13:00Z", "2018-02-07T19:07:00Z");
  made.draw(axis, axis.edges.slice(1).map((_, at) => (at ? at : null)), [0.5, 1]);
  const drawn = [...range.querySelectorAll("svg rect")];
  assert.deepEqual([drawn[0].getAttribute("height"), drawn[0].getAttribute("class")], ["1", "outside"]);
  for (const bar of drawn) assert.ok(Number(bar.getAttribute("x")) >= 0 && Number(bar.getAttribute("x")) + Number(bar.getAttribute("width")) <= 360);
  assert.equal(drawn.filter((bar) => bar.getAttribute("class") === "inside").length, Math.ceil(drawn.length / 2));
});

test("a time is chosen by its name", async () => {
  await show("floods");
  const form = find("form", root);
  button("choose").click();
  assert.deepEqual([form.hidden, button("choose").getAttribute("aria-expanded"), page.activeElement.textContent], [false, "true", "All time"]);
  const presets = [...form.querySelectorAll(".presets button")];
  assert.deepEqual(presets.map((each) => [each.textContent, each.getAttribute("aria-pressed")]), [["All time", "true"], ["Last 24 hours of the data", "false"], ["Last 7 days of the data", "false"], ["Last 30 days of the data", "false"]]);
  presets[2].click();
  assert.deepEqual([explorer.datetime, form.hidden, page.activeElement === button("choose"), button("whole").hidden], ["2024-12-24T23:00:00Z/2025-01-01T00:00:00Z", true, true, false]);
  button("choose").click();
  fire(form, "keydown", { key: "a" });
  assert.equal(form.hidden, false);
  fire(form, "keydown", { key: "Escape" });
  assert.deepEqual([form.hidden, button("choose").getAttribute("aria-expanded")], [true, "false"]);
  button("choose").click();
  button("choose").click();
  assert.equal(form.hidden, true);
});

test("a time is written and read by the clock of the reader, where that is another than UTC", async () => {
  const before = process.env.TZ;
  process.env.TZ = "America/New_York";
  page = openMap();
  root = find("#timeline");
  new Timeline(root, explorer);
  await show("floods");
  explorer.setDatetime("2017-09-06T12:00:00Z/..");
  const form = find("form", root);
  const [from, zone, local] = ["[name=from]", "[name=zone]", "option[value=local]"].map((name) => find(name, form));
  assert.deepEqual([local.textContent, local.hidden], ["America/New York", false]);
  button("choose").click();
  assert.equal(from.value, "2017-09-06T12:00");
  zone.value = "local";
  fire(zone, "change");
  assert.equal(from.value, "2017-09-06T08:00");
  from.value = "2018-01-01T00:00";
  fire(form, "submit");
  assert.equal(explorer.datetime, "2018-01-01T05:00:00Z/..");
  button("choose").click();
  from.focus();
  find("[data-act=close]", form).click();
  assert.deepEqual([form.hidden, page.activeElement === button("choose")], [true, true]);
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

test("who moves an end stops what plays, and is not overtaken by what was about to be shown", async () => {
  await show("floods");
  button("play").click();
  const [first] = root.querySelectorAll(".range input");
  first.value = "10000";
  fire(first, "input");
  assert.deepEqual([explorer.playing, button("play").getAttribute("aria-pressed")], [false, "false"]);
  button("all").click();
  mock.timers.tick(200);
  assert.equal(explorer.datetime, null);
  // a hand that moves on is waited for
  fire(first, "input");
  mock.timers.tick(150);
  first.value = "12000";
  fire(first, "input");
  mock.timers.tick(150);
  assert.equal(explorer.datetime, null);
  mock.timers.tick(50);
  assert.equal(explorer.datetime.slice(0, 10), "2012-11-08");
});

test("a part that is shown stays while the time on it changes", async () => {
  await show("floods");
  explorer.setDatetime("2017-09-06/2017-09-07");
  await settled();
  button("whole").click();
  explorer.setFilter("floods", "a = 1");
  await settled();
  assert.equal(button("whole").hidden, true, "the same time does not zoom again");
  explorer.setDatetime("2017-09-06/2017-09-08");
  await settled();
  assert.equal(button("whole").hidden, false);
  explorer.setDatetime("2017-09-06/2017-09-09");
  await settled();
  assert.equal(button("whole").hidden, false);
});

test("a time is typed, from and to or one of them", async () => {
  await show("floods");
  explorer.setDatetime("2017-09-06T12:00:00Z/2017-09-07T00:00:30Z");
  const form = find("form", root);
  const [from, to, zone, fault] = ["[name=from]", "[name=to]", "[name=zone]", ".fault"].map((name) => find(name, form));
  button("choose").click();
  zone.value = "utc";
  fire(zone, "change");
  assert.deepEqual([from.value, to.value], ["2017-09-06T12:00", "2017-09-07T00:00:30"]);
  const typed = (first, last) => {
    [from.value, to.value] = [first, last];
    form.hidden = false;
    assert.equal(fire(form, "submit").defaultPrevented, true);
    return explorer.datetime;
  };
  assert.equal(typed("2018-01-01T00:00", "2018-01-02T06:30"), "2018-01-01T00:00:00Z/2018-01-02T06:30:00Z");
  assert.equal(form.hidden, true);
  assert.deepEqual([typed("2018-01-01T00:00", ""), typed("", "2018-01-01T00:00"), typed("", "")], ["2018-01-01T00:00:00Z/..", "../2018-01-01T00:00:00Z", null]);
  assert.equal(typed("2018-01-01T00:00", "2018-01-01T00:00"), "2018-01-01T00:00:00Z");
  assert.equal(typed("2018-01-02T00:00", "2018-01-01T00:00"), "2018-01-01T00:00:00Z");
  assert.deepEqual([fault.textContent, fault.hidden, page.activeElement === from, form.hidden], ["The start is after the end.", false, true, false]);
  withValues(to, { validity: { badInput: true } });
  typed("2018-01-02T00:00", "2018-01-03T00:00");
  assert.deepEqual([fault.textContent, page.activeElement === to], ["To: enter a complete date and time.", true]);
});

test("a past time of the data is chosen by name or typed, as far as it is recorded", async () => {
  explorer.collection("floods").history = { since: "2020-01-01T00:00:00Z" };
  await show("week");
  button("choose").click();
  const known = find("#time-choice .known");
  assert.equal(known.hidden, true, "nothing on the map has a record");
  find("#time-choice [data-act=close]").click();
  await show("floods");
  button("choose").click();
  assert.equal(known.hidden, false);
  const names = [...known.querySelectorAll(".presets button")];
  assert.deepEqual(names.map((each) => [each.textContent, each.getAttribute("aria-pressed")]), [["Now", "true"], ["1 h ago", "false"], ["24 h ago", "false"], ["7 days ago", "false"]]);
  names[2].click();
  assert.ok(Math.abs(Date.parse(explorer.asOf) - Date.now() + 86400e3) < 120e3);
  const typed = async (value) => {
    button("choose").click();
    find("#time-choice [name=known]").value = value;
    fire(find("#time-choice"), "submit");
    const fault = find("#time-choice .fault").textContent;
    find("#time-choice [data-act=close]").click();
    return [plain(fault), explorer.asOf];
  };
  const chosen = "2021-05-06T07:08:00Z";
  assert.deepEqual(await typed("2021-05-06T07:08"), ["", chosen]);
  assert.deepEqual(await typed("2999-01-01T00:00"), ["The state at a future time is not known yet.", chosen]);
  assert.deepEqual(await typed("2019-12-31T00:00"), ["States are recorded since 1 Jan 2020, 00:00 UTC.", chosen]);
  button("choose").click();
  for (const [name, value] of [["known", ""], ["from", "2020-01-02T00:00"], ["to", "2020-01-01T00:00"]]) find(`#time-choice [name=${name}]`).value = value;
  fire(find("#time-choice"), "submit");
  assert.equal(explorer.asOf, chosen, "a form with a fault changes nothing");
  find("#time-choice [data-act=close]").click();
  assert.deepEqual(await typed(""), ["", null]);
});
