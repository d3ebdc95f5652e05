// The last moment that a collection has now, as services/viewer/pages/page_data.py has it when the page is made.

import { quotedName } from "../filters/cql2.js";
import { getItems } from "../service/api.js";

/** @import { Time } from "../types.d.ts" */

/**
 * The latest start or end of any feature (ISO 8601); null where none has one. Throws ApiError.
 * @param {string} id
 * @param {Time} time
 */
export async function lastMoment(id, { column, endColumn }) {
  const moments = await Promise.all([column, endColumn].map((name) => (name ? newest(id, name) : null)));
  const known = moments.filter((moment) => moment !== null);
  return known.sort((a, b) => lastOf(b) - lastOf(a))[0] ?? null;
}

/**
 * The newest time of issue, else the newest start (ISO 8601), else null. Throws ApiError.
 * @param {string} id
 * @param {Time} time
 */
export async function newestIssue(id, { column, issuedColumn }) {
  return ((issuedColumn && (await newest(id, issuedColumn))) || (await newest(id, column))) ?? null;
}

/**
 * @param {string} id
 * @param {string} column
 */
async function newest(id, column) {
  const parameters = { asOf: null, sortby: `-${column}`, filter: `${quotedName(column)} IS NOT NULL`, limit: 1 };
  const { features } = await getItems(id, { ...parameters, properties: column, "bbox-only": true });
  const moment = features[0]?.properties[column];
  return typeof moment === "string" ? moment : null;
}

/**
 * Milliseconds since 1970 of an instant, or of the end of a day.
 * @param {string} moment
 */
const lastOf = (moment) => Date.parse(moment.includes("T") ? moment : `${moment}T23:59:59.999Z`);
