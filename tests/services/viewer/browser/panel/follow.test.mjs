// Following a view: its feed, and notifications while the page is open.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { collection } from "../collections.mjs";
import { answered, engineOf, openMap, settled } from "../map-page.mjs";

openMap();
const { Explorer } = await import("../../../../../services/viewer/browser/model/explorer.js");
const { find } = await import("../../../../../services/viewer/browser/page/dom.js");
const { follow } = await import("../../../../../services/viewer/browser/panel/follow.js");

let explorer, asked, features, shown, allowed;

beforeEach(() => {
  openMap();
  mock.timers.enable({ apis: ["setInterval"] });
  [asked, shown, allowed, features] = [[], [], "granted", [1, 2]];
  globalThis.fetch = async (url) => {
    asked.push(decodeURIComponent(url));
    return answered({ features: features.map((id) => ({ type: "Feature", id, geometry: null, properties: { title: `M ${id}` } })) });
  };
  globalThis.Notification = class extends EventTarget {
    static requestPermission = async () => allowed;
    constructor(...values) {
      super();
      shown.push(values);
    }
  };
  explorer = new Explorer({ collections: [collection("quakes", { label: "Quakes", time: { column: "at" } })], tileMatrixSet: "X", styleParameters: () => ({}) });
  explorer.attach(engineOf([]));
  explorer.setSubject("quakes");
  explorer.datetime = "2026-01-01/..";
  explorer.filters.set("quakes", "magnitude >= 6");
});
afterEach(() => {
  mock.timers.reset();
  delete globalThis.Notification;
});

test("the feed has the view and the threshold, and no time", () => {
  follow(find("#share"), explorer)();
  const url = new URL(find("#share [data-act=feed]").href, "http://map");
  assert.equal(url.pathname, "/collections/quakes/feed");
  assert.deepEqual([...url.searchParams.keys()].sort(), ["bbox", "f", "filter"]);
  assert.deepEqual([url.searchParams.get("filter"), url.searchParams.get("f")], ["magnitude >= 6", "atom"]);
});

test("new features are notified once, until the button is pressed again", async () => {
  follow(find("#share"), explorer);
  const button = find("#share [data-act=notify]");
  button.click();
  await settled();
  assert.equal(button.getAttribute("aria-pressed"), "true");
  assert.match(find("#share .followed").textContent, /Quakes.*this view.*magnitude >= 6/);
  features = [9, 1, 2];
  for (let minute = 0; minute < 2; minute++) {
    mock.timers.tick(60_000);
    await settled();
  }
  assert.deepEqual(shown, [["M 9", { body: "Quakes", tag: "quakes/9" }]]);
  button.click();
  features = [10];
  mock.timers.tick(60_000);
  await settled();
  assert.deepEqual([shown.length, asked.length, button.getAttribute("aria-pressed"), find("#share .followed").textContent], [1, 3, "false", ""]);
});

test("of many new features three are notified, and the others counted", async () => {
  follow(find("#share"), explorer);
  find("#share [data-act=notify]").click();
  await settled();
  features = [9, 8, 7, 6, 5, 1, 2];
  mock.timers.tick(60_000);
  await settled();
  assert.deepEqual(shown.map(([title]) => title), ["M 9", "M 8", "M 7"]);
  assert.match(shown[2][1].body, /Quakes.*and at least 2 more/);
});

test("while the service fails the box says so, and promises again when it responds", async () => {
  follow(find("#share"), explorer);
  find("#share [data-act=notify]").click();
  await settled();
  const responding = globalThis.fetch;
  globalThis.fetch = async () => Promise.reject(new TypeError("no network"));
  mock.timers.tick(60_000);
  await settled();
  assert.match(find("#share .followed").textContent, /cannot be reached/);
  globalThis.fetch = responding;
  mock.timers.tick(60_000);
  await settled();
  assert.match(find("#share .followed").textContent, /You are notified/);
});

test("a refusal of the browser is shown", async () => {
  allowed = "denied";
  follow(find("#share"), explorer);
  find("#share [data-act=notify]").click();
  await settled();
  assert.match(find("#share .followed").textContent, /does not allow/);
  assert.deepEqual([asked, shown], [[], []]);
});

test("without notifications in the browser there is no button", () => {
  delete globalThis.Notification;
  follow(find("#share"), explorer);
  assert.equal(find("#share [data-act=notify]").hidden, true);
});
