// The button that plays: what begins, goes on, ends by itself or by another click.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Player } from "../../../../../services/viewer/browser/panel/player.js";

class Button extends EventTarget {
  said = {};
  setAttribute(name, value) {
    this.said[name] = value;
  }
  click() {
    this.dispatchEvent(new Event("click"));
  }
}

test("plays to the end, and pauses in between", () => {
  mock.timers.enable({ apis: ["setInterval"] });
  const button = new Button();
  const happened = [];
  let left = 2;
  const step = () => (left ? happened.push(left--) > 0 : false);
  const player = new Player(button, 100, { begin: () => (happened.push("begins"), step), end: () => happened.push("ends") });
  button.click();
  assert.deepEqual(button.said, { "aria-pressed": "true", "aria-label": "Pause" });
  mock.timers.tick(100);
  assert.deepEqual(happened, ["begins", 2]);
  button.click();
  mock.timers.tick(500);
  assert.deepEqual(happened, ["begins", 2, "ends"]);
  assert.deepEqual(button.said, { "aria-pressed": "false", "aria-label": "Play" });
  button.click();
  mock.timers.tick(500);
  assert.deepEqual(happened, ["begins", 2, "ends", "begins", 1, "ends"]);
  player.stop();
  assert.equal(happened.length, 6);
  mock.timers.reset();
});
