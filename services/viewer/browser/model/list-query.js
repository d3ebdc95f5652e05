// What the list asks of the service.

import { searchFilter } from "../filters/search.js";

/** @import { Collection, Parameters } from "../types.d.ts" */

const LIMIT = 30;

/**
 * The query parameters of the list: what is shown of the collection, within the view unless something is searched for or an area is asked for.
 * @param {Collection} collection
 * @param {Parameters} shown the parameters that select what is shown
 * @param {{ bbox: number[] | null, crs?: string, text: string, order: string }} wanted `order` is `newest` or `strongest`
 * @returns {Parameters}
 */
export function listQuery(collection, { filter, ...shown }, { bbox, crs, text, order }) {
  const searched = text.trim() ? searchFilter(collection, text) : null;
  const sortby = [order === "strongest" && collection.importance, collection.time && `-${collection.time.issuedColumn ?? collection.time.column}`];
  return {
    ...shown,
    limit: LIMIT,
    bbox: searched ? null : (bbox?.map((value) => value.toFixed(4)).join(",") ?? null),
    ...(crs && bbox && !searched ? { "bbox-crs": crs } : {}),
    filter: [filter, searched].filter(Boolean).map((part) => `(${part})`).join(" AND "),
    sortby: sortby.filter(Boolean).join(","),
    "bbox-only": true,
    f: "geojson",
  };
}
