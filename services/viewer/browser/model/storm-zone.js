// The zone that is looked at, for the service: its corners, and the feature that the service has of it.

import { getItems } from "../service/api.js";
import { presentColumns } from "./storm-collections.js";

/**
 * @import { Item, Position } from "../types.d.ts"
 * @import { Life } from "./story.js"
 * @import { Step } from "./storm-life.js"
 */

/**
 * The corners of a ring as `GET /places/within` takes them: longitudes and latitudes to a hundred metres.
 * @param {Position[]} ring
 */
export const areaText = (ring) => ring.slice(0, -1).flatMap((corner) => corner.map((value) => Number(value.toFixed(3)))).join();

/**
 * The feature of a step's zone, without its geometry; null where the service has none. Throws ApiError.
 * @param {Life} life
 * @param {Step} step
 * @param {number} wind kt
 * @param {AbortSignal} signal
 * @returns {Promise<Item | null>}
 */
export async function zoneItem({ collections: { zones }, event }, { moment, winds }, wind, signal) {
  if (!zones?.eventKey || !winds) return null;
  const start = new Date(moment).toISOString();
  // best tracks have no advisories: `advisory_time` of their zones is the time of the zone
  const query = { [zones.eventKey]: event, advisory_time: winds.issued ?? start, start_date: start, scope: "step", wind_speed_kt: wind };
  const properties = presentColumns(zones, ["population_in_places", "largest_places", "area_km2"]);
  const { features } = await getItems(zones.id, { ...query, properties, "bbox-only": true, limit: 1 }, { signal });
  return features[0] ?? null;
}
