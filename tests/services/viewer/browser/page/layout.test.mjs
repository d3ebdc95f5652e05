import assert from "node:assert/strict";
import { test } from "node:test";

import { withValues, openPage } from "../open-page.mjs";

const SHEET = "(max-width: 820px) and (min-height: 481px)";
const COMPACT = "(max-width: 820px), (max-height: 640px)";
let opened = 0;

async function open(media = []) {
  const page = openPage({ media });
  const observed = [];
  globalThis.ResizeObserver = class {
    constructor(changed) { this.changed = changed; }
    observe(element) { observed.push({ element, changed: this.changed }); }
  };
  globalThis.innerHeight = 800;
  return { page, observed, layout: await import(`../../../../../services/viewer/browser/page/layout.js?${(opened += 1)}`) };
}

test("beside the panel a map is seen in the room that is left", async () => {
  const { layout } = await open();
  assert.deepEqual([layout.sheet.matches, layout.compact.matches], [false, false]);
  assert.deepEqual(layout.covered(), { left: 352, right: 8, top: 8, bottom: 8 });
  assert.deepEqual(layout.viewPadding(), { left: 352, right: 16, top: 16, bottom: 96 });
  assert.deepEqual(layout.selectionPadding(), { left: 400, right: 80, top: 288, bottom: 120 });
  globalThis.innerHeight = 1200;
  assert.equal(layout.selectionPadding().top, 330, "a popup is no higher");
});

test("above a sheet a map has its whole width", async () => {
  const { layout } = await open([SHEET, COMPACT]);
  assert.deepEqual([layout.sheet.matches, layout.compact.matches], [true, true]);
  assert.deepEqual(layout.covered(), { left: 8, right: 8, top: 8, bottom: 8 });
  assert.deepEqual(layout.viewPadding(), { left: 8, right: 8, top: 88, bottom: 16 });
  assert.deepEqual(layout.selectionPadding(), { left: 30, right: 30, top: 90, bottom: 144 });
});

test("the page knows how high credits, times and panel are", async () => {
  const { page, observed, layout } = await open();
  const made = (offsetHeight, name = "div") => withValues(Object.assign(page.createElement("div"), { className: name }), { offsetHeight });
  const map = page.createElement("div");
  layout.followCredits(map);
  assert.deepEqual(observed, [], "a map without credits is followed by nothing");
  const credits = made(17);
  credits.setAttribute("class", "ol-attribution");
  map.append(credits);
  layout.followCredits(map);
  layout.followTime([made(40), made(0)]);
  const panel = made(300);
  layout.followPanel(panel);
  assert.deepEqual(observed.map(({ element }) => element.offsetHeight), [17, 40, 0, 300]);
  const { style } = page.body;
  assert.equal(style.getPropertyValue("--panel-height"), "300px", "that of the panel at once");
  for (const { changed } of observed) changed();
  panel.offsetHeight = 20;
  observed[3].changed();
  assert.deepEqual(["--credits-height", "--time-height", "--panel-height"].map((name) => style.getPropertyValue(name)), ["17px", "40px", "20px"]);
});
