// Draws styles with MapLibre, in Web Mercator or on a globe.

import { covered, sheet } from "../../page/layout.js";
import {
  collectionOf,
  dataLayers,
  drawingOrder,
  escapedAttribution,
  isBasemap,
  isLabel,
  sketchFeatures,
  themeChanges,
  themedLayer,
  tilesAddress,
} from "../../cartography/style-document.js";

const HIGHLIGHT = "dams-highlight";
const SKETCH = "dams-sketch";
const FINE = "basemap-fine";
const EMPTY = { type: "FeatureCollection", features: [] };
const GLOBE_MOST = 0.9; // of the map's height
const GLOBE_LEAST = 0.6; // of its shorter side
const POPUP_OFFSET = 10; // pixels
const POPUP_TIP = 10;
const POPUP_LEAST = 160;
const HIT_RADIUS = 5; // pixels around a click or a finger

/** Loads the library. Throws where it cannot run, as without WebGL. */
export async function createEngine(options) {
  const library = await import("maplibre-gl");
  library.setWorkerUrl(options.workerUrl);
  return new MapLibreEngine(library, options);
}

class MapLibreEngine {
  #library;
  #styles = new Map();
  #theme;
  #popup = null;
  #captor = null;

  constructor(library, { container, style, theme, view, globe, minZoom, maxZoom }) {
    this.#library = library;
    this.#theme = theme;
    const drawn = {
      ...style,
      sources: Object.fromEntries(Object.entries(this.#sources(style)).filter(([id]) => id !== collectionOf(style))),
      layers: style.layers.filter(isBasemap).map((layer) => themedLayer(layer, theme)),
      projection: { type: globe ? "globe" : "mercator" },
    };
    this.basemap = { ...style, layers: style.layers.filter(isBasemap) };
    this.map = new library.Map({
      container,
      style: drawn,
      center: view?.center ?? style.center,
      zoom: view?.zoom ?? style.zoom,
      minZoom: minZoom ?? 0,
      maxZoom: maxZoom ?? 18,
      attributionControl: false,
      // tiles expire after a second, so that a reload is fresh; asking again all the time would never let the map rest
      refreshExpiredTiles: false,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      fadeDuration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 300,
      locale: { "Map.Title": "Map; arrow keys move it, + and - zoom" },
    });
    this.map.touchZoomRotate.disableRotation();
    this.map.addControl(new library.NavigationControl({ showCompass: false }), "top-right");
    this.map.addControl(new library.GlobeControl(), "top-right");
    // after the control's own listener, which is older
    container.querySelector(".maplibregl-ctrl-globe").addEventListener("click", () => this.globe && this.fillWithGlobe());
    this.map.addControl(new library.AttributionControl({ compact: false }), "bottom-right");
    this.map.addControl(new library.ScaleControl({ maxWidth: 100 }), "bottom-right");
  }

  /** Resolves when layers can be added. */
  loaded() {
    return new Promise((resolve) => {
      const ready = () => {
        this.#addHighlight();
        this.#addSketch();
        resolve();
      };
      // "style.load" comes before the sources have arrived, so data need not wait for the basemap
      this.map.once("style.load", ready);
    });
  }

  /** Puts a collection on the map, below the labels, points above lines above areas. */
  add(style, parameters = {}) {
    const id = collectionOf(style);
    this.#styles.set(id, style);
    const source = this.#sources(style)[id];
    this.map.addSource(id, { ...source, tiles: source.tiles.map((tiles) => tilesAddress(tiles, parameters)) });
    for (const layer of dataLayers(style)) this.map.addLayer(themedLayer(layer, this.#theme), this.#beforeOf(layer));
  }

  remove(id) {
    const style = this.#styles.get(id);
    if (!style) return;
    for (const layer of dataLayers(style)) this.map.removeLayer(layer.id);
    this.map.removeSource(id);
    this.#styles.delete(id);
  }

  /** Asks for other tiles: `datetime`, `filter` and the like. */
  setParameters(id, parameters) {
    const template = this.#styles.get(id).sources[id].tiles[0];
    this.map.getSource(id).setTiles([tilesAddress(template, parameters)]);
  }

  /** Asks for a collection's tiles again; the old ones stay until the new ones are there. */
  renew(id) {
    this.map.refreshTiles(id);
  }

  /** Draws land, coast and borders from these features in place of the basemap's own; null brings those back. */
  setFine(collection) {
    const coarse = this.basemap.layers.filter(({ id }) => FINE_KINDS[id]);
    if (collection && !this.map.getSource(FINE)) this.#addFine(coarse, collection);
    else if (collection) this.map.getSource(FINE).setData(collection);
    for (const { id } of coarse) {
      this.map.setLayoutProperty(id, "visibility", collection ? "none" : "visible");
      if (this.map.getLayer(`${id}-fine`)) this.map.setLayoutProperty(`${id}-fine`, "visibility", collection ? "visible" : "none");
    }
  }

  #addFine(coarse, data) {
    const { attribution } = this.map.getStyle().sources[coarse[0].source];
    this.map.addSource(FINE, { type: "geojson", data, attribution, tolerance: 0.1 });
    for (const layer of coarse) {
      const fine = { ...layer, id: `${layer.id}-fine`, source: FINE, filter: ["==", ["get", "kind"], FINE_KINDS[layer.id]] };
      this.map.addLayer(themedLayer(fine, this.#theme), layer.id);
      this.basemap.layers.push(fine);
    }
  }

  /** Whether the map is a globe. */
  get globe() {
    return this.map.getProjection()?.type === "globe";
  }

  setGlobe(globe) {
    if (globe !== this.globe) this.map.setProjection({ type: globe ? "globe" : "mercator" });
  }

  /** Brings a small globe to the height of what is seen of the map; a near view stays. */
  fillWithGlobe({ animate = true } = {}) {
    const { left, right } = covered();
    const { clientWidth: width, clientHeight: height } = this.map.getContainer();
    const center = this.map.getCenter();
    // a globe is always in the middle, so the panel takes its room from both sides
    const beside = Math.max(width - 2 * Math.max(left, right), GLOBE_LEAST * Math.min(width, height));
    // apparent radius, then the sphere's, both in heights of the map, as seen from the camera's distance of 1.5
    const seen = Math.min(GLOBE_MOST * height, beside) / 2 / height;
    const radius = (3 * seen ** 2 + Math.sqrt(9 * seen ** 4 + 20.25 * seen ** 2)) / 4.5;
    const zoom = Math.log2((2 * radius * height * Math.PI * Math.cos((center.lat * Math.PI) / 180)) / 512);
    if (zoom > this.map.getZoom()) this.map.easeTo({ center, zoom, animate });
  }

  /** `listener()` when the map becomes a globe or flat. */
  onProjection(listener) {
    this.map.on("projectiontransition", listener);
  }

  setTheme(theme) {
    this.#theme = theme;
    for (const style of [this.basemap, ...this.#styles.values()]) {
      for (const [layer, name, value] of themeChanges(style, theme)) {
        if (this.map.getLayer(layer)) this.map.setPaintProperty(layer, name, value);
      }
    }
    const [ink, halo] = highlightColors(theme);
    this.map.setPaintProperty(`${HIGHLIGHT}:area`, "line-color", ink);
    this.map.setPaintProperty(`${HIGHLIGHT}:line-halo`, "line-color", halo);
    this.map.setPaintProperty(`${HIGHLIGHT}:line-edge`, "line-color", ink);
    this.map.setPaintProperty(`${HIGHLIGHT}:point`, "circle-stroke-color", ink);
    this.map.setPaintProperty(`${SKETCH}:halo`, "line-color", halo);
    for (const [name, property] of SKETCH_INK) this.map.setPaintProperty(`${SKETCH}:${name}`, property, ink);
  }

  /** `{zoom, center: [longitude, latitude]}`. */
  view() {
    const { lng, lat } = this.map.getCenter();
    return { zoom: this.map.getZoom(), center: [lng, lat] };
  }

  setView({ zoom, center }) {
    this.map.jumpTo({ zoom, center });
  }

  /** West, south, east, north in degrees; west > east across ±180°, the whole world where it is seen more than once. */
  bbox() {
    const bounds = this.map.getBounds();
    const west = bounds.getWest();
    const east = bounds.getEast();
    const south = Math.max(-90, bounds.getSouth());
    const north = Math.min(90, bounds.getNorth());
    if (east - west >= 360) return [-180, south, 180, north];
    const wrap = (value) => ((((value + 180) % 360) + 360) % 360) - 180;
    return [wrap(west), south, wrap(east), north];
  }

  /** Shows a box (west > east across ±180°) within the padding, in pixels. */
  fit([west, south, east, north], padding, { animate = true } = {}) {
    const right = east < west ? east + 360 : east;
    const box = [[west, Math.max(south, -80)], [right, Math.min(north, 84)]];
    this.map.fitBounds(box, { padding, maxZoom: 7, animate });
  }

  zoomBy(levels) {
    this.map.zoomTo(this.map.getZoom() + levels);
  }

  /** `listener()` after the view has changed. */
  onMove(listener) {
    this.map.on("moveend", listener);
  }

  onIdle(listener) {
    this.map.on("idle", listener);
  }

  onLoading(listener) {
    this.map.on("dataloading", listener);
  }

  /** `listener(sentence)` on each request or drawing fault. */
  onError(listener) {
    this.map.on("error", ({ error }) => {
      // the library's words are for programmers: address and status
      const failed = error?.status !== undefined || error instanceof TypeError;
      listener(failed ? "Some of the map could not be loaded." : (error?.message ?? String(error)));
    });
  }

  /** `listener(hits, position)`; hits are `{collection, id, properties, geometry}`, the topmost first. */
  onClick(listener) {
    this.map.on("click", (event) => {
      const position = [event.lngLat.lng, event.lngLat.lat];
      if (this.#captor) this.#captor(position);
      else listener(this.#hits(event.point), position);
    });
    this.map.on("mousemove", (event) => {
      if (this.#captor) return;
      this.map.getCanvas().style.cursor = this.#hits(event.point).length ? "pointer" : "";
    });
  }

  /** Clicks go to `captor(position)` and select nothing, until it is null. */
  capture(captor) {
    this.#captor = captor;
    this.map.getCanvas().style.cursor = captor ? "crosshair" : "";
    this.map.doubleClickZoom[captor ? "disable" : "enable"]();
  }

  /** Draws `{line, points, closed}` (positions) above everything; null removes it. */
  sketch(drawn) {
    this.map.getSource(SKETCH)?.setData(drawn ? sketchFeatures(drawn) : EMPTY);
  }

  /** A popup with this element at longitude, latitude; `onclose()` when a person closes it. */
  showPopup(position, content, onclose) {
    this.closePopup();
    const options = { maxWidth: "340px", offset: POPUP_OFFSET, padding: covered(), focusAfterOpen: false, closeOnClick: false };
    const popup = new this.#library.Popup(options).setLngLat(position).setDOMContent(content);
    // again after each move: the view may be on its way to the feature
    const moved = () => {
      if (sheet.matches) content.style.removeProperty("--room");
      else content.style.setProperty("--room", `${this.#room(position)}px`);
      popup.setPadding(covered());
    };
    moved();
    popup.addTo(this.map);
    this.map.on("moveend", moved);
    this.map.on("resize", moved);
    this.#popup = { popup, onclose };
    popup.on("close", () => {
      this.map.off("moveend", moved);
      this.map.off("resize", moved);
      if (this.#popup?.popup !== popup) return;
      this.#popup = null;
      onclose();
    });
  }

  /** Pixels that a popup at this position can be high: above or below it, whichever is more. */
  #room(position) {
    const { top, bottom } = covered();
    const { y } = this.map.project(position);
    const height = this.map.getContainer().clientHeight;
    const at = Math.max(0, Math.min(height, y));
    return Math.max(POPUP_LEAST, Math.floor(Math.max(at - top, height - at - bottom) - POPUP_OFFSET - POPUP_TIP));
  }

  closePopup() {
    const open = this.#popup;
    this.#popup = null;
    open?.popup.remove();
  }

  /** Marks a GeoJSON feature, a line keeping its colour; null removes the mark. */
  highlight(feature, color = null) {
    const mark = feature && { type: "Feature", geometry: feature.geometry, properties: { color } };
    this.map.getSource(HIGHLIGHT)?.setData(mark ?? EMPTY);
  }

  /** Number of features drawn of a collection. */
  drawn(id) {
    const layers = dataLayers(this.#styles.get(id)).map((layer) => layer.id);
    return this.map.queryRenderedFeatures({ layers }).length;
  }

  #hits(point) {
    const layers = [...this.#styles.values()].flatMap((style) => dataLayers(style).map((layer) => layer.id));
    const box = [[point.x - HIT_RADIUS, point.y - HIT_RADIUS], [point.x + HIT_RADIUS, point.y + HIT_RADIUS]];
    const present = layers.filter((layer) => this.map.getLayer(layer));
    const seen = new Set();
    const hits = [];
    for (const feature of this.map.queryRenderedFeatures(box, { layers: present })) {
      const key = `${feature.source}/${feature.id ?? JSON.stringify(feature.properties)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      hits.push({ collection: feature.source, id: feature.id, properties: feature.properties, geometry: feature.geometry });
    }
    // of points that overlap, the one whose middle is nearest
    const distance = ({ geometry }) => {
      if (geometry.type !== "Point") return HIT_RADIUS * 8;
      const middle = this.map.project(geometry.coordinates);
      return Math.hypot(middle.x - point.x, middle.y - point.y);
    };
    return hits.map((hit) => [distance(hit), hit]).sort(([a], [b]) => a - b).map(([, hit]) => hit);
  }

  #sources(style) {
    return Object.fromEntries(
      Object.entries(style.sources).map(([id, source]) => [
        id,
        source.attribution ? { ...source, attribution: escapedAttribution(source.attribution) } : source,
      ]),
    );
  }

  #beforeOf(layer) {
    const layers = this.map.getStyle().layers;
    const rank = drawingOrder(layer);
    const marks = layers.filter(({ id }) => id.startsWith(HIGHLIGHT) || id.startsWith(SKETCH));
    // points stay above a marked line, so that its nodes can be seen
    const above = layers.find((other) => {
      if (marks.includes(other)) return rank < drawingOrder(other) || other.type === "circle" || (other.type === "line" && rank < 2);
      return isLabel(other) || (!isBasemap(other) && drawingOrder(other) > rank);
    });
    return above?.id;
  }

  #addSketch() {
    const [ink, halo] = highlightColors(this.#theme);
    this.map.addSource(SKETCH, { type: "geojson", data: EMPTY });
    const rounded = { "line-join": "round", "line-cap": "round" };
    const of = (name, kind, geometry, more) => ({ id: `${SKETCH}:${name}`, type: kind, source: SKETCH, filter: ["==", ["geometry-type"], geometry], ...more });
    this.map.addLayer(of("area", "fill", "Polygon", { paint: { "fill-color": ink, "fill-opacity": 0.12 } }));
    this.map.addLayer(of("halo", "line", "LineString", { layout: rounded, paint: { "line-color": halo, "line-width": 5 } }));
    this.map.addLayer(of("line", "line", "LineString", { layout: rounded, paint: { "line-color": ink, "line-width": 2 } }));
    this.map.addLayer(of("point", "circle", "Point", {
      paint: { "circle-radius": 4, "circle-color": halo, "circle-stroke-color": ink, "circle-stroke-width": 2 },
    }));
  }

  #addHighlight() {
    const [ink, halo] = highlightColors(this.#theme);
    this.map.addSource(HIGHLIGHT, { type: "geojson", data: EMPTY });
    const line = (name, dimension, color, width) => ({
      id: `${HIGHLIGHT}:${name}`,
      type: "line",
      source: HIGHLIGHT,
      filter: ["==", ["geometry-type"], dimension],
      layout: { "line-join": "round", "line-cap": "round" },
      paint: { "line-color": color, "line-width": width },
    });
    this.map.addLayer(line("area", "Polygon", ink, 2.5));
    this.map.addLayer(line("line-halo", "LineString", halo, 13));
    this.map.addLayer(line("line-edge", "LineString", ink, 9));
    this.map.addLayer(line("line", "LineString", ["coalesce", ["get", "color"], ink], 5));
    this.map.addLayer({
      id: `${HIGHLIGHT}:point`,
      type: "circle",
      source: HIGHLIGHT,
      filter: ["==", ["geometry-type"], "Point"],
      paint: { "circle-radius": 13, "circle-opacity": 0, "circle-stroke-color": ink, "circle-stroke-width": 2.5 },
    });
  }
}

const FINE_KINDS = { "basemap-land": "land", "basemap-coast": "coast", "basemap-borders": "border" };
const SKETCH_INK = [["area", "fill-color"], ["line", "line-color"], ["point", "circle-stroke-color"]];

function highlightColors(theme) {
  return theme === "dark" ? ["#ffffff", "#10171e"] : ["#0b1620", "#ffffff"];
}
