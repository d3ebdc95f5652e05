// Between what is shown and the hash of the address, both ways:
// map=zoom/lat/lon, p=globe, c=collections, s=subject, t=interval, f.<collection>=CQL2, e=<collection>/<event>,
// q=search, id=<collection>/<item>, theme.

import { debounced } from "../page/dom.js";
import { formatView, onState, parseView, readState, replaceState, writeState } from "../page/state.js";
import { setTheme } from "../page/theme.js";

const FILTER = "f.";

/** `<collection>/<rest>` as a pair, or null. */
export function pairOf(text) {
  const slash = text?.indexOf("/") ?? -1;
  return slash < 1 ? null : [text.slice(0, slash), text.slice(slash + 1)];
}

/** Keeps the address up to date; `shown` are the collections that need no mention. */
export function remember(explorer, engine, shown) {
  const view = debounced(() => writeState({ map: formatView(engine.view()) }), 250);
  explorer.addEventListener("move", view);
  engine.onProjection?.(() => writeState({ p: engine.globe ? "globe" : null }));
  const query = () => {
    const [event] = explorer.events;
    const others = Object.entries(readState()).filter(([name]) => !name.startsWith(FILTER));
    const filters = [...explorer.filters].map(([id, text]) => [FILTER + id, text]);
    replaceState({ ...Object.fromEntries([...others, ...filters]), t: explorer.datetime, e: event ? event.join("/") : null });
  };
  explorer.addEventListener("query", query);
  const collections = () => {
    const ids = [...explorer.shown.keys()];
    const usual = ids.length === shown.length && shown.every((id) => explorer.shown.has(id));
    writeState({ c: usual ? null : ids.join() || "none", s: explorer.subject === ids[0] ? null : explorer.subject });
    query();
  };
  explorer.addEventListener("shown", collections);
  explorer.addEventListener("subject", collections);
}

/** The collections that a state asks for, or `usual`. */
export function collectionsOf(state, explorer, usual) {
  return state.c ? state.c.split(",").filter((id) => explorer.collections.has(id)) : usual;
}

/**
 * Makes the map show what a state says, and everything again that it does not mention. `refuse(id, text, message)`
 * is told of filters that the service does not take. Nothing is thrown: what fails is said and the rest is shown.
 */
export async function restore(state, explorer, { usual, refuse, select, search }) {
  const wanted = collectionsOf(state, explorer, usual);
  const event = pairOf(state.e);
  const filters = Object.entries(state)
    .filter(([name]) => name.startsWith(FILTER) && explorer.collections.has(name.slice(FILTER.length)))
    .map(([name, text]) => [name.slice(FILTER.length), text]);
  // before anything is drawn, so that nothing is asked for twice
  explorer.setDatetime(state.t ?? null);
  const [current] = explorer.events;
  if (current && (!event || current.join() !== event.join())) explorer.setEvent(current[0], null);
  if (event && explorer.collections.get(event[0])?.eventKey) explorer.setEvent(...event);
  for (const id of [...explorer.filters.keys()]) if (!filters.some(([other]) => other === id)) explorer.setFilter(id, null);
  await Promise.all(
    filters
      .filter(([id, text]) => explorer.filters.get(id) !== text)
      .map(([id, text]) => explorer.filter(id, text).catch((error) => refuse(id, text, error.message))),
  );
  for (const id of [...explorer.shown.keys()]) if (!wanted.includes(id)) explorer.hide(id);
  for (const id of wanted) {
    await explorer.show(id).catch((error) => explorer.emit("fault", `${explorer.collections.get(id).label}: ${error.message}`));
  }
  explorer.setSubject(explorer.shown.has(state.s) ? state.s : ([...explorer.shown.keys()][0] ?? null));
  search(state.q ?? "");
  const chosen = pairOf(state.id);
  if (chosen && explorer.collections.has(chosen[0])) await select(...chosen);
}

/** Follows links that are pasted into the address, and the back button. */
export function followLinks(explorer, engine, options) {
  onState((state) => {
    const view = parseView(state.map);
    if (view) engine.setView(view);
    engine.setGlobe?.(state.p === "globe");
    if (state.theme) setTheme(state.theme);
    if (!state.id) options.deselect();
    restore(state, explorer, options).then(() => replaceState({ ...readState(), ...state }));
  });
}
