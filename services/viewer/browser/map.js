// The map page: one collection, or all of them, on a map.

import { address, count, getJson, setBase } from "./service/api.js";
import { chips } from "./panel/chips.js";
import { quotedName } from "./filters/cql2.js";
import { collectionsOf, followLinks, remember, restore } from "./model/deep-link.js";
import { element, find } from "./page/dom.js";
import { eventList } from "./panel/event-list.js";
import { Explorer } from "./model/explorer.js";
import { describeShown, newest } from "./panel/facts.js";
import { fineBasemap } from "./engines/fine-basemap.js";
import { FilterForm } from "./panel/filter-form.js";
import { watch } from "./model/freshness.js";
import { layerList } from "./panel/layer-list.js";
import { followPanel, sheet } from "./page/layout.js";
import { legendKey, legendOf, unclassedOf } from "./panel/legend.js";
import { Measure } from "./panel/measure.js";
import { Selection } from "./panel/selection.js";
import { parseView, readState } from "./page/state.js";
import { announce, announceError, clearError, currentError } from "./page/status.js";
import { currentTheme, onTheme, themeButton } from "./page/theme.js";
import { tabs } from "./panel/tabs.js";
import { Timeline } from "./panel/timeline.js";

const page = JSON.parse(find("#page").textContent);
setBase(page.base);

async function start() {
  const state = readState();
  const explorer = new Explorer({
    collections: page.collections,
    tileMatrixSet: page.tileMatrixSet,
    styleParameters: (id) => (id === page.collection ? page.styleParameters : {}),
  });
  const wanted = collectionsOf(state, explorer, page.shown);
  const first = await explorer.style(page.collection ?? wanted[0] ?? page.collections[0].id);
  const engine = await loadEngine(first, state);
  explorer.attach(engine);
  window.map = engine.map;
  await engine.loaded();
  if (!parseView(state.map)) firstView(explorer, engine);

  const selection = new Selection(explorer);
  const filterForm = new FilterForm(find("#filter form"), explorer);
  wire(explorer, engine, selection);
  new Timeline(find("#timeline"), explorer);
  new Measure(find("#measure"), engine);
  const links = {
    usual: page.shown,
    search: searchFor,
    refuse: (id, text, message) => {
      announceError(`Filter of ${explorer.collections.get(id).label}: ${message}`);
      if (id === (explorer.subject ?? wanted[0])) filterForm.refuse(text, message);
    },
    select: (...chosen) => selection.choose(...chosen, { fly: !parseView(readState().map ?? state.map) }),
    deselect: () => selection.clear(),
  };
  remember(explorer, engine, page.shown);
  tabs(find(".tabs"), page.collection ? "events" : "layers", (id) => {
    document.body.dataset.tab = id;
    if (id === "filter") filterForm.open();
  });
  await restore(state, explorer, links);
  followLinks(explorer, engine, links);
  watch(explorer);
  // an operator's basemap is as fine as it is
  if (first.sources["basemap-land"]) fineBasemap(engine, page.edition);
}

/** MapLibre draws Web Mercator, where the browser has WebGL; OpenLayers all else. */
async function loadEngine(style, state) {
  const options = {
    container: find("#map"),
    style,
    theme: currentTheme(),
    view: parseView(state.map),
    globe: state.p === "globe",
    minZoom: page.styleParameters.minzoom,
    workerUrl: page.workerUrl,
    tileMatrixSet: page.tileMatrixSet,
  };
  if (page.tileMatrixSet === "WebMercatorQuad") {
    try {
      return await (await import("./engines/maplibre/engine.js")).createEngine(options);
    } catch {
      find("#plain").hidden = false;
    }
  }
  return (await import("./engines/openlayers/engine.js")).createEngine(options);
}

function wire(explorer, engine, selection) {
  engine.onLoading(() => {
    delete document.body.dataset.ready;
    announce("Loading…");
  });
  engine.onIdle(() => {
    announce("");
    document.body.dataset.ready = "1";
  });
  engine.onError((message) => announceError(message));
  engine.onClick((hits, position) => selection.pick(hits, position));
  onTheme((theme) => engine.setTheme(theme));
  explorer.addEventListener("fault", ({ detail }) => announceError(detail));

  explorer.addEventListener("query", () => {
    if (currentError()) clearError();
  });
  for (const event of ["shown", "data", "unclassed"]) explorer.addEventListener(event, () => showLegend(explorer));
  explorer.addEventListener("shown", () => findUnclassed(explorer));
  layerList(find("#layers"), explorer);
  chips(find("#chips"), explorer);
  subjectChoice(explorer);
  eventList(find("#events"), explorer, filtering(), (id, item, focus) => selection.choose(id, item, { focus }));
  describeShown(explorer);
  keyboard(engine, selection);
  const note = find("#substitute");
  const update = () => {
    note.hidden = !engine.substitute;
    note.textContent = engine.substitute ? `From afar drawn from ${engine.substitute}; zoom in for ${page.tileMatrixSet}` : "";
  };
  explorer.addEventListener("move", update);
  update();
}

