// The present: what the map of all collections shows if its link has no state.

import { FILTER } from "./deep-link.js";

/** @import { State } from "../page/link.js" */
/** @import { Present } from "../types.d.ts" */

/** Parts of a state that choose no data. */
const LOOKS = ["theme", "p"];

/**
 * The state of the present; empty if no data are recent, or if the link has a state of its own.
 * @param {Present | null | undefined} present
 * @param {State} given
 * @returns {State}
 */
export function presentState(present, given) {
  if (!present?.shown.length || Object.keys(given).some((name) => !LOOKS.includes(name))) return {};
  const filters = Object.entries(present.filters).map(([id, text]) => [FILTER + id, text]);
  return { c: present.shown.join(), t: present.datetime, ...Object.fromEntries(filters) };
}
