// The state in a link to this page: the hash of the address.

import { formatHash, parseHash } from "./link.js";

/** @import { State } from "./link.js" */

/** @type {Set<(state: State) => void>} */
const listeners = new Set();
/** @type {string | null} */
let written = null;

/** The state in the address. */
export const readState = () => parseHash(location.hash);

/**
 * Changes parts of the state (null removes one) without adding to the browser's history.
 * @param {Record<string, string | null>} changes
 */
export function writeState(changes) {
  replaceState({ ...readState(), ...changes });
}

/**
 * Makes this the whole state.
 * @param {Record<string, string | null>} state
 */
export function replaceState(state) {
  written = formatHash(state);
  if (written !== location.hash) history.replaceState(history.state, "", location.pathname + location.search + written);
}

/**
 * Changes parts of the state, so that the browser's back button returns to the previous state.
 * @param {Record<string, string | null>} changes
 */
export function pushState(changes) {
  const next = formatHash({ ...readState(), ...changes });
  if (next === location.hash) return;
  written = next;
  history.pushState(history.state, "", location.pathname + location.search + next);
}

/**
 * Calls `listener` when the user changes the hash (a pasted link, the back button).
 * @param {(state: State) => void} listener
 */
export function onState(listener) {
  listeners.add(listener);
}

addEventListener("hashchange", () => {
  if (location.hash === written) return;
  for (const listener of listeners) listener(readState());
});
