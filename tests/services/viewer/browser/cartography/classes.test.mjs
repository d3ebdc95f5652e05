import assert from "node:assert/strict";
import { test } from "node:test";

import { absentClasses, classFacet, classOf, colorIn, cssColor, classPosition, inkOn, legendKey, unclassedOf } from "../../../../../services/viewer/browser/cartography/classes.js";

const styleOf = (legend, paint = {}) => ({
  metadata: { "dams:collection": "a", "dams:legend": legend },
  layers: [{ id: "a", type: "circle", metadata: { "dams:collection": "a" }, paint }],
});
const STEPS = { title: "Depth", properties: ["depth"], classes: [{ label: "shallow", color: "#111111", from: 0 }, { label: "deep", color: "#222222", from: 70 }] };
const VALUES = { title: "Category (SSHS)", properties: ["category", "wind"], classes: [{ label: "TD", color: "#6c8ebf", values: ["TD"] }, { label: "TS", color: "#00aa00", values: ["TS", "5"] }] };

test("a number falls in the last class that begins below it", () => {
  const label = (depth) => classOf(styleOf([STEPS]), { depth })?.label ?? null;
  assert.deepEqual([0, 69.9, 70, 700, -1, null, undefined].map(label), ["shallow", "shallow", "deep", "deep", null, null, null]);
  assert.equal(classPosition(styleOf([STEPS]), { depth: 80 }), 1);
  assert.equal(classPosition(styleOf([STEPS]), {}), -1);
});

test("a value falls in the class that names it, by the first property that is given", () => {
  const found = classOf(styleOf([VALUES]), { category: null, wind: 5 });
  assert.deepEqual([found.label, found.title, found.position], ["TS", "Category (SSHS)", 1]);
  assert.equal(classOf(styleOf([VALUES]), { category: "C9" }), null);
  // sizes are no classes; the next entry decides
  assert.equal(classOf(styleOf([{ properties: ["depth"], sizes: [] }, STEPS]), { depth: 1 }).label, "shallow");
});

test("features without a class have the colour of no match", () => {
  const match = ["match", ["to-string", ["get", "category"]], ["TD"], "#6c8ebf",
    ["case", true, ["step", ["get", "wind_kt"], "#8d99a5", 0, "#6c8ebf"], "#8d99a5"]];
  const found = unclassedOf(styleOf([VALUES], { "circle-color": match }));
  assert.deepEqual([found.label, found.color, found.properties], ["no category", "#8d99a5", ["category", "wind_kt"]]);
  assert.equal(unclassedOf(styleOf([], { "circle-color": match })), null);
  assert.equal(unclassedOf(styleOf([STEPS], { "circle-color": match })), null);
  assert.equal(unclassedOf(styleOf([VALUES], { "circle-color": ["match", ["get", "other"], "a", "#8d99a5", "#8d99a5"] })), null);
  // the colour of a class says nothing
  assert.equal(unclassedOf(styleOf([VALUES], { "circle-color": ["match", ["get", "category"], "a", "#000000", "#6c8ebf"] })), null);
});

test("facets are asked for the classes of one property", () => {
  assert.deepEqual(classFacet(STEPS), { name: "depth", facet: "depth:edges:70" });
  assert.deepEqual(classFacet({ ...VALUES, properties: ["category"] }), { name: "category", facet: "category:term:100" });
  // of several properties each feature has its own, and one class is one whatever the features
  assert.equal(classFacet(VALUES), null);
  assert.equal(classFacet({ properties: ["depth"], classes: [STEPS.classes[0]] }), null);
  assert.equal(classFacet({ properties: ["depth"], sizes: [] }), null);
});

test("classes are absent that no bucket falls in", () => {
  const absent = (entry, facet, otherwise = false) =>
    absentClasses(entry, { more: false, nulls: 0, ...facet }, otherwise).map(({ label }) => label);
  const [low, high] = [{ max: 70, count: 4 }, { min: 70, count: 2 }];
  assert.deepEqual(absent(STEPS, { buckets: [low, high] }), []);
  assert.deepEqual(absent(STEPS, { buckets: [low, { ...high, count: 0 }] }), ["deep"]);
  assert.deepEqual(absent(STEPS, { buckets: [{ ...low, count: 0 }, high] }), ["shallow"]);
  assert.deepEqual(absent(VALUES, { buckets: [{ value: 5, count: 1 }], nulls: 3 }), ["TD"]);
  // a feature with another value may be in a class by another property
  assert.deepEqual(absent(VALUES, { buckets: [{ value: "TD", count: 1 }, { value: "x", count: 1 }] }), ["TS"]);
  assert.deepEqual(absent(VALUES, { buckets: [{ value: "TD", count: 1 }, { value: "x", count: 1 }] }, true), []);
  assert.deepEqual(absent(VALUES, { buckets: [{ value: "TD", count: 1 }], nulls: 3 }, true), []);
  assert.deepEqual(absent(VALUES, { buckets: [{ value: "TD", count: 1 }] }, true), ["TS"]);
  // the facet is incomplete, or empty
  assert.deepEqual(absent(VALUES, { buckets: [{ value: "TD", count: 1 }], more: true }), []);
  assert.deepEqual(absent(VALUES, { buckets: [] }), []);
});

test("legends are alike by what one sees", () => {
  assert.deepEqual(legendKey(styleOf([STEPS])), [["Depth", undefined, [["shallow", "#111111"], ["deep", "#222222"]]]]);
  assert.deepEqual(legendKey({ metadata: {}, layers: [] }), []);
});

test("ink can be read on its colour", () => {
  assert.deepEqual(["#ffffff", "#f8961e", "#000000", "#c2185b", "#2b8cbe"].map(inkOn), ["#000000", "#000000", "#ffffff", "#ffffff", "#000000"]);
});

test("a class has another colour in the dark theme where it has one", () => {
  const [pair, single] = [{ color: "#111111", dark: "#eeeeee" }, { color: "#111111" }];
  assert.deepEqual([colorIn(pair, "light"), colorIn(pair, "dark"), colorIn(single, "dark")], ["#111111", "#eeeeee", "#111111"]);
  assert.deepEqual([cssColor(pair), cssColor(single), cssColor({ ...pair, dark: "#111111" })], ["light-dark(#111111, #eeeeee)", "#111111", "#111111"]);
});
