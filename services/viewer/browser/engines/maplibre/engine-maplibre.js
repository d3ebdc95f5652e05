// Draws styles with MapLibre, in Web Mercator or on a globe.

import { globeZoom } from "../../cartography/globe.js";
import { collectionOf, dataLayers, isBasemap, themeChanges, themedLayer, tilesAddress, withVersion } from "../../cartography/style-document.js";
import { wrappedBox } from "../../cartography/view-box.js";
import { covered, reducedMotion } from "../../page/layout.js";
import { say } from "../../words/say.js";
import { flattened } from "../flattened.js";
import { addControls, MAP_WORDS } from "./controls.js";
import { openPopup } from "./feature-popup.js";
import { firstAsked, isTileOf } from "./first-asked.js";
import { fitView } from "./fit-view.js";
import { hitsAt } from "./hits.js";
import { Omissions } from "./omissions.js";
import { basemapStyle, liesBelow, togetherSource, withTextAttribution } from "./sources.js";
import { addOverlays, drawHighlight, drawOutline, drawSketch, setOverlayTheme } from "./overlays.js";
import { addStorm, drawStorm, setStormTheme, veil } from "./storm-layers.js";

/** @import * as MapLibre from "maplibre-gl" */
/** @import { Box, Engine, EngineOptions, FeatureCollection, FitOptions, Hit, Item, Layer, Padding, Parameters, Position, Sketch, Style, Theme, View } from "../../types.d.ts" */

const TOGETHER = "collections";

/**
 * Loads the library. Throws where it cannot run, as without WebGL.
 * @param {EngineOptions} options
 * @returns {Promise<Engine>}
 */
export async function createEngine(options) {
  return new MapLibreEngine(await import("./library.js"), options);
}

/** @implements {Engine} */
class MapLibreEngine {
  #library;
  /**
   * Styles of the collections on the map, by id.
   * @type {Map<string, Style>}
   */
  #styles = new Map();
  /**
   * Those that are drawn from the same tiles.
   * @type {Set<string>}
   */
  #together = new Set();
  /** @type {Theme} */
  #theme;
  /** @type {MapLibre.Popup | null} */
  #popup = null;
  /** @type {((position: Position) => void) | null} */
  #captor = null;
  /** @type {((position: Position) => void) | undefined} */
  #follower;
  #omissions = new Omissions();
  /** @type {{ layers: Layer[] }} */
  #basemap;

