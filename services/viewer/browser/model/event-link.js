// `/map?event=…`: the map of one event, as the state of a link.

import { address, getJson } from "../service/api.js";
import { stormCollections } from "./storm-collections.js";

/** @import { Box, Collection } from "../types.d.ts" */
/** @import { State } from "../page/link.js" */
/** @typedef {{ collections: { id: string }[], extent?: { spatial?: { bbox: Box[] } } }} EventDocument */

/**
 * The view that a link to an event shows: the collections of its module that contain the event, and its box. Throws
 * ApiError.
 * @param {string} event
 * @param {Map<string, Collection>} collections
 * @returns {Promise<{ state: State, box: Box | null }>}
 */
export async function eventLink(event, collections) {
  /** @type {EventDocument} */
  const document = await getJson(address(`/events/${encodeURIComponent(event)}`, { f: "json" }));
  const known = document.collections.flatMap(({ id }) => collections.get(id) ?? []).filter(({ geometryType }) => geometryType);
  // every advisory of a storm would cover it; they can be switched on
  const usual = known.filter(({ overview }) => overview !== false);
  const [main] = usual.length ? usual : known;
  if (!main) return { state: {}, box: null };
  const ofModule = (usual.length ? usual : known).filter(({ group }) => group === main.group);
  // the zones of a whole life would lie below those of the hour that is looked at
  const shown = stormCollections(collections, main.id) ? ofModule.filter(({ geometryType }) => !geometryType?.endsWith("Polygon")) : ofModule;
  return {
    state: { c: shown.map(({ id }) => id).join(), s: main.id, e: `${main.id}/${event}` },
    box: document.extent?.spatial?.bbox[0] ?? null,
  };
}
