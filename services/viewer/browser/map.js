// The map page: one collection, or all of them, on a map.

import { firstBox } from "./cartography/first-view.js";
import { withPlaceNames } from "./cartography/style-document.js";
import { frameAround, frameOf, tilesInView } from "./cartography/tiles-in-view.js";
import { createEngine } from "./engines/maplibre/engine-maplibre.js";
import { collectionsOf, FILTER, firstDrawn, restore } from "./model/deep-link.js";
import { requestEarly } from "./model/early-tiles.js";
import { eventLink } from "./model/event-link.js";
import { Explorer } from "./model/explorer.js";
import { watch } from "./model/freshness.js";
import { presentState } from "./model/present.js";
import { Story } from "./model/story.js";
import { find } from "./page/dom.js";
import { followCredits, followPanel, followTime, viewPadding } from "./page/layout.js";
import { parseView } from "./page/link.js";
import { readState } from "./page/state.js";
import { announce, announceError, clearError } from "./page/status.js";
import { currentTheme, onTheme, themeButton } from "./page/theme.js";
import { followAddress, rememberInAddress, sayFaults } from "./panel/address.js";
import { areaMap } from "./panel/area-map.js";
import { fitArea } from "./panel/area-view.js";
import { chips } from "./panel/chips.js";
import { EventList } from "./panel/event-list.js";
import { describeDrawn, describeShown } from "./panel/facts.js";
import { FilterForm } from "./panel/filter-form.js";
import { keyboard } from "./panel/keyboard.js";
import { layerList } from "./panel/layer-list.js";
import { legends } from "./panel/legends.js";
import { LifeAxis } from "./panel/life-axis.js";
import { otherPages, ownPlace, wholeScreen } from "./panel/map-tools.js";
import { Measure } from "./panel/measure.js";
import { placeSearch } from "./panel/place-search.js";
import { leavePresent, presentNote } from "./panel/present-note.js";
import { Selection } from "./panel/selection.js";
import { share } from "./panel/share.js";
import { stormMap } from "./panel/storm-map.js";
import { StormPanel } from "./panel/storm-panel.js";
import { subjectChoice } from "./panel/subject-choice.js";
import { tabs } from "./panel/tabs.js";
import { Timeline } from "./panel/timeline.js";
import { messageOf, setBase, setPast } from "./service/api.js";
import { LANGUAGE, PLACE_NAMES, say } from "./words/say.js";

/** @import { State } from "./page/link.js" */
/** @import { Box, Engine, PageData, Style } from "./types.d.ts" */

/** @type {PageData} */
const page = JSON.parse(find("#page").textContent);
setBase(page.base);

async function start() {
  const given = readState();
  const explorer = new Explorer({
    collections: page.collections,
    tileMatrixSet: page.tileMatrixSet,
    styleParameters: (id) => (id === page.collection ? page.styleParameters : {}),
  });
  setPast((id) => explorer.pastOf(id));
  const linked = page.events?.length && !given.e ? await eventLink(page.events, explorer.collections).catch(saidFault) : null;
  const state = { ...linked?.state, ...presentState(page.present, given), ...given };
  const wanted = collectionsOf(state, explorer, page.shown);
  const drawn = firstDrawn([page.collection, ...wanted], explorer);
  if (drawn === null) throw new Error(say("The map is empty: no collection has a geometry."));
  explorer.prepare(wanted);
  const first = await explorer.style(drawn);
  const early = earlyTiles(explorer, state, wanted);
  const engine = await loadEngine(first, state, early);
  explorer.attach(engine);
  Object.assign(window, { map: engine.map });
  await engine.loaded();
  followCredits(find("#map"));
  if (!parseView(state.map)) showFirstView(explorer, engine, linked?.box ?? null);

  followEngine(engine);
  // what the first view did not need may be outdated later
  engine.onIdle(() => early.clear());
  const story = new Story(explorer);
  const selection = new Selection(explorer, story);
  engine.onClick((hits, position) => {
    if (hits.length || !story.pick(position, engine.view().zoom)) selection.pick(hits, position);
  });
  keyboard(engine, selection);
  const filterForm = new FilterForm(find("#filter form", document, HTMLFormElement), explorer);
  const list = showPanel(explorer, selection);
  noteSubstitute(explorer, engine);
  new Measure(find("#measure"), engine);
  areaMap(explorer);
  share(find("#share"), explorer);
  ownPlace(find("#own-place"), engine);
  // a link without collections means the archive only while the map opens on it
  rememberInAddress(explorer, engine, page.present?.shown.length ? [] : page.shown, story);
  stormMap(explorer, story);
  new LifeAxis(find("#life"), explorer, story);
  const offer = tabs(find(".tabs"), page.collection ? "events" : "layers", (id) => {
    document.body.dataset.tab = id;
    if (id === "filter") filterForm.open();
  });
  new StormPanel(find("#storm"), explorer, story, (offered) => offer("storm", offered));
  const restoring = {
    usual: page.shown,
    search: searchFor,
    /** @type {import("./model/deep-link.js").Restoring["sort"]} */
    sort: (order) => list.sort(order),
    /** @type {import("./model/deep-link.js").Restoring["refuse"]} */
    refuse: (id, text, message) => {
      announceError(say("Filter of {collection}: {fault}", { collection: explorer.collection(id).label, fault: message }));
      if (id === (explorer.subject ?? wanted[0])) filterForm.refuse(text, message);
    },
    /** @type {import("./model/deep-link.js").Restoring["select"]} */
    select: async (collection, item) => void await selection.choose(collection, item, { fly: !parseView(readState().map ?? state.map), linked: true }),
    /** @type {import("./model/deep-link.js").Restoring["follow"]} */
    follow: (followed) => story.restore(followed),
    deselect: () => selection.clear(),
  };
  // those of the page need no check by the service
  for (const [id, text] of Object.entries(page.present?.filters ?? {})) if (state[FILTER + id] === text) explorer.setFilter(id, text);
  await restore(state, explorer, restoring);
  if (!parseView(state.map)) fitArea(explorer);
  sayFaults(given, explorer);
  followAddress(explorer, engine, restoring);
  showPresent(explorer, restoring);
  watch(explorer);
}

