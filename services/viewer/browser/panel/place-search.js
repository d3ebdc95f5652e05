// Going to a place: towns, provinces and countries, coordinates, and events by their names; or selecting features
// within a distance of a place. A combobox with a list (WAI-ARIA).

import { namesEvent, placeIn, searchFilter } from "../filters/search.js";
import { circleOf } from "../model/area.js";
import { debounced } from "../page/debounced.js";
import { element, find } from "../page/dom.js";
import { viewPadding } from "../page/layout.js";
import { sayToScreenReaders } from "../page/status.js";
import { getItems, isAbort, messageOf } from "../service/api.js";
import { findPlaces, fullName, surroundings } from "../service/places.js";
import { areaWords, parseNearness } from "../words/area.js";
import { formatPosition, parseCoordinates } from "../words/coordinates.js";
import { inARow, say, sayMany } from "../words/say.js";
import { fitArea } from "./area-view.js";
import { featureTitle } from "./feature-badge.js";

/**
 * @import { Explorer } from "../model/explorer.js"
 * @import { Box, Collection, Position } from "../types.d.ts"
 * @import { Place } from "../service/places.js"
 * @typedef {{ title: string, detail: string, event?: unknown, go: () => unknown }} Option
 */

const PAUSE = 200; // milliseconds
const SHORTEST = 2; // signs
const PLACES = 6;
const EVENTS = 3; // of each collection
const COLLECTIONS = 3; // most collections that are searched for events
const KNOWN = 100_000; // people of a town that precedes events
const TOWN = 0.3; // degrees around a town
const NEAREST = 9; // zoom level

/**
 * Makes the form work. `choose` shows a feature.
 * @param {HTMLElement} form
 * @param {Explorer} explorer
 * @param {(collection: string, id: string | number) => unknown} choose
 */
export function placeSearch(form, explorer, choose) {
  const input = find("input", form, HTMLInputElement);
  const list = find("ul", form);
  /** @type {Option[]} */
  let options = [];
  let active = -1;
  /** @type {string | null} */
  let listed = null; // the text for which the options were found
  /** @type {AbortController | null} */
  let loading = null;

  const close = () => {
    soon.cancel();
    loading?.abort();
    show([], null);
  };
  /**
   * @param {Option[]} found
   * @param {string | null} text in place of options; null for none
   * @param {string | null} [words] what they were found for
   */
  function show(found, text, words = null) {
    options = found;
    listed = words;
    list.replaceChildren(...found.map((option, at) => entry(option, at, () => take(at))));
    if (text !== null) list.append(element("li", { class: "empty", role: "option", "aria-disabled": "true", text }));
    list.hidden = list.childElementCount === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    mark(-1);
  }
  /** @param {number} at */
  function mark(at) {
    active = at;
    showMarked(list, input, at);
  }
  /** @param {number} at */
  function take(at) {
    const option = options[at];
    if (!option) return;
    input.value = option.title;
    close();
    option.go();
  }
  async function search() {
    soon.cancel();
    loading?.abort();
    const { signal } = (loading = new AbortController());
    const text = input.value.trim();
    if (text.length < SHORTEST) return close();
    try {
      const found = await optionsOf(text, explorer, choose, signal);
      if (signal.aborted) return undefined;
      show(found, found.length ? null : say("No place or event found"), text);
      return sayToScreenReaders(found.length ? say("{number} found; choose with the arrow keys", { number: found.length }) : say("No place or event found"));
    } catch (error) {
      return isAbort(error) ? undefined : show([], messageOf(error));
    }
  }

  const soon = debounced(search, PAUSE);
  input.addEventListener("input", soon);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step && options.length) {
      event.preventDefault();
      mark((Math.max(active, step > 0 ? -1 : 0) + step + options.length) % options.length);
    } else if (event.key === "Escape" && !list.hidden) {
      event.stopPropagation();
      close();
    }
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (listed !== input.value.trim()) await search();
    // the user may have typed more by now
    if (listed === input.value.trim()) take(Math.max(active, 0));
  });
}

/**
 * @param {HTMLElement} list
 * @param {HTMLInputElement} input
 * @param {number} at
 */
function showMarked(list, input, at) {
  list.querySelectorAll("li").forEach((each, index) => each.setAttribute("aria-selected", String(index === at)));
  list.children[at]?.scrollIntoView({ block: "nearest" });
  if (at < 0) input.removeAttribute("aria-activedescendant");
  else input.setAttribute("aria-activedescendant", `go-${at}`);
}

/**
 * @param {Option} option
 * @param {number} at
 * @param {() => void} onclick
 */
function entry({ title, detail }, at, onclick) {
  // the input would lose the focus, and the list close, before the click
  const onpointerdown = (/** @type {Event} */ event) => event.preventDefault();
  return element(
    "li",
    { id: `go-${at}`, role: "option", "aria-selected": "false", onpointerdown, onclick },
    element("span", { text: title }),
    " ",
    element("small", { text: detail }),
  );
}

