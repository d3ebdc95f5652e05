import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "../open-page.mjs";

const DARK = "(prefers-color-scheme: dark)";
let kept, opened = 0;

/** The module as a page finds it that is opened with this hash, this choice of before and this system. */
async function open({ hash = "", stored = null, media = [] } = {}) {
  openPage({ hash, media });
  kept = new Map(stored ? [["dams-theme", stored]] : []);
  globalThis.localStorage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
  return import(`../../../../../services/viewer/browser/page/theme.js?${(opened += 1)}`);
}

for (const [given, theme] of [
  [{}, "light"], [{ media: [DARK] }, "dark"], [{ stored: "dark" }, "dark"], [{ stored: "light", media: [DARK] }, "light"],
  [{ hash: "#theme=dark", stored: "light" }, "dark"], [{ hash: "#theme=light", stored: "dark", media: [DARK] }, "light"],
  [{ hash: "#theme=blue", stored: "dark" }, "dark"], [{ stored: "blue", media: [DARK] }, "dark"],
]) {
  test(`the theme is that of the address, of the choice of before, or of the system: ${JSON.stringify(given)}`, async () => {
    const { currentTheme } = await open(given);
    assert.deepEqual([currentTheme(), globalThis.document.documentElement.dataset.theme], [theme, theme]);
  });
}

test("where nothing may be stored the system decides", async () => {
  openPage({ media: [DARK] });
  globalThis.localStorage = { getItem() { throw new Error("forbidden"); } };
  const { currentTheme } = await import("../../../../../services/viewer/browser/page/theme.js?forbidden");
  assert.equal(currentTheme(), "dark");
});

test("a change is told once, and what is no theme is none", async () => {
  const { currentTheme, onTheme, setTheme } = await open();
  const heard = [];
  onTheme((theme) => heard.push(theme));
  for (const value of ["light", "blue", "dark", "dark"]) setTheme(value);
  assert.deepEqual([heard, currentTheme(), globalThis.document.documentElement.dataset.theme], [["dark"], "dark", "dark"]);
});

test("a button says what it would do, does it, and remembers the choice", async () => {
  const { currentTheme, themeButton } = await open();
  const button = globalThis.document.createElement("button");
  themeButton(button);
  assert.deepEqual([button.title, button.getAttribute("aria-label")], ["Use dark colours", "Use dark colours"]);
  button.click();
  assert.deepEqual([currentTheme(), button.title, button.getAttribute("aria-label"), kept.get("dams-theme"), globalThis.location.hash], ["dark", "Use light colours", "Use light colours", "dark", "#theme=dark"]);
  globalThis.localStorage.setItem = () => { throw new Error("forbidden"); };
  button.click();
  assert.deepEqual([currentTheme(), button.title, globalThis.location.hash], ["light", "Use dark colours", "#theme=light"]);
});
