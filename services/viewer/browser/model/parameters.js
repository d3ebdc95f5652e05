// The query parameters of a collection that follow from the state of the map.

import { areaFilter } from "../filters/area.js";
import { oneOfTexts } from "../filters/cql2.js";

/**
 * @import { Parameters } from "../types.d.ts"
 * @import { Explorer } from "./explorer.js"
 */

/**
 * What selects the shown features of a collection, for tiles and for items. `searched: false` leaves out the search.
 * @param {Explorer} explorer
 * @param {string} id
 * @param {{ searched?: boolean }} [options]
 * @returns {Parameters}
 */
export function parametersOf(explorer, id, { searched = true } = {}) {
  const { time, eventKey } = explorer.collection(id);
  const timed = time !== null && explorer.datetime !== null;
  const events = (eventKey !== null && explorer.events.get(id)) || [];
  const asOf = pastOf(explorer, id);
  const conditions = [explorer.filters.get(id), areaCondition(explorer, id), searched ? explorer.searches.get(id) : undefined];
  return {
    ...(asOf === null ? {} : { asOf }),
    datetime: timed ? explorer.datetime : null,
    "datetime-column": timed && !time.lasts && !time.usual ? time.column : null,
    filter: allOf(...conditions, events.length > 1 ? oneOfTexts(String(eventKey), events) : undefined),
    ...(events.length === 1 ? { [String(eventKey)]: events[0] } : {}),
  };
}

/**
 * The past time (RFC 3339) whose state of a collection is shown; null for the present, also where that time is not recorded.
 * @param {Pick<Explorer, "asOf" | "collection">} explorer
 * @param {string} id
 */
export function pastOf(explorer, id) {
  const { asOf } = explorer;
  const { history } = explorer.collection(id);
  return asOf !== null && history && Date.parse(history.since) <= Date.parse(asOf) ? asOf : null;
}

/**
 * @param {Explorer} explorer
 * @param {string} id
 */
function areaCondition(explorer, id) {
  const column = explorer.styleParameters(id)["geom-column"] ?? explorer.collection(id).geometryColumn;
  return explorer.area && column ? areaFilter(explorer.area, String(column)) : undefined;
}

/**
 * Conditions that all hold, as one; null where there are none.
 * @param {...(string | undefined)} texts
 */
function allOf(...texts) {
  const given = texts.filter(Boolean);
  return given.length > 1 ? given.map((text) => `(${text})`).join(" AND ") : (given[0] ?? null);
}
