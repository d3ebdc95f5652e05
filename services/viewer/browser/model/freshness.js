// Shows new data soon after the service has them, without asking for more than "is it still this?".

import { announceError, clearError, currentError } from "../page/status.js";
import { say } from "../words/say.js";
import { lastMoment, newestIssue } from "./last-moment.js";
import { Versions } from "./versions.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { Collection } from "../types.d.ts" */

const PERIOD = 15_000; // milliseconds
const SETTLING = 1_500; // milliseconds: processes see a change within a second of each other
const LOST = say("The service does not answer; what is shown may be out of date.");

/**
 * Keeps the shown data up to date while the page is visible.
 * @param {Explorer} explorer
 */
export function watch(explorer) {
  const versions = new Versions(explorer.tileMatrixSet, explorer.styles.versions);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let lost = false;
  const look = async () => {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...explorer.shown.keys()];
    const changed = await versions.changed(ids).catch(() => null);
    const answered = changed !== null;
    if (!answered && !currentError()) announceError(LOST);
    if (answered && currentError() === LOST) clearError();
    if (changed?.size) setTimeout(() => renew(explorer, changed), SETTLING);
    // requests that failed since are repeated
    if (answered && lost) explorer.renew(new Map(ids.map((id) => [id, undefined])));
    lost = !answered;
    if (!document.hidden) timer ??= setTimeout(look, PERIOD);
  };
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    timer = undefined;
    if (!document.hidden) look();
  });
  const follow = () => {
    if ([...explorer.shown.keys()].some((id) => !versions.knows(id))) look();
    else timer ??= setTimeout(look, PERIOD);
  };
  explorer.addEventListener("shown", follow);
  follow();
}

/**
 * @param {Explorer} explorer
 * @param {Map<string, string>} changed
 */
async function renew(explorer, changed) {
  for (const id of changed.keys()) await updateEnd(explorer.collection(id)).catch(() => {});
  explorer.renew(changed);
}

/** @param {Collection} collection */
async function updateEnd(collection) {
  if (!collection.time) return;
  const { id, time } = collection;
  const [end, asOf] = await Promise.all([lastMoment(id, time), newestIssue(id, time)]);
  collection.time = { ...time, ...(end !== null && { end }), ...(asOf !== null && { asOf }) };
}
