// `/map?event=…`: the map of some events, as the state of a link.

import { beside } from "../cartography/longitudes.js";
import { address, getJson } from "../service/api.js";
import { stormCollections } from "./storm-collections.js";

/** @import { Box, Collection } from "../types.d.ts" */
/** @import { State } from "../page/link.js" */
/** @typedef {{ collections: { id: string }[], extent?: { spatial?: { bbox: Box[] } } }} EventDocument */

/**
 * The view that a link to events shows: the collections of their modules that contain them, and the box around them.
 * Throws ApiError.
 * @param {string[]} events
 * @param {Map<string, Collection>} collections
 * @returns {Promise<{ state: State, box: Box | null }>}
 */
export async function eventLink(events, collections) {
  const documents = await Promise.all(events.map((event) => getJson(address(`/events/${encodeURIComponent(event)}`, { f: "json" }))));
  const [first] = documents.flatMap((document) => shownOf(document, collections));
  const found = documents.flatMap((document, at) => {
    const shown = shownOf(document, collections, first);
    return shown.length ? [{ shown, event: `${shown[0]}/${events[at]}`, box: document.extent?.spatial?.bbox[0] }] : [];
  });
  if (!found.length) return { state: {}, box: null };
  const shown = [...new Set(found.flatMap((each) => each.shown))];
  const boxes = found.flatMap(({ box }) => (box ? [box] : []));
  return { state: { c: shown.join(), s: shown[0], e: found.map(({ event }) => event).join() }, box: around(boxes) };
}

/**
 * The collections that show an event, that with most information first, or the preferred one. A storm may also have
 * been a disturbance.
 * @param {EventDocument} document
 * @param {Map<string, Collection>} collections
 * @param {string} [preferred]
 */
function shownOf(document, collections, preferred) {
  const known = document.collections.flatMap(({ id }) => collections.get(id) ?? []).filter(({ geometryType }) => geometryType);
  // every advisory of a storm would cover it; they can be switched on
  const usual = known.filter(({ overview }) => overview !== false);
  const main = usual.find(({ id }) => id === preferred) ?? usual[0] ?? known[0];
  if (!main) return [];
  const ofModule = (usual.length ? usual : known).filter(({ group }) => group === main.group);
  // the zones of a whole life would lie below those of the hour that is looked at
  const shown = stormCollections(collections, main.id) ? ofModule.filter(({ geometryType }) => !geometryType?.endsWith("Polygon")) : ofModule;
  return shown.map(({ id }) => id);
}

/**
 * The box around boxes, whose longitudes continue beyond 180 where that is shorter; null without any.
 * @param {Box[]} boxes
 * @returns {Box | null}
 */
function around(boxes) {
  if (!boxes.length) return null;
  const middle = (/** @type {Box} */ [west, , east]) => (west + (east < west ? east + 360 : east)) / 2;
  const [first] = boxes;
  const moved = boxes.map((box) => {
    const [west, south, east, north] = box;
    const by = beside(middle(box), middle(first)) - middle(box);
    return [west + by, south, (east < west ? east + 360 : east) + by, north];
  });
  const edge = (/** @type {number} */ at, /** @type {(...values: number[]) => number} */ choose) => choose(...moved.map((box) => box[at]));
  return [edge(0, Math.min), edge(1, Math.min), edge(2, Math.max), edge(3, Math.max)];
}
