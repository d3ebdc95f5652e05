// Converts between the state of the page and the hash of the address, both ways:
// map=zoom/lat/lon, p=globe, c=collections, s=subject, t=interval, asOf=past time whose state is shown, a=area, f.<collection>=CQL2,
// e=<collection>/<event>, several separated by commas, q=search, o=order of the list, id=<collection>/<item>, theme; and for a followed storm:
// follow=<collection>/<event>, with=<event> that is compared, step, wind, issue.

import { areaText, parseArea } from "./area.js";
import { instantText, parseInterval } from "./interval.js";

/**
 * @import { State } from "../page/link.js"
 * @import { Explorer } from "./explorer.js"
 * @typedef {object} Restoring
 * @property {string[]} usual the collections that are shown where the state names none
 * @property {(id: string, text: string, message: string) => void} refuse called with filters that the service refuses
 * @property {(collection: string, item: string) => Promise<void>} select
 * @property {(text: string) => void} search
 * @property {(order: string | undefined) => void} sort
 * @property {(state: State) => Promise<void>} [follow]
 */

export const FILTER = "f.";
/** How the list is sorted, the usual way first. */
export const ORDERS = ["newest", "strongest"];

/**
 * `<collection>/<rest>` as a pair, or null.
 * @param {string | undefined} text
 * @returns {[string, string] | null}
 */
export function pairOf(text) {
  if (!text) return null;
  const slash = text.indexOf("/");
  return slash < 1 ? null : [text.slice(0, slash), text.slice(slash + 1)];
}

/**
 * The parts of `<collection>/<event>,<collection>/<event>`. A comma within an identifier separates nothing.
 * @param {string} text
 */
export const pairTexts = (text) => text.split(/,(?=[^,/]+\/)/);

/**
 * The same as pairs, without faulty ones.
 * @param {string | undefined} text
 */
export const pairsOf = (text) => pairTexts(text ?? "").map(pairOf).filter((pair) => pair !== null);

/**
 * The inverse of pairsOf. Siblings share one list, which needs to be named once.
 * @param {Pick<Explorer, "events">} explorer
 */
export function eventsText({ events }) {
  const texts = eventLists({ events }).flatMap(([id, list]) => list.map((event) => `${id}/${event}`));
  return texts.join() || null;
}

/**
 * The lists of events that are shown alone, each with the first collection that it was chosen in.
 * @param {Pick<Explorer, "events">} explorer
 */
export const eventLists = ({ events }) => [...events].filter(([, list], at, all) => all.findIndex(([, other]) => other === list) === at);

/**
 * The state of a link once time, area, filters and event are what the explorer has; what else is in `state` stays.
 * @param {State} state
 * @param {Pick<Explorer, "events" | "filters" | "datetime" | "asOf" | "area">} explorer
 * @returns {Record<string, string | null>}
 */
export function withQuery(state, { events, filters, datetime, asOf, area }) {
  const others = Object.entries(state).filter(([name]) => !name.startsWith(FILTER));
  const texts = [...filters].map(([id, text]) => [FILTER + id, text]);
  return { ...Object.fromEntries([...others, ...texts]), t: datetime, asOf, a: area ? areaText(area) : null, e: eventsText({ events }) };
}

/**
 * The parts of a state that say which collections are shown; those that need no mention are left out.
 * @param {Pick<Explorer, "shown" | "subject">} explorer
 * @param {string[]} usual
 * @returns {Record<"c" | "s", string | null>}
 */
export function collectionsState({ shown, subject }, usual) {
  const ids = [...shown.keys()];
  const isUsual = ids.length === usual.length && usual.every((id) => shown.has(id));
  return { c: isUsual ? null : ids.join() || "none", s: subject === ids[0] ? null : subject };
}

/**
 * The collections that a state asks for, or `usual`.
 * @param {State} state
 * @param {Pick<Explorer, "collections">} explorer
 * @param {string[]} usual
 */
