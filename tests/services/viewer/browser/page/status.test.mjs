import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { openPage } from "../open-page.mjs";
import { element } from "../../../../../services/viewer/browser/page/dom.js";

const page = openPage();
const [line, spoken] = [element("p", { id: "status" }), element("p", { id: "spoken" })];
page.body.append(line, spoken);
const { announce, announceError, clearError, currentError, sayToScreenReaders } = await import("../../../../../services/viewer/browser/page/status.js");

const seen = () => [line.textContent, line.dataset.kind, line.getAttribute("aria-live")];

beforeEach(() => clearError());

test("what is going on is seen and not read out", () => {
  announce("Loading");
  assert.deepEqual([seen(), currentError()], [["Loading", "note", "off"], null]);
  announce("");
  assert.equal(line.textContent, "");
});

test("an error is read out and stays until it is cleared", () => {
  announceError("No answer");
  announce("Loading");
  assert.deepEqual([seen(), currentError()], [["No answer", "error", "polite"], "No answer"]);
  clearError();
  assert.deepEqual([seen(), currentError()], [["", "note", "off"], null]);
  announce("Loading");
  clearError();
  assert.equal(line.textContent, "Loading", "no error is there to be cleared");
});

test("the same words are read out again", () => {
  sayToScreenReaders("5 found");
  assert.equal(spoken.textContent, "5 found");
  sayToScreenReaders("5 found");
  assert.equal(spoken.textContent, "5 found\u00a0");
  sayToScreenReaders("5 found");
  assert.equal(spoken.textContent, "5 found");
});

test("what is said already is not said anew", () => {
  announce("Loading");
  line.dataset.kind = "of before";
  announce("Loading");
  assert.equal(line.dataset.kind, "of before");
});
