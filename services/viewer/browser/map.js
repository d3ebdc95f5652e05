// The map page: one collection, or all of them, on a map.

import { address, collectionPath, count, getJson, setBase } from "./api.js";
import { debounced, element, find } from "./dom.js";
import { eventList } from "./event-list.js";
import { Explorer } from "./explorer.js";
import { formatDay, formatNumber } from "./format.js";
import { layerList } from "./layer-list.js";
import { legendKey, legendOf } from "./legend.js";
import { bboxOf, Selection, selectedInState } from "./selection.js";
import { formatView, onState, parseView, readState, writeState } from "./state.js";
import { announce, announceError, clearError, currentError } from "./status.js";
import { currentTheme, onTheme, setTheme, themeButton } from "./theme.js";
import { tabs } from "./tabs.js";
import { Timeline } from "./timeline.js";

const page = JSON.parse(find("#page").textContent);
setBase(page.base);

async function start() {
  const state = readState();
  const explorer = new Explorer({
    collections: page.collections,
    tileMatrixSet: page.tileMatrixSet,
    styleParameters: (id) => (id === page.collection ? page.styleParameters : {}),
  });
  const wanted = state.c ? state.c.split(",").filter((id) => explorer.collections.has(id)) : page.shown;
  const first = await explorer.style(page.collection ?? wanted[0] ?? page.collections[0].id);
  const engine = await loadEngine(first, state);
  explorer.attach(engine);
  window.map = engine.map;
  await engine.loaded();
  if (!parseView(state.map)) await firstView(explorer, engine);

  const selection = new Selection(explorer);
  wire(explorer, engine, selection);
  for (const id of wanted) {
    await explorer.show(id).catch((error) => announceError(`${explorer.collections.get(id).label}: ${error.message}`));
  }
  const timeline = new Timeline(find("#timeline"), explorer);
  if (state.t) timeline.restore(state.t);
  else explorer.emit("subject");
  const chosen = selectedInState();
  if (chosen && explorer.collections.has(chosen[0])) await selection.choose(...chosen, { fly: !parseView(state.map) });
}

/** MapLibre draws Web Mercator, where the browser has WebGL; OpenLayers all else. */
async function loadEngine(style, state) {
  const options = {
    container: find("#map"),
    style,
    theme: currentTheme(),
    view: parseView(state.map),
    minZoom: page.styleParameters.minzoom,
    workerUrl: page.workerUrl,
    tileMatrixSet: page.tileMatrixSet,
  };
  if (page.tileMatrixSet === "WebMercatorQuad") {
    try {
      return await (await import("./engine-maplibre.js")).createEngine(options);
    } catch {
      find("#plain").hidden = false;
    }
  }
  return (await import("./engine-openlayers.js")).createEngine(options);
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
  engine.onError((message) => announceError(`Some data could not be loaded. ${message}`.trim()));
  engine.onClick((hits, position) => selection.pick(hits, position));
  onTheme((theme) => engine.setTheme(theme));
  explorer.addEventListener("fault", ({ detail }) => announceError(detail));

  const remember = debounced(() => writeState({ map: formatView(engine.view()) }), 250);
  explorer.addEventListener("move", remember);
  explorer.addEventListener("query", () => {
    if (currentError()) clearError();
    writeState({ t: explorer.datetime });
  });
  explorer.addEventListener("shown", () => {
    const ids = [...explorer.shown.keys()];
    writeState({ c: ids.join() === page.shown.join() ? null : ids.join() });
    showLegend(explorer);
  });
  onState((state) => {
    const view = parseView(state.map);
    if (view) engine.setView(view);
    if (state.theme) setTheme(state.theme);
  });

  layerList(find("#layers"), explorer);
  eventChip(find("#only"), explorer);
  subjectChoice(explorer);
  filtering().then((possible) => (find("#search").hidden = !possible));
  const refresh = eventList(find("#events"), explorer, (id, item, focus) => selection.choose(id, item, { focus }));
  explorer.addEventListener("subject", refresh);
  explorer.addEventListener("subject", () => describeSubject(explorer));
  if (page.collection) describeSubject(explorer);
  keyboard(engine, selection);
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
    const names = members.map(([id]) => explorer.collections.get(id).label).join(", ");
    return element(
      "section",
      { "aria-label": `Legend of ${names}` },
      element("h2", { text: names, class: explorer.shown.size > 1 ? null : "hidden" }),
      ...legendOf(members[0][1]),
    );
  });
  find("#legend").replaceChildren(...(parts.length ? parts : [element("p", { text: "No collection is shown." })]));
}

