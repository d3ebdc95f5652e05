// Shows new data soon after the service has them, without asking for more than "is it still this?".

import { announceError, clearError, currentError } from "../page/status.js";
import { address, collectionPath } from "../service/api.js";
import { lastMoment } from "./last-moment.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { Collection } from "../types.d.ts" */

const PERIOD = 15_000; // milliseconds
const LOST = "The service does not answer; what is shown may be out of date.";

/**
 * Looks after each collection that is shown, while the page is in sight.
 * @param {Explorer} explorer
 */
export function watch(explorer) {
  /**
   * ETags of the collections' first pages, by collection id.
   * @type {Map<string, string>}
   */
  const tags = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let lost = false;
  const look = async () => {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...explorer.shown.keys()];
    const answers = await Promise.all(ids.map((id) => check(explorer, id, tags).catch(() => false)));
    const answered = !answers.includes(false);
    if (!answered && !currentError()) announceError(LOST);
    if (answered && currentError() === LOST) clearError();
    // what failed meanwhile is asked for again
    if (answered && lost) for (const id of ids) explorer.renew(id);
    lost = !answered;
    if (!document.hidden) timer ??= setTimeout(look, PERIOD);
  };
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    timer = undefined;
    if (!document.hidden) look();
  });
  explorer.addEventListener("shown", () => {
    for (const id of explorer.shown.keys()) if (!tags.has(id)) check(explorer, id, tags).catch(() => {});
  });
  look();
}

/**
 * Whether the service answered; redraws what has changed.
 * @param {Explorer} explorer
 * @param {string} id
 * @param {Map<string, string>} tags
 */
async function check(explorer, id, tags) {
  const before = tags.get(id);
  // the browser's cache would hide the 304 that is the answer hoped for
  const response = await fetch(address(`${collectionPath(id)}/items`, { limit: 0, f: "geojson" }), {
    cache: "no-store",
    headers: before ? { "If-None-Match": before } : {},
  });
  if (response.status >= 500) return false;
  const tag = response.headers.get("ETag");
  if (response.status !== 200 || !tag) return true;
  tags.set(id, tag);
  if (before === undefined || before === tag) return true;
  await updateEnd(explorer.collection(id)).catch(() => {});
  explorer.renew(id);
  return true;
}

/** @param {Collection} collection */
async function updateEnd(collection) {
  if (!collection.time) return;
  const end = await lastMoment(collection.id, collection.time);
  if (end !== null) collection.time = { ...collection.time, end };
}