  /**
   * @param {typeof import("./library.js")} library
   * @param {EngineOptions} options
   */
  constructor(library, { container, style, theme, view, globe, minZoom, maxZoom, early }) {
    this.#library = library;
    this.#theme = theme;
    this.#basemap = { layers: style.layers.filter(isBasemap) };
    this.map = new library.Map({
      container,
      style: basemapStyle(style, theme, globe),
      center: view?.center ?? style.center,
      zoom: view?.zoom ?? style.zoom,
      minZoom: minZoom ?? 0,
      maxZoom: maxZoom ?? 18,
      attributionControl: false,
      // tiles expire after a second, so that a reload is fresh; asking again all the time would never let the map rest
      refreshExpiredTiles: false,
      // what was requested a moment ago is taken as it comes, once
      transformRequest: (url) => (early?.delete(url) ? { url, cache: "force-cache" } : { url }),
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      fadeDuration: reducedMotion.matches ? 0 : 300,
      locale: MAP_WORDS,
    });
    const asked = firstAsked((url) => isTileOf(this.map, [...this.#styles.keys(), TOGETHER], url));
    this.asked = () => asked;
    this.map.touchZoomRotate.disableRotation();
    addControls(library, this.map);
    // after the control's own listener, which is older
    container.querySelector(".maplibregl-ctrl-globe")?.addEventListener("click", () => this.globe && this.fillWithGlobe());
  }

  /** @returns {Promise<void>} */
  loaded() {
    return new Promise((resolve) => {
      // "style.load" comes before the sources have arrived, so data need not wait for the basemap
      this.map.once("style.load", () => {
        addOverlays(this.map, this.#theme);
        resolve();
      });
    });
  }

  /**
   * Puts a collection on the map, below the labels, points above lines above areas.
   * @param {Style} style
   * @param {Parameters} [parameters]
   */
  add(style, parameters = {}) {
    const id = collectionOf(style);
    this.#styles.set(id, style);
    const source = withTextAttribution(style.sources[id]);
    const tiles = source.tiles?.map((template) => tilesAddress(template, parameters));
    this.map.addSource(id, /** @type {MapLibre.SourceSpecification} */ ({ ...source, tiles }));
    this.#addLayers(style, id);
  }

  /**
   * Puts collections on the map that are drawn from the same tiles.
   * @param {Style[]} styles
   * @param {string} template
   */
  addTogether(styles, template) {
    const sources = styles.map((style) => withTextAttribution(style.sources[collectionOf(style)]));
    this.map.addSource(TOGETHER, togetherSource(sources, template));
    for (const style of styles) {
      this.#styles.set(collectionOf(style), style);
      this.#together.add(collectionOf(style));
      this.#addLayers(style, TOGETHER);
    }
  }

  /**
   * @param {string} template
   * @param {{ keep?: boolean }} [options]
   */
  setTogether(template, { keep = false } = {}) {
    /** @type {MapLibre.VectorTileSource | undefined} */
    const source = this.map.getSource(TOGETHER);
    if (source && keep) this.#swap(TOGETHER, source, [template]);
    else source?.setTiles([template]);
  }

  /** @param {() => void} listener */
  onTogetherFault(listener) {
    this.map.on("error", (event) => "sourceId" in event && event.sourceId === TOGETHER && listener());
  }

  /**
   * @param {Style} style
   * @param {string} source
   */
  #addLayers(style, source) {
    for (const layer of dataLayers(style)) this.#addLayer({ ...layer, source }, this.#beforeOf(layer));
  }

  /** @param {string} id */
  remove(id) {
    const style = this.#styles.get(id);
    if (!style) return;
    for (const layer of dataLayers(style)) this.map.removeLayer(layer.id);
    this.#styles.delete(id);
    if (!this.#together.delete(id)) this.map.removeSource(id);
    else if (!this.#together.size) this.map.removeSource(TOGETHER);
  }

  /**
   * @param {string} id
   * @param {Parameters} parameters
   */
  setParameters(id, parameters) {
    const templates = this.#styles.get(id)?.sources[id].tiles ?? [];
    /** @type {MapLibre.VectorTileSource | undefined} */
    const source = this.map.getSource(id);
    source?.setTiles(templates.map((template) => tilesAddress(template, parameters)));
  }

  /**
   * @param {string} id
   * @param {string} [version]
   */
  renew(id, version) {
    /** @type {MapLibre.VectorTileSource | undefined} */
    const source = this.map.getSource(id);
    if (source) this.#swap(id, source, source.tiles.map((template) => withVersion(template, version)));
  }

  /**
   * Not setTiles, which empties the map until the new tiles are there.
   * @param {string} id
   * @param {MapLibre.VectorTileSource} source
   * @param {string[]} tiles
   */
  #swap(id, source, tiles) {
    source.tiles = tiles;
    this.map.refreshTiles(id);
  }

  /**
   * @param {Layer} layer
   * @param {string} [before]
   */
  #addLayer(layer, before) {
    this.map.addLayer(/** @type {MapLibre.AddLayerObject} */ (themedLayer(layer, this.#theme)), before);
  }

  /** Whether the map is a globe. */
  get globe() {
    return this.map.getProjection()?.type === "globe";
  }

  /** @param {boolean} globe */
  setGlobe(globe) {
    if (globe !== this.globe) this.map.setProjection({ type: globe ? "globe" : "mercator" });
  }

  /** Enlarges a small globe to the height of the visible map; a closer view is not changed. */
  fillWithGlobe({ animate = true } = {}) {
    const { left, right } = covered();
    const { clientWidth: width, clientHeight: height } = this.map.getContainer();
    const center = this.map.getCenter();
    const zoom = globeZoom({ width, height, beside: Math.max(left, right), latitude: center.lat });
    if (zoom > this.map.getZoom()) this.map.easeTo({ center, zoom, animate });
  }

  /** @param {() => void} listener */
  onProjection(listener) {
    this.map.on("projectiontransition", listener);
  }

  /** @param {Theme} theme */
  setTheme(theme) {
    this.#theme = theme;
    for (const style of [this.#basemap, ...this.#styles.values()]) {
      for (const [layer, name, value] of themeChanges(style, theme)) {
        if (this.map.getLayer(layer)) this.map.setPaintProperty(layer, /** @type {any} */ (name), value);
      }
    }
    setOverlayTheme(this.map, theme);
    setStormTheme(this.map, theme);
  }

  /** @returns {View} */
  view() {
    const { lng, lat } = this.map.getCenter();
    return { zoom: this.map.getZoom(), center: [lng, lat] };
  }

  /** @param {View} view */
  setView({ zoom, center }) {
    this.map.jumpTo({ zoom, center });
  }

  /**
   * The whole world where it is seen more than once.
   * @returns {Box}
   */
  bbox() {
    const bounds = this.map.getBounds();
    return wrappedBox([bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()]);
  }

  /**
   * @param {Box} box
   * @param {Padding} padding
   * @param {FitOptions} [options]
   */
  fit(box, padding, options) {
    fitView(this.map, box, padding, options);
  }

  /** @param {number} levels */
  zoomBy(levels) {
    this.map.zoomTo(this.map.getZoom() + levels);
  }

  omitted() {
    const own = [...this.#styles.keys()].filter((id) => !this.#together.has(id)).map((id) => ({ ids: [id], source: id }));
    return this.#omissions.inView(this.map, [...own, { ids: [...this.#together], source: TOGETHER }]);
  }

  within = () => ({ bbox: this.bbox() });

  /** @param {() => void} listener */
  onMove(listener) {
    this.map.on("moveend", listener);
  }

  /** @param {() => void} listener */
  onIdle(listener) {
    this.map.on("idle", listener);
  }

  /** @param {() => void} listener */
  onLoading(listener) {
    this.map.on("dataloading", listener);
  }

  /** @param {(sentence: string) => void} listener */
  onError(listener) {
    this.map.on("error", ({ error }) => {
      // the library's words are for programmers: address and status
      const failed = "status" in error || error instanceof TypeError;
      listener(failed ? say("Some of the map could not be loaded.") : error.message);
    });
  }

  /** @param {(hits: Hit[], position: Position) => void} listener */
  onClick(listener) {
    this.map.on("click", ({ lngLat, point }) => {
      /** @type {Position} */
      const position = [lngLat.lng, lngLat.lat];
      if (this.#captor) this.#captor(position);
      else listener(this.#hits(point), position);
    });
    this.map.on("mousemove", ({ lngLat, point }) => {
      if (this.#captor) this.#follower?.([lngLat.lng, lngLat.lat]);
      else this.map.getCanvas().style.cursor = this.#hits(point).length ? "pointer" : "";
    });
  }

  /**
   * @param {((position: Position) => void) | null} captor
   * @param {(position: Position) => void} [follower]
   */
  capture(captor, follower) {
    this.#captor = captor;
    this.#follower = follower;
    this.map.getCanvas().style.cursor = captor ? "crosshair" : "";
    this.map.doubleClickZoom[captor ? "disable" : "enable"]();
  }

  /** @returns {Promise<HTMLCanvasElement>} */
  picture() {
    return new Promise((resolve) => {
      // the drawing buffer is valid only until the browser has shown it
      this.map.once("render", () => resolve(flattened(this.map.getContainer())));
      this.map.triggerRepaint();
    });
  }

  sketch = (/** @type {Sketch | null} */ sketch) => drawSketch(this.map, sketch);

  outline = (/** @type {Sketch | null} */ outline) => drawOutline(this.map, outline);

  /**
   * @param {FeatureCollection | null} drawing
   * @param {boolean} veiled
   */
  drawStorm(drawing, veiled) {
    if (drawing) addStorm(this.map, this.#theme);
    drawStorm(this.map, drawing);
    veil(this.map, veiled);
  }

  /**
   * @param {Position} position
   * @param {HTMLElement} content
   * @param {() => void} onclose
   */
  showPopup(position, content, onclose) {
    this.closePopup();
    const popup = openPopup(this.#library, this.map, position, content, () => {
      // closed by a person, not by closePopup
      if (this.#popup !== popup) return;
      this.#popup = null;
      onclose();
    });
    this.#popup = popup;
  }

  closePopup() {
    const open = this.#popup;
    this.#popup = null;
    open?.remove();
  }

  /**
   * @param {Item | null} feature
   * @param {string | null} [color]
   */
  highlight(feature, color = null) {
    drawHighlight(this.map, feature, color);
  }

  /** @param {MapLibre.Point} point */
  #hits(point) {
    const layers = [...this.#styles.values()].flatMap((style) => dataLayers(style).map((layer) => layer.id));
    return hitsAt(this.map, point, layers);
  }

  /**
   * The layer that a new one is put below.
   * @param {Layer} layer
   */
  #beforeOf(layer) {
    return this.map.getStyle().layers.find((other) => liesBelow(layer, other))?.id;
  }
}