export const collectionsOf = (state, { collections }, usual) =>
  state.c ? state.c.split(",").filter((id) => collections.has(id)) : usual;

/**
 * The collection whose style the map starts with: the first of those wanted that has one, which takes a geometry.
 * @param {(string | null)[]} wanted
 * @param {Pick<Explorer, "collections">} explorer
 */
export function firstDrawn(wanted, { collections }) {
  const ids = [...wanted, ...collections.keys()];
  return ids.find((id) => id !== null && collections.get(id)?.geometryType) ?? null;
}

/**
 * The filters that a state asks for, as [collection, CQL2 text].
 * @param {State} state
 * @param {Pick<Explorer, "collections">} explorer
 * @returns {[string, string][]}
 */
const filtersOf = (state, { collections }) =>
  Object.entries(state)
    .filter(([name]) => name.startsWith(FILTER) && collections.has(name.slice(FILTER.length)))
    .map(([name, text]) => [name.slice(FILTER.length), text]);

/**
 * Makes the map show a state, and resets everything that the state does not mention. Throws nothing: it announces what
 * fails and shows the rest.
 * @param {State} state
 * @param {Explorer} explorer
 * @param {Restoring} restoring
 */
export async function restore(state, explorer, { usual, refuse, select, search, sort, follow }) {
  const wanted = collectionsOf(state, explorer, usual);
  // before anything is drawn, so that no data are requested twice
  explorer.setDatetime(parseInterval(state.t ?? null) && state.t);
  explorer.setAsOf(pastTime(state.asOf));
  explorer.setArea(areaOf(state.a));
  restoreEvent(state, explorer);
  await restoreFilters(state, explorer, refuse);
  for (const id of [...explorer.shown.keys()]) if (!wanted.includes(id)) explorer.hide(id);
  await explorer.showAll(wanted);
  // the previous search must not apply to the new subject
  search(state.q ?? "");
  sort(state.o);
  explorer.setSubject(explorer.shown.has(state.s) ? state.s : ([...explorer.shown.keys()][0] ?? null));
  await follow?.(state);
  const chosen = pairOf(state.id);
  if (chosen && explorer.collections.has(chosen[0])) await select(...chosen);
}

/**
 * The past time of a link, as RFC 3339; null if the link has none, and if it is in the future or not a time, which
 * link-faults.js reports.
 * @param {string | undefined} text
 */
export function pastTime(text) {
  const { from = null, to = null } = parseInterval(text ?? null) ?? {};
  return from !== null && from === to && from <= Date.now() ? instantText(from) : null;
}

/**
 * The area of a link; null if it has none or a faulty one. link-faults.js reports faulty areas.
 * @param {string | undefined} text
 */
function areaOf(text) {
  try {
    return text ? parseArea(text) : null;
  } catch {
    return null;
  }
}

/**
 * @param {State} state
 * @param {Explorer} explorer
 */
function restoreEvent(state, explorer) {
  if ((state.e ?? null) === eventsText(explorer)) return;
  for (const [id] of eventLists(explorer)) explorer.setEvents(id, []);
  /** @type {Map<string, string[]>} */
  const wanted = new Map();
  for (const [id, event] of pairsOf(state.e)) if (explorer.collections.get(id)?.eventKey) wanted.set(id, [...(wanted.get(id) ?? []), event]);
  for (const [id, events] of wanted) explorer.setEvents(id, events);
}

/**
 * @param {State} state
 * @param {Explorer} explorer
 * @param {Restoring["refuse"]} refuse
 */
async function restoreFilters(state, explorer, refuse) {
  const filters = filtersOf(state, explorer);
  for (const id of [...explorer.filters.keys()]) if (!filters.some(([other]) => other === id)) explorer.setFilter(id, null);
  await Promise.all(
    filters
      .filter(([id, text]) => explorer.filters.get(id) !== text)
      .map(([id, text]) => explorer.filter(id, text).catch((error) => refuse(id, text, error.message))),
  );
}