/**
 * @param {string} text
 * @param {Explorer} explorer
 * @param {(collection: string, id: string | number) => unknown} choose
 * @param {AbortSignal} signal
 * @returns {Promise<Option[]>}
 */
async function optionsOf(text, explorer, choose, signal) {
  const nearness = parseNearness(text);
  if (nearness) return nearnessOptions(nearness, explorer, signal);
  const position = parseCoordinates(text);
  if (position) return [{ title: formatPosition(position), detail: say("Coordinates"), go: () => goTo(explorer, position, formatPosition(position)) }];
  const [places, ...events] = await Promise.all([
    findPlaces(placeIn(text), PLACES, { signal }),
    // a collection that does not answer leaves the places
    ...searched(explorer).map((collection) => eventsOf(collection, text, choose, explorer, signal).catch(() => [])),
  ]);
  const [known, hamlets] = [true, false].map((wanted) =>
    places.filter((place) => isKnown(place, text) === wanted).map((place) => placeOption(explorer, place)),
  );
  return [...known, ...eachEventOnce(events.flat()), ...hamlets];
}

/**
 * An event can have features in several collections; the first is that of the most important collection.
 * @param {Option[]} options
 */
const eachEventOnce = (options) =>
  options.filter(({ event }, at) => !event || options.findIndex((other) => other.event === event) === at);

/**
 * Whether a place precedes events: a large town, province, country or sea, unless the text names an event.
 * @param {Place} place
 * @param {string} text
 */
const isKnown = ({ properties: { kind, people } }, text) =>
  !namesEvent(text) && (kind !== "town" || (people ?? 0) >= KNOWN);

/**
 * @param {{ kilometres: number, place: string }} nearness
 * @param {Explorer} explorer
 * @param {AbortSignal} signal
 * @returns {Promise<Option[]>}
 */
async function nearnessOptions({ kilometres, place }, explorer, signal) {
  /**
   * @param {Position} position
   * @param {string} name
   * @param {string} detail
   */
  const option = (position, name, detail) => {
    const area = circleOf([...position, kilometres], name);
    const go = () => {
      explorer.setArea(area);
      fitArea(explorer);
    };
    return { title: areaWords(area), detail, go };
  };
  const position = parseCoordinates(place);
  if (position) return [option(position, "", say("Coordinates"))];
  const found = await findPlaces(place, PLACES, { signal });
  return found.map((each) => option(each.geometry.coordinates, fullName(each.properties), detailOf(each)));
}

/** @param {Place} place */
function detailOf({ properties: { people, kind } }) {
  return people ? sayMany("{number} person", "{number} people", people) : kind === "town" ? "" : say(kind);
}

/**
 * The collections whose features are events with names: those on the map first.
 * @param {Explorer} explorer
 */
const searched = ({ collections, shown }) =>
  [...collections.values()]
    .filter(({ id, geometryType }) => geometryType && /events$/.test(id))
    .sort((a, b) => Number(shown.has(b.id)) - Number(shown.has(a.id)))
    .slice(0, COLLECTIONS);

/**
 * @param {Collection} collection
 * @param {string} text
 * @param {(collection: string, id: string | number) => unknown} choose
 * @param {Explorer} explorer
 * @param {AbortSignal} signal
 * @returns {Promise<Option[]>}
 */
async function eventsOf(collection, text, choose, explorer, signal) {
  const filter = searchFilter(collection, text);
  if (!filter) return [];
  const sortby = collection.importance ?? (collection.time ? `-${collection.time.column}` : null);
  const page = await getItems(collection.id, { filter, sortby, limit: EVENTS, "bbox-only": true }, { signal });
  return page.features.map((feature) => ({
    title: featureTitle(collection, feature),
    detail: collection.label,
    event: collection.eventKey && feature.properties?.[collection.eventKey],
    go: async () => {
      await explorer.show(collection.id);
      choose(collection.id, feature.id ?? "");
    },
  }));
}

/**
 * @param {Explorer} explorer
 * @param {Place} place
 * @returns {Option}
 */
function placeOption(explorer, place) {
  const { name } = place.properties;
  const detail = inARow([surroundings(place.properties), detailOf(place)]);
  return { title: name, detail, go: () => goTo(explorer, place.geometry.coordinates, name, detail, place.bbox) };
}

/**
 * Shows a place, with its name at it.
 * @param {Explorer} explorer
 * @param {Position} position
 * @param {string} name
 * @param {string} [detail]
 * @param {Box} [bbox]
 */
function goTo({ engine }, position, name, detail = "", bbox) {
  const [x, y] = position;
  engine.fit(bbox ?? [x - TOWN, Math.max(-90, y - TOWN), x + TOWN, Math.min(90, y + TOWN)], viewPadding(), { nearest: NEAREST });
  const label = element("p", { class: "place" }, element("strong", { text: name }), detail && element("span", { text: detail }));
  engine.showPopup(position, label, () => engine.closePopup());
}
