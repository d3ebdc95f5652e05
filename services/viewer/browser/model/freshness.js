// Shows new data soon after the service has them, without asking for more than "is it still this?".

import { address, collectionPath, getJson } from "../service/api.js";
import { quotedName } from "../filters/cql2.js";
import { announceError, clearError, currentError } from "../page/status.js";

const PERIOD = 15_000; // milliseconds
const LOST = "The service does not answer; what is shown may be out of date.";

/** Looks after each collection that is shown, while the page is in sight. */
export function watch(explorer) {
  const tags = new Map(); // collection id -> ETag of its first page
  let timer = null;
  let lost = false;
  const look = async () => {
    clearTimeout(timer);
    timer = null;
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
    timer = null;
    if (!document.hidden) look();
  });
  explorer.addEventListener("shown", () => {
    for (const id of explorer.shown.keys()) if (!tags.has(id)) check(explorer, id, tags).catch(() => {});
  });
  look();
}

/** Whether the service answered; redraws what has changed. */
async function check(explorer, id, tags) {
  const known = tags.get(id);
  // the browser's cache would hide the 304 that is the answer hoped for
  const response = await fetch(address(`${collectionPath(id)}/items`, { limit: 0, f: "geojson" }), {
    cache: "no-store",
    headers: known ? { "If-None-Match": known } : {},
  });
  if (response.status >= 500) return false;
  const tag = response.headers.get("ETag");
  if (response.status !== 200 || !tag) return true;
  tags.set(id, tag);
  if (known === undefined || known === tag) return true;
  await updateEnd(explorer.collections.get(id)).catch(() => {});
  explorer.renew(id);
  return true;
}

async function updateEnd(collection) {
  if (!collection.time) return;
  const { column } = collection.time;
  const parameters = { sortby: `-${column}`, filter: `${quotedName(column)} IS NOT NULL`, limit: 1, properties: column, "bbox-only": true, f: "geojson" };
  const { features } = await getJson(address(`${collectionPath(collection.id)}/items`, parameters));
  const end = features[0]?.properties[column];
  if (end) collection.time = { ...collection.time, end };
}