/** Whether the service filters by CQL2, which the search by name needs. */
async function filtering() {
  const { conformsTo } = await getJson(address("/conformance", { f: "json" })).catch(() => ({ conformsTo: [] }));
  return conformsTo.some((uri) => uri.endsWith("/ogcapi-features-3/1.0/conf/features-filter"));
}

function showLegend(explorer) {
  // collections that look alike share a legend
  const alike = Map.groupBy(explorer.shown, ([, style]) => JSON.stringify(legendKey(style)));
  const parts = [...alike.values()].map((members) => {
    const collections = members.map(([id]) => explorer.collections.get(id));
    const names = collections.map(({ label }) => label).join(", ");
    const ends = collections.map(({ time }) => time?.end).filter(Boolean).sort();
    return element(
      "section",
      { "aria-label": `Legend of ${names}` },
      element(
        "h2",
        { class: explorer.shown.size > 1 ? null : "hidden" },
        names,
        ends.length > 0 && element("small", {}, newest(ends.at(-1))),
      ),
      ...legendOf(members[0][1], members.some(([id]) => explorer.unclassed.get(id)) ? unclassedOf(members[0][1]) : null),
    );
  });
  find("#legend").replaceChildren(...(parts.length ? parts : [element("p", { text: "No collection is shown." })]));
}

/** Asks once which of the collections have features without a class. */
async function findUnclassed(explorer) {
  for (const [id, style] of explorer.shown) {
    const unclassed = unclassedOf(style);
    const names = unclassed?.properties.filter((name) => explorer.collections.get(id).columns.some((column) => column.name === name));
    if (explorer.unclassed.has(id) || !names?.length) continue;
    explorer.unclassed.set(id, false);
    const filter = names.map((name) => `${quotedName(name)} IS NULL`).join(" AND ");
    explorer.unclassed.set(id, (await count(id, { filter }).catch(() => 0)) !== 0);
    if (explorer.unclassed.get(id)) explorer.emit("unclassed", id);
  }
}

/** The collection that the list and the timeline are about, where more than one is shown. */
function subjectChoice(explorer) {
  const select = find("#subject");
  select.addEventListener("change", () => explorer.setSubject(select.value));
  const update = () => {
    select.replaceChildren(
      ...[...explorer.shown.keys()].map((id) =>
        element("option", { value: id, text: explorer.collections.get(id).label, selected: id === explorer.subject }),
      ),
    );
    select.closest("label").hidden = explorer.shown.size < 2;
  };
  explorer.addEventListener("shown", update);
  explorer.addEventListener("subject", update);
}

function searchFor(text) {
  const input = find("#search input");
  if (input.value === text) return;
  input.value = text;
  input.dispatchEvent(new Event("input"));
}

function keyboard(engine, selection) {
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") selection.clear();
    if (event.target.closest?.("input, select, textarea, button") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" && event.target === document.body) engine.zoomBy(1);
    if (event.key === "-" && event.target === document.body) engine.zoomBy(-1);
  });
}

function firstView(explorer, engine) {
  const collection = explorer.collections.get(page.collection);
  const box = firstBox(collection, engine.home);
  engine.fit(box, mapPadding(), { animate: false });
  if (engine.globe) engine.fillWithGlobe({ animate: false });
}

/** What is seen first: where the projection is at home, the collection, or the inhabited world. */
function firstBox(collection, home) {
  const box = collection?.bbox;
  if (home) return home;
  if (!box || box[2] - box[0] > 240 || box[2] < box[0]) return [-170, -56, 190, 72];
  return box;
}

function mapPadding() {
  return sheet.matches ? { left: 8, right: 8, top: 72, bottom: 16 } : { left: 352, right: 16, top: 16, bottom: 96 };
}

themeButton(find("#theme"));
followPanel(find("#panel"));
// the address's hash is the map's
find(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  find("#panel").focus();
});
find("#fold").addEventListener("click", ({ currentTarget }) => {
  const folded = document.body.classList.toggle("folded");
  currentTarget.setAttribute("aria-expanded", String(!folded));
});
start().catch((error) => {
  document.body.dataset.ready = "1";
  announceError(error.message || String(error));
});