/**
 * Requests the first tiles while MapLibre is loading; returns their addresses.
 * @param {Explorer} explorer
 * @param {State} state
 * @param {string[]} wanted
 */
function earlyTiles(explorer, state, wanted) {
  if (page.engine !== "maplibre") return new Set();
  const { clientWidth: width, clientHeight: height } = find("#map");
  const view = parseView(state.map);
  const frame = view ? frameOf(view) : frameAround(firstView(explorer), viewPadding(), { width, height });
  // the font of the basemap's labels, after the tiles
  setTimeout(() => document.fonts.load('italic 1em "Inter Italic"').catch(() => {}));
  return requestEarly(explorer, state, wanted, (offer) => tilesInView(frame, { width, height }, offer));
}

/**
 * MapLibre draws Web Mercator, where the browser has WebGL; OpenLayers all else.
 * @param {Style} style
 * @param {State} state
 * @param {Set<string>} early
 * @returns {Promise<Engine>}
 */
async function loadEngine(style, state, early) {
  const options = {
    container: find("#map"),
    style: withPlaceNames(style, PLACE_NAMES, LANGUAGE),
    theme: currentTheme(),
    view: parseView(state.map),
    globe: state.p === "globe",
    minZoom: page.styleParameters.minzoom,
    tileMatrixSet: page.tileMatrixSet,
    farTileMatrixSet: page.farTileMatrixSet,
    early,
  };
  if (page.engine === "maplibre") {
    try {
      return await createEngine(options);
    } catch {
      find("#plain").hidden = false;
    }
  }
  return (await import("./engines/openlayers/engine-openlayers.js")).createEngine(options);
}

/** @param {Engine} engine */
function followEngine(engine) {
  engine.onLoading(() => {
    delete document.body.dataset.ready;
    announce(say("Loading…"));
  });
  engine.onIdle(() => {
    announce("");
    document.body.dataset.ready = "1";
  });
  engine.onError(announceError);
  onTheme((theme) => engine.setTheme(theme));
}

/**
 * @param {Explorer} explorer
 * @param {Selection} selection
 */
function showPanel(explorer, selection) {
  explorer.on("fault", announceError);
  explorer.addEventListener("query", clearError);
  legends(explorer);
  layerList(find("#layers"), explorer);
  chips(find("#chips"), explorer);
  subjectChoice(explorer);
  const list = new EventList(find("#events"), explorer, (id, item, focus) => selection.choose(id, item, { focus }));
  const go = find("#go");
  placeSearch(go, explorer, (id, item) => {
    // events that are found may be old
    if (page.present) leavePresent(explorer, page.present);
    return selection.choose(id, item);
  });
  go.hidden = false;
  describeShown(explorer);
  describeDrawn(explorer);
  new Timeline(find("#timeline"), explorer);
  return list;
}

/**
 * Says where another matrix set is drawn in place of the page's.
 * @param {Explorer} explorer
 * @param {Engine} engine
 */
function noteSubstitute(explorer, engine) {
  const note = find("#substitute");
  const update = () => {
    note.hidden = !engine.substitute;
    note.textContent = engine.substitute ? say("At this scale {other} is shown; zoom in for {own}", { other: engine.substitute, own: page.tileMatrixSet }) : "";
  };
  explorer.addEventListener("move", update);
  update();
}

/**
 * @param {Explorer} explorer
 * @param {import("./model/deep-link.js").Restoring} restoring
 */
function showPresent(explorer, restoring) {
  const { present, shown } = page;
  if (!present) return;
  /** @param {State} state */
  const go = (state) => restore({ ...state, ...(readState().theme && { theme: readState().theme }) }, explorer, restoring);
  presentNote(find("#present"), explorer, present, { archive: () => go({ c: shown.join() }), now: () => go(presentState(present, {})) });
}

/** @param {string} text */
function searchFor(text) {
  const input = find("#search input", document, HTMLInputElement);
  if (input.value === text) return;
  input.value = text;
  input.dispatchEvent(new Event("input"));
}

/** @param {unknown} error */
function saidFault(error) {
  announceError(messageOf(error));
  return null;
}

/**
 * @param {Explorer} explorer
 * @param {Engine} engine
 * @param {Box | null} box what a link is about
 */
function showFirstView(explorer, engine, box) {
  engine.fit(box ?? firstView(explorer, engine.home), viewPadding(), { animate: false });
  if (engine.globe && !box) engine.fillWithGlobe?.({ animate: false });
}

/**
 * @param {Explorer} explorer
 * @param {Box} [home] of the engine
 */
const firstView = (explorer, home) =>
  firstBox((page.collection === null ? page.shown : [page.collection]).flatMap((id) => explorer.collections.get(id) ?? []), home);

themeButton(find("#theme"));
followPanel(find("#panel"));
followTime([find("#timeline"), find("#life")]);
// the address's hash is the map's
find(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  find("#panel").focus();
});
const fold = find("#fold");
fold.addEventListener("click", () => {
  const folded = document.body.classList.toggle("folded");
  fold.setAttribute("aria-expanded", String(!folded));
});
wholeScreen(find("#whole-screen"));
otherPages(find("#projections"));
otherPages(find("#languages"));
// within another page there is little room beside the map
if (self !== top) fold.click();
start().catch((error) => {
  document.body.dataset.ready = "1";
  announceError(messageOf(error));
});
