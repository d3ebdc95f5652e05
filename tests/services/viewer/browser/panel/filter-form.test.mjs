// The form of the filter: rows of conditions, their text, and what the service says to it.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { collection } from "../collections.mjs";
import { engineOf, openMap, settled } from "../map-page.mjs";
import { fire, withValues } from "../open-page.mjs";

let page = openMap();
const { Explorer } = await import("../../../../../services/viewer/browser/model/explorer.js");
const { find } = await import("../../../../../services/viewer/browser/page/dom.js");
const { ConditionRow } = await import("../../../../../services/viewer/browser/panel/condition-row.js");
// the form loads it when it is first opened; loaded before, it takes no turn of the loop
await import("../../../../../services/viewer/browser/filters/cql2-reading.js");
const { FilterForm } = await import("../../../../../services/viewer/browser/panel/filter-form.js");

const property = (name, kind, fields = {}) => ({ name, title: name.toUpperCase(), kind, description: null, unit: null, values: null, least: null, most: null, ...fields });
const PROPERTIES = [
  property("depth", "number", { least: 0, most: 700, unit: "km", description: "How deep" }), property("place", "text"),
  property("level", "choice", { values: ["Red", "Green"] }), property("tsunami", "boolean"), property("at", "instant"), property("day", "date"),
];
let changes, removed;

beforeEach(() => {
  page = openMap();
  [changes, removed] = [0, 0];
});

const rowOf = (start) => {
  const row = new ConditionRow(PROPERTIES, start, { changed: () => (changes += 1), removed: () => (removed += 1) });
  page.body.append(row.item);
  const [chosen, operator] = row.item.querySelectorAll("select");
  return { row, chosen, operator, value: row.item.querySelector(".value"), hint: row.item.querySelector(".hint") };
};
const set = (field, value, event = "change") => {
  field.value = value;
  fire(field, event);
};

test("a row begins without a property, and offers what the chosen one is compared by", () => {
  const { row, chosen, operator, value, hint } = rowOf({});
  assert.deepEqual([row.condition, operator.hidden, value.hidden, hint.hidden], [{ property: "", operator: "=", value: "" }, true, true, true]);
  assert.deepEqual([...chosen.options].map((each) => each.textContent), ["Choose a property", "DEPTH", "PLACE", "LEVEL", "TSUNAMI", "AT", "DAY"]);
  row.focus();
  assert.ok(page.activeElement === chosen);
  set(chosen, "depth");
  assert.deepEqual([changes, operator.hidden, value.hidden, hint.textContent, chosen.title], [1, false, false, "0 to 700 km", "How deep"]);
  assert.equal([...operator.options].map((each) => each.value).join(" "), ">= <= between > < = <> in filled empty");
  const input = value.querySelector("input");
  assert.deepEqual([input.type, input.step, input.getAttribute("aria-label"), input.getAttribute("aria-describedby")], ["number", "any", "Value of DEPTH", hint.id]);
  set(input, "5", "input");
  assert.deepEqual([changes, row.condition], [2, { property: "depth", kind: "number", operator: ">=", value: "5" }]);
  set(operator, "between");
  assert.deepEqual([...value.querySelectorAll("input")].map((each) => [each.value, each.getAttribute("aria-label")]), [["5", "Value of DEPTH, from"], ["", "Value of DEPTH, to"]]);
  set(value.querySelectorAll("input")[1], "9", "input");
  assert.deepEqual(row.condition, { property: "depth", kind: "number", operator: "between", value: "5", upper: "9" });
  set(operator, "in");
  assert.deepEqual([value.querySelector("input").value, row.condition.values], ["5", ["5"]]);
  set(value.querySelector("input"), " 1, 2,, ", "input");
  assert.deepEqual(row.condition.values, ["1", "2"]);
  set(operator, "=");
  assert.equal(value.querySelector("input").value, "1");
  set(operator, "empty");
  assert.deepEqual([value.hidden, row.condition.operator], [true, "empty"]);
  set(chosen, "");
  assert.deepEqual([row.condition.property, value.childElementCount, hint.textContent, chosen.title], ["", 0, "", ""]);
  row.item.querySelector("button").click();
  assert.equal(removed, 1);
});

