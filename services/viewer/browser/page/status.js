// What is going on: one line for loading and errors on the map, and what only screen readers need to be told.

import { find } from "./dom.js";

let problem = null;
const line = find("#status");
const told = find("#told");

function show(text, kind) {
  // that the map loads, again and again, is for the eyes
  line.setAttribute("aria-live", kind === "error" ? "polite" : "off");
  line.textContent = text;
  line.dataset.kind = kind;
}

/** What is going on; an error that was announced stays until it is cleared. */
export function announce(text) {
  if (problem === null && line.textContent !== text) show(text, "note");
}

export function announceError(text) {
  problem = text;
  show(text, "error");
}

export function clearError() {
  if (problem === null) return;
  problem = null;
  show("", "note");
}

export const currentError = () => problem;

/** Says something to screen readers that others see elsewhere on the page. */
export function tell(text) {
  // the same words twice would not be read out again
  told.textContent = told.textContent === text ? `${text}\u00a0` : text;
}
