// Status messages: one line for loading and errors on the map, and messages for screen readers only.

import { find } from "./dom.js";

/** @type {string | null} */
let problem = null;
const line = find("#status");
const spoken = find("#spoken");

/**
 * @param {string} text
 * @param {"note" | "error"} kind
 */
function show(text, kind) {
  // the frequent message that the map is loading is only for sighted users
  line.setAttribute("aria-live", kind === "error" ? "polite" : "off");
  line.textContent = text;
  line.dataset.kind = kind;
}

/**
 * Shows a status message; an announced error stays until it is cleared.
 * @param {string} text
 */
export function announce(text) {
  if (problem === null && line.textContent !== text) show(text, "note");
}

/** @param {string} text */
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

/**
 * Says to screen readers what others see elsewhere on the page.
 * @param {string} text
 */
export function sayToScreenReaders(text) {
  // the same words twice would not be read out again
  spoken.textContent = spoken.textContent === text ? `${text}\u00a0` : text;
}
