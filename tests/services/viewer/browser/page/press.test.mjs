import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { fire, openPage } from "../open-page.mjs";

const { defaultView: beyond } = openPage();
const { debounced } = await import("../../../../../services/viewer/browser/page/debounced.js");
const { afterPress } = await import("../../../../../services/viewer/browser/page/press.js");
let done;

beforeEach(() => {
  done = 0;
  mock.timers.enable({ apis: ["setTimeout"] });
});
afterEach(() => mock.timers.reset());

test("where nothing is pressed it is done soon", () => {
  afterPress(() => (done += 1));
  assert.equal(done, 0);
  mock.timers.tick(1);
  assert.equal(done, 1);
});

for (const end of ["pointerup", "pointercancel"]) {
  test(`while something is pressed it waits, and is done once: ${end}`, () => {
    fire(beyond, "pointerdown");
    afterPress(() => (done += 1));
    mock.timers.tick(1000);
    assert.equal(done, 0);
    fire(beyond, end);
    assert.equal(done, 0, "the click comes first");
    mock.timers.tick(1);
    fire(beyond, "pointerup");
    fire(beyond, "pointercancel");
    mock.timers.tick(1);
    assert.equal(done, 1);
    afterPress(() => (done += 1));
    mock.timers.tick(1);
    assert.equal(done, 2, "nothing is pressed any more");
  });
}

test("what is called again and again is done once, with what came last, when the calls have paused", () => {
  const heard = [];
  const soon = debounced((...values) => heard.push(values), 100);
  soon(1);
  mock.timers.tick(99);
  soon(2, 3);
  mock.timers.tick(99);
  assert.deepEqual(heard, []);
  mock.timers.tick(1);
  mock.timers.tick(1000);
  assert.deepEqual(heard, [[2, 3]]);
});

test("what waits for a pause can be called off", () => {
  const heard = [];
  const soon = debounced((value) => heard.push(value), 100);
  soon(1);
  soon.cancel();
  mock.timers.tick(1000);
  soon(2);
  mock.timers.tick(100);
  assert.deepEqual(heard, [2]);
});