/** Says that only one event is shown, and offers to show all again. */
function eventChip(container, explorer) {
  const update = () => {
    const [first] = explorer.events.values();
    container.hidden = first === undefined;
    container.replaceChildren();
    if (first === undefined) return;
    const all = element("button", {
      type: "button",
      text: "Show all",
      onclick: () => {
        for (const id of [...explorer.events.keys()]) explorer.setEvent(id, null);
      },
    });
    container.append(element("span", { text: `Only event ${first}` }), all);
  };
  explorer.addEventListener("query", update);
  explorer.addEventListener("shown", update);
  update();
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

async function describeSubject(explorer) {
  const collection = explorer.collections.get(explorer.subject);
  if (!collection) return;
  const facts = [];
  try {
    const total = await count(collection.id);
    if (total === 0) announce("This collection has no features yet.");
    if (total !== null) facts.push(`${formatNumber(total)} ${total === 1 ? "feature" : "features"}`);
  } catch (error) {
    announceError(error.message);
  }
  if (collection.time?.end) facts.push(`as of ${formatDay(collection.time.end)}`);
  if (explorer.subject !== collection.id) return;
  find("#facts").textContent = facts.join(" · ");
  const simulated = collection.columns.some((column) => column.name === "source")
    ? await count(collection.id, { source: "simulated" }).catch(() => 0)
    : 0;
  if (explorer.subject !== collection.id) return;
  const note = find("#simulated");
  note.hidden = !simulated;
  note.textContent = simulated ? `${formatNumber(simulated)} simulated, not observed` : "";
}

function keyboard(engine, selection) {
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") selection.clear();
    if (event.target.closest?.("input, select, textarea, button") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" && event.target === document.body) engine.zoomBy(1);
    if (event.key === "-" && event.target === document.body) engine.zoomBy(-1);
  });
}

async function firstView(explorer, engine) {
  const collection = explorer.collections.get(page.collection);
  const box = firstBox(collection, engine.home);
  engine.fit(box, mapPadding(), { animate: false });
  const [west, , east] = engine.bbox();
  if (!collection || east < west || east - west > (box[2] - box[0]) / 3) return;
  // a matrix set that cannot be seen from afar: begin where there is something to see
  const order = collection.time ? { sortby: `-${collection.time.column}` } : {};
  const items = address(`${collectionPath(collection.id)}/items`, { limit: 1, ...order, f: "geojson" });
  const [feature] = (await getJson(items).catch(() => ({ features: [] }))).features;
  if (feature?.geometry) engine.fit(bboxOf(feature.geometry), mapPadding(), { animate: false });
}

/** What is seen first: where the projection is at home, the collection, or the inhabited world. */
function firstBox(collection, home) {
  const box = collection?.bbox;
  if (home) return home;
  if (!box || box[2] - box[0] > 240 || box[2] < box[0]) return [-170, -56, 190, 72];
  return box;
}

function mapPadding() {
  const wide = innerWidth > 820;
  return wide ? { left: 352, right: 16, top: 16, bottom: 96 } : { left: 24, right: 24, top: 40, bottom: innerHeight * 0.42 };
}

themeButton(find("#theme"));
tabs(find(".tabs"), page.collection ? "events" : "layers");
find("#fold").addEventListener("click", ({ currentTarget }) => {
  const folded = document.body.classList.toggle("folded");
  currentTarget.setAttribute("aria-expanded", String(!folded));
});
start().catch((error) => {
  document.body.dataset.ready = "1";
  announceError(error.message || String(error));
});
