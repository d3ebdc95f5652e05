// Which features are in force, and which are over: of collections whose features last.

import { DAY, MINUTE } from "./calendar.js";
import { instantText, parseInterval } from "./interval.js";

/** @import { Collection, Items, Parameters, Properties, Time } from "../types.d.ts" */

const LIVE = 60 * DAY; // an archive has nothing in force, and to fade all of it would tell nothing
const WITHDRAWN = "withdrawn";

/**
 * Whether some features of a collection may be in force: they last, and the data are of these weeks.
 * @param {Time | null} time
 * @param {number} now milliseconds since 1970
 */
export function isLive(time, now) {
  const last = time?.end ? parseInterval(time.end)?.to : null;
  return Boolean(time?.lasts && time.endColumn) && typeof last === "number" && last > now - LIVE;
}

/**
 * When a feature of a live collection ended or was withdrawn by its source, in milliseconds since 1970. Null if it is
 * in force, or if its data do not say.
 * @param {Time | null} time
 * @param {Properties} properties
 * @param {number} now
 */
export function overSince(time, properties, now) {
  const withdrawn = momentOf(properties[WITHDRAWN]);
  if (withdrawn !== null && withdrawn <= now) return withdrawn;
  const end = time?.endColumn && isLive(time, now) ? momentOf(properties[time.endColumn]) : null;
  return end !== null && end < now ? end : null;
}

/** @param {unknown} value */
const momentOf = (value) => (typeof value === "string" ? (parseInterval(value)?.to ?? null) : null);

/**
 * The query parameters for the features in force among those that a list requests; null if none are to be put first.
 * @param {Collection} collection
 * @param {Parameters} query
 * @param {string} order
 * @param {number} now
 * @returns {Parameters | null}
 */
export function inForceQuery({ time }, query, order, now) {
  if (order !== "newest" || query.datetime || !isLive(time, now)) return null;
  return { ...query, datetime: instantText(Math.floor(now / MINUTE) * MINUTE) };
}

/**
 * The page with those in force first.
 * @param {Items} page
 * @param {Items | null} inForce
 * @returns {Items}
 */
export function inForceFirst(page, inForce) {
  if (!inForce?.features.length) return page;
  const first = inForce.features.filter(({ properties }) => !properties?.[WITHDRAWN]);
  const ids = new Set(first.map(({ id }) => id));
  const others = page.features.filter(({ id }) => !ids.has(id));
  return { ...page, features: [...first, ...others].slice(0, Math.max(first.length, page.features.length)) };
}