test("values that there are can be chosen, one or several, with those that are chosen already", () => {
  const one = rowOf({ property: "level", operator: "=", value: "Blue" });
  const options = () => [...one.value.querySelectorAll("option")].map((each) => each.value);
  assert.deepEqual([options(), one.row.condition], [["Red", "Green", "Blue"], { property: "level", kind: "choice", operator: "=", value: "Blue" }]);
  set(one.operator, "in");
  const boxes = [...one.value.querySelectorAll("input")];
  assert.deepEqual(boxes.map(({ value, checked }) => [value, checked]), [["Red", false], ["Green", false], ["Blue", true]]);
  assert.equal(one.value.querySelector("fieldset").getAttribute("aria-label"), "Value of LEVEL");
  boxes[0].checked = true;
  changes = 0;
  fire(boxes[0], "change");
  assert.deepEqual([one.row.condition.values, changes], [["Red", "Blue"], 1]);
  set(one.operator, "=");
  assert.equal(one.row.condition.value, "Red");
  assert.deepEqual(rowOf({ property: "level", operator: "in", values: ["Green"] }).row.condition.values, ["Green"]);
  const whether = rowOf({ property: "tsunami", operator: "=", value: "false" });
  assert.deepEqual([[...whether.value.querySelectorAll("option")].map((each) => [each.value, each.textContent]), whether.row.condition.value], [[["true", "yes"], ["false", "no"]], "false"]);
});

test("times are typed in UTC, days as days", () => {
  const [at, day, place] = [{ property: "at", operator: ">=", value: "2018-02-01T06:30:15.250Z" }, { property: "day", operator: "=", value: "2018-02-01" }, { property: "place", operator: "contains", value: null }].map(rowOf);
  const field = (row) => row.value.querySelector("input");
  assert.deepEqual([field(at).type, field(at).value, field(at).title, field(at).step], ["datetime-local", "2018-02-01T06:30:15", "UTC", "1"]);
  assert.deepEqual([field(day).type, field(day).value, field(day).title], ["date", "2018-02-01", ""]);
  assert.deepEqual([field(place).type, field(place).value, field(place).step], ["text", "", ""]);
});

let explorer, form, filterForm, asked, serial = 0;

async function openForm() {
  // properties are requested once for each collection
  const [one, other] = [`quakes ${(serial += 1)}`, `others ${serial}`];
  asked = [];
  globalThis.fetch = async (url) => {
    asked.push(decodeURIComponent(url.replaceAll("+", " ")));
    if (url.includes("/items")) return url.includes("wrong") ? new Response('{"detail": "depht is no property"}', { status: 422 }) : new Response(`{"features": [], "numberMatched": ${url.includes("many") ? 7 : 1}}`);
    if (url.includes("/queryables")) return new Response(JSON.stringify({ properties: { depth: { type: "number", minimum: 0, maximum: 10 }, level: { type: "string", enum: ["a,b", "c"] }, many: { type: "string" } } }));
    return new Response("{}");
  };
  explorer = new Explorer({ collections: [collection(one), collection(other)], tileMatrixSet: "X", styleParameters: () => ({}) });
  explorer.attach(engineOf([]));
  form = find("#filter form");
  withValues(form, { offsetParent: page.body });
  filterForm = new FilterForm(form, explorer);
  explorer.setSubject(one);
  await filterForm.open();
  await settled();
  return { text: find("textarea", form), fault: find("[role=alert]", form), result: find("[role=status]", form), joint: find(".joint", form), list: find("ol", form), one, other };
}
const done = () => new Promise((resolve) => setTimeout(resolve, 5));

test("the form offers a row, writes its condition and applies it", async () => {
  const { text, result, list, joint, one } = await openForm();
  assert.deepEqual([form.hidden, text.placeholder, list.childElementCount, joint.hidden, form.getAttribute("aria-busy")], [false, "depth >= 5 AND level = 'a,b'", 1, true, null]);
  const [chosen] = list.querySelectorAll("select");
  set(chosen, "depth");
  set(list.querySelector(".value input"), "5", "input");
  assert.equal(text.value, "depth >= 5");
  find("[data-act=add]", form).click();
  assert.deepEqual([list.childElementCount, joint.hidden, page.activeElement === list.children[1].querySelector("select")], [2, false, true]);
  set(list.children[1].querySelector("select"), "many");
  set(list.children[1].querySelector(".value input"), "x", "input");
  set(find("select", joint), "OR");
  assert.equal(text.value, "depth >= 5 OR CASEI(many) LIKE CASEI('%x%')");
  assert.equal(fire(form, "submit").defaultPrevented, true);
  await done();
  assert.deepEqual([explorer.filters.get(one), result.textContent, find("#tab-filter span").textContent], [text.value, "7 features match.", "1"]);
  list.children[1].querySelector("button").click();
  assert.deepEqual([text.value, list.childElementCount, joint.hidden, page.activeElement === list.querySelector("select")], ["depth >= 5", 1, true, true]);
  list.querySelector("button").click();
  assert.deepEqual([text.value, list.childElementCount, page.activeElement.dataset.act], ["", 0, "add"]);
  fire(form, "submit");
  assert.deepEqual([explorer.filters.size, find("#tab-filter span").textContent, list.childElementCount], [0, "", 1], "without a text nothing is filtered");
});

