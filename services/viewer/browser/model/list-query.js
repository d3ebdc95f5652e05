// The list's request to the service.

import { searchFilter } from "../filters/search.js";

/** @import { Collection, Parameters } from "../types.d.ts" */

const LIMIT = 30;

/**
 * The query parameters of the list: the shown features of the collection, within the view unless there is a search or
 * an area.
 * @param {Collection} collection
 * @param {Parameters} shown the parameters that select the shown features
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
