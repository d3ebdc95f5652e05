// One line for loading, empty and error states, read out by screen readers.

import { find } from "./dom.js";

let problem = null;
const line = find("#status");

function show(text, kind) {
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