test("what is typed becomes rows where these can hold it, and is applied by Enter", async () => {
  const { text, result, list, one } = await openForm();
  const byHand = find(".by-hand", form);
  const typed = async (value) => {
    set(text, value);
    await done();
    return [list.childElementCount, byHand.hidden];
  };
  assert.deepEqual(await typed("depth > 1 OR level = 'c'"), [2, true]);
  assert.equal(find("[name=joint]", form).value, "OR");
  for (const other of ["other = 1", "depth = 'x' OR NOT depth = 2", "many IN ('a,b')", "level > 'c'"]) assert.deepEqual(await typed(other), [0, false], other);
  assert.deepEqual(await typed("level IN ('a,b', 'c')"), [1, true]);
  text.value = "depth < 3";
  assert.equal(fire(text, "keydown", { key: "Enter", shiftKey: true }).defaultPrevented, false);
  assert.equal(fire(text, "keydown", { key: "Enter", shiftKey: false }).defaultPrevented, true);
  await done();
  assert.deepEqual([explorer.filters.get(one), result.textContent, list.childElementCount], ["depth < 3", "1 feature matches.", 1]);
  find("[data-act=clear]", form).click();
  assert.deepEqual([explorer.filters.size, text.value, result.textContent], [0, "", ""]);
});

test("what the service refuses is said until something else is typed, and stays to be mended", async () => {
  const { text, fault, list, one } = await openForm();
  await filterForm.refuse("wrong = 1", "wrong is no property");
  assert.deepEqual([text.value, fault.textContent, fault.hidden, text.getAttribute("aria-invalid")], ["wrong = 1", "wrong is no property", false, "true"]);
  fire(text, "input");
  assert.deepEqual([fault.hidden, text.getAttribute("aria-invalid")], [true, null]);
  fire(form, "submit");
  await done();
  assert.deepEqual([fault.textContent, explorer.filters.size, form.getAttribute("aria-busy"), list.childElementCount], ["depht is no property", 0, null, 0]);
  explorer.setFilter(one, "depth > 1");
  assert.equal(text.value, "wrong = 1");
});

test("the form follows the collection that is looked at, and what others set, but not under the hand", async () => {
  const { text, one, other } = await openForm();
  explorer.setFilter(one, "depth > 1");
  assert.equal(text.value, "depth > 1");
  text.focus();
  explorer.setFilter(one, "depth > 2");
  assert.equal(text.value, "depth > 1");
  page.activeElement.blur();
  asked.length = 0;
  explorer.setSubject(other);
  await done();
  assert.deepEqual([asked.some((url) => url.includes(`${other}/queryables`)), text.value], [true, ""]);
  withValues(form, { offsetParent: null });
  asked.length = 0;
  explorer.setSubject(null);
  await filterForm.open();
  assert.deepEqual([form.hidden, asked], [true, []]);
});

test("where nothing is known of a collection it is said, and asked again", async () => {
  const { fault, list } = await openForm();
  const lost = `lost ${serial}`;
  explorer.collections.set(lost, collection(lost));
  const answer = globalThis.fetch;
  globalThis.fetch = async () => new Response("", { status: 503 });
  explorer.setSubject(lost);
  await done();
  assert.match(fault.textContent, /503/);
  globalThis.fetch = answer;
  await filterForm.open();
  assert.deepEqual([fault.hidden, list.childElementCount, form.getAttribute("aria-busy")], [true, 1, null]);
});

test("what is typed while the properties are on their way stays, and so does what the service says to it", async () => {
  const { text, list, fault, result } = await openForm();
  const answer = globalThis.fetch;
  const later = async () => {
    const slow = `slow ${(serial += 1)}`;
    explorer.collections.set(slow, collection(slow));
    let arrive;
    const way = new Promise((resolve) => (arrive = resolve));
    globalThis.fetch = async (url) => {
      if (url.includes("/items")) return answer(url);
      await way;
      return new Response(JSON.stringify({ properties: { height: { type: "number" } } }));
    };
    explorer.setSubject(slow);
    return { slow, arrive };
  };
  const { slow, arrive } = await later();
  set(text, "height > 3", "input");
  fire(text, "keydown", { key: "Enter", shiftKey: false });
  await done();
  arrive();
  await done();
  assert.deepEqual([text.value, explorer.filters.get(slow), result.textContent, list.childElementCount], ["height > 3", "height > 3", "1 feature matches.", 1]);
  assert.equal(list.querySelector(".value input").value, "3");
  const second = await later();
  set(text, "wrong = 1", "input");
  fire(form, "submit");
  await done();
  second.arrive();
  await done();
  assert.deepEqual([text.value, fault.textContent, text.placeholder], ["wrong = 1", "depht is no property", "height IS NOT NULL"]);
});
