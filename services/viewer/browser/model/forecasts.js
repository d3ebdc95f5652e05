// The forecasts in and around a feature that is in force.

import { anchor, bboxOf } from "../cartography/geometry.js";
import { beside } from "../cartography/longitudes.js";
import { getItems } from "../service/api.js";
import { MINUTE } from "./calendar.js";
import { isLive, overSince } from "./in-force.js";
import { instantText } from "./interval.js";

/** @import { Box, Collection, Hit, Item, Position } from "../types.d.ts" */

const MARGIN = 0.5; // degrees, as the service's pages look for them (services/features/request/around.py)
const MOST = 10; // of a collection

/**
 * The collections with forecasts for the place of a feature; empty if the feature is over or is a forecast itself.
 * @param {Collection} collection
 * @param {Item} feature
 * @param {Iterable<Collection>} others
 * @param {number} [now] milliseconds since 1970
 */
export function forecastsOf(collection, { geometry, properties }, others, now = Date.now()) {
  if (!geometry || collection.forecast || !isLive(collection.time, now) || overSince(collection.time, properties ?? {}, now) !== null) return [];
  return [...others].filter((other) => other.forecast && other.group === collection.group);
}

/**
 * The forecasts in and around a feature that are not over, the nearest first. Throws ApiError.
 * @param {Item} feature
 * @param {Collection[]} collections
 * @param {{ signal?: AbortSignal, now?: number }} [options]
 * @returns {Promise<Hit[]>}
 */
export async function forecastsAround({ geometry }, collections, { signal, now = Date.now() } = {}) {
  const box = geometry && around(bboxOf(geometry));
  const place = anchor(geometry);
  if (!box || !place) return [];
  const present = instantText(Math.floor(now / MINUTE) * MINUTE);
  const parameters = { bbox: box.map((edge) => edge.toFixed(4)).join(), datetime: `${present}/..`, limit: MOST, "bbox-only": true, numberMatched: false };
  const pages = await Promise.all(collections.map(({ id }) => getItems(id, parameters, { signal })));
  return pages
    .flatMap(({ features }, at) => features.map((feature) => ({ feature, collection: collections[at].id })))
    .sort((one, other) => distance(one.feature, place) - distance(other.feature, place))
    .map(({ feature: { id, properties }, collection }) => ({ collection, id, properties, geometry: null }));
}

/**
 * The box with its margin; null where it is wider than half the world, as one that is cut at ±180°.
 * @param {Box} box
 * @returns {Box | null}
 */
function around([west, south, east, north]) {
  if (east - west > 180) return null;
  return [beside(west - MARGIN, 0), Math.max(-90, south - MARGIN), beside(east + MARGIN, 0), Math.min(90, north + MARGIN)];
}

/**
 * The approximate distance in degrees of latitude, good enough to find the nearer of two.
 * @param {Item} feature
 * @param {Position} place
 */
function distance({ geometry }, [longitude, latitude]) {
  const at = anchor(geometry);
  if (!at) return Infinity;
  return Math.hypot((beside(at[0], longitude) - longitude) * Math.cos((latitude * Math.PI) / 180), at[1] - latitude);
}
