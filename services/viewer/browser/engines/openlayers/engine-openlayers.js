// Draws the same styles with OpenLayers: in any tile matrix set's own projection, and without WebGL.

import { MatrixGrid } from "../../cartography/matrix-grid.js";
import { systemOf } from "../../cartography/projections.js";
import { collectionOf, escapedAttribution, sketchFeatures } from "../../cartography/style-document.js";
import { sheet } from "../../page/layout.js";
import { address, getJson } from "../../service/api.js";
import { say } from "../../words/say.js";
import { flattened } from "../flattened.js";
import { basemapLayers } from "./basemap.js";
import { hitsAt } from "./hits.js";
import { matrixLayer } from "./layer.js";
import { highlightStyle, sketchStyle } from "./overlays.js";
import { openPopup } from "./popup.js";
import { ProjectedView } from "./projected-view.js";
import { StormLayers } from "./storm-layers.js";

/**
 * @import { default as VectorLayer } from "ol/layer/Vector.js"
 * @import { default as Projection } from "ol/proj/Projection.js"
 * @import { MatrixLayer } from "./layer.js"
 * @import * as OpenLayers from "./openlayers.js"
 * @import { Box, Engine, EngineOptions, FeatureCollection, FitOptions, Hit, Item, Padding, Parameters, Position, Sketch, Source, Style, Theme, TileMatrixSet, View } from "../../types.d.ts"
 * @typedef {typeof OpenLayers} Library
 */

const FAR_LEVELS = 8; // enough until the map's own tiles are few
const SHADED = 0.3; // opacity of what steps back
const OVERLAY = 1000; // z-index of the overlays
/** @type {Record<string, number>} */
const ORDER = { Polygon: 100, LineString: 200, Point: 300 };

/**
 * Loads the library and the matrix set.
 * @param {EngineOptions} options
 * @returns {Promise<Engine>}
 */
export async function createEngine(options) {
  /** @type {[Library, TileMatrixSet]} */
  const [library, tileMatrixSet] = await Promise.all([
    import("./openlayers.js"),
    getJson(address(`/tileMatrixSets/${options.tileMatrixSet}`, { f: "json" })),
  ]);
  const grid = new MatrixGrid(tileMatrixSet);
  const blind = grid.viewResolution() > grid.maxResolution() && /^(CRS:84|EPSG:4326)$/.test(systemOf(tileMatrixSet).code);
  const far = blind ? await getJson(address(`/tileMatrixSets/${options.farTileMatrixSet}`, { f: "json" })) : null;
  return new OpenLayersEngine(library, tileMatrixSet, far, options);
}

/** @implements {Engine} */
class OpenLayersEngine {
  #library;
  #container;
  /** @type {Projection} */
  #projection;
  #system;
  #tileMatrixSet;
  #far; // the matrix set to draw from if this one would need too many tiles, or null
  #grid;
  #view;
  /** @type {Theme} */
  #theme;
  #basemap;
  /** @type {Map<string, MatrixLayer[]>} */
  #layers = new Map();
  /**
   * The overlays.
   * @type {Record<"outline" | "highlight" | "sketch", VectorLayer>}
   */
  #over;
  #storm;
  /** The factor on the opacity of the collections. */
  #shade = 1;
  /** @type {((position: Position) => void) | null} */
  #captor = null;
  /** @type {((position: Position) => void) | undefined} */
  #follower;
  /** @type {OpenLayers.Overlay | null} */
  #popup = null;
  /** @type {Set<() => void>} */
  #loading = new Set();
  /** @type {Set<(sentence: string) => void>} */
  #errors = new Set();

  /**
   * @param {Library} library
   * @param {TileMatrixSet} tileMatrixSet
   * @param {TileMatrixSet | null} far
   * @param {EngineOptions} options
   */
  constructor(library, tileMatrixSet, far, { container, style, theme, view }) {
    this.#library = library;
    this.#container = container;
    this.#tileMatrixSet = tileMatrixSet;
    this.#far = far;
    this.#system = systemOf(tileMatrixSet);
    this.#theme = theme;
    if (this.#system.proj4) library.proj4.defs(this.#system.code, this.#system.proj4);
    library.register(library.proj4);
    const projection = library.getProjection(this.#system.code);
    if (!projection) throw new Error(`OpenLayers does not know ${this.#system.code}`);
    this.#projection = projection;
    this.#grid = new MatrixGrid(tileMatrixSet);
    if (!projection.getExtent()) projection.setExtent(this.#grid.extent());
    this.#view = new ProjectedView(library, this.#system, projection, this.#grid);
    this.#basemap = basemapLayers(library, style, this.#projection, this.#system.area, {
      zooms: () => this.#view.zooms(),
      seen: () => ({ zoom: this.#view.get().zoom, box: this.#view.bbox() }),
      failed: () => this.#fail(),
    });
    const over = (/** @type {number} */ at) => new library.VectorLayer({ source: new library.VectorSource(), zIndex: OVERLAY + at });
    this.#over = { outline: over(0), highlight: over(1), sketch: over(2) };
    this.#storm = new StormLayers(library, projection);
    container.replaceChildren();
    container.tabIndex = 0;
    container.setAttribute("role", "application");
    container.setAttribute("aria-label", say("Map; arrow keys move it, + and - zoom"));
    this.map = new library.Map({
      target: container,
      layers: [...this.#basemap.layers, ...this.#storm.layers, ...Object.values(this.#over)],
      controls: [
        new library.Zoom({ zoomInTipLabel: say("Zoom in"), zoomOutTipLabel: say("Zoom out") }),
        new library.ScaleLine({ maxWidth: 110 }),
        new library.Attribution({ collapsible: sheet.matches, collapsed: sheet.matches, label: "i", collapseLabel: "×", tipLabel: say("Sources of the map") }),
      ],
      // those that the library takes by itself neither pan nor zoom a map that can have the focus and does not
      interactions: library.defaultInteractions(),
      view: this.#view.view,
    });
    this.map.on("moveend", () => this.#basemap.update());
    this.setTheme(theme);
    if (view) this.setView(view);
  }

  /** The first view of the map if a link does not set one. */
  get home() {
    return this.#system.home;
  }

  async loaded() {
    // labels are drawn in it; without it another one serves
    await document.fonts.load("12px Inter").catch(() => []);
  }

  /**
   * @param {Style} style
   * @param {Parameters} [parameters]
   */
  add(style, parameters = {}) {
    const id = collectionOf(style);
    const kind = (style.metadata["dams:geometryType"] ?? "").replace("Multi", "");
    const source = style.sources[id];
    const own = this.#layer(style, source, this.#tileMatrixSet, parameters);
    const made = [own];
    if (this.#far) {
      const { id: far } = this.#far;
      const tiles = source.tiles?.map((template) => template.replace(`/tiles/${this.#tileMatrixSet.id}/`, `/tiles/${far}/`));
      const afar = /** @type {Source} */ ({ ...source, tiles, minzoom: 0, maxzoom: FAR_LEVELS });
      made.push(this.#layer(style, afar, this.#far, parameters));
      made[1].layer.setMinResolution(own.layer.getMaxResolution());
    }
    for (const { layer } of made) {
      layer.setZIndex(ORDER[kind] ?? ORDER.Polygon);
      layer.setOpacity(this.#shade);
    }
    this.#layers.set(id, made);
    for (const { layer } of made) this.map.addLayer(layer);
  }

  /**
   * @param {Style} style
   * @param {Source} source
   * @param {TileMatrixSet} tileMatrixSet
   * @param {Parameters} parameters
   */
  #layer(style, source, tileMatrixSet, parameters) {
    const { minzoom, maxzoom } = /** @type {{ minzoom?: number, maxzoom?: number }} */ (source);
    const made = matrixLayer(this.#library, {
      style: { ...style, sources: { ...style.sources, [collectionOf(style)]: source } },
      parameters,
      grid: new MatrixGrid(tileMatrixSet, { minzoom, maxzoom }),
      projection: this.#projection,
      attribution: source.attribution && escapedAttribution(source.attribution),
      zooms: () => this.#view.zooms(),
    });
    made.setTheme(this.#theme);
    made.source.on("tileloadstart", () => this.#loading.forEach((listener) => listener()));
    made.source.on("tileloaderror", () => this.#fail());
    return made;
  }

  /** The tile matrix set that is drawn here in place of the map's own, which has too many tiles for this view; or null. */
  get substitute() {
    return this.#far && this.#view.resolution() >= this.#grid.maxResolution() ? this.#far.id : null;
  }

  /** @param {string} id */
  remove(id) {
    for (const { layer } of this.#layers.get(id) ?? []) this.map.removeLayer(layer);
    this.#layers.delete(id);
  }

  /**
   * @param {string} id
   * @param {Parameters} parameters
   */
  setParameters(id, parameters) {
    for (const made of this.#layers.get(id) ?? []) made.setParameters(parameters);
  }

  /**
   * @param {string} id
   * @param {string} [version]
   */
  renew(id, version) {
    for (const made of this.#layers.get(id) ?? []) made.renew(version);
  }

  /** @param {Theme} theme */
  setTheme(theme) {
    this.#theme = theme;
    this.#over.highlight.setStyle(highlightStyle(this.#library, theme));
    this.#over.sketch.setStyle(sketchStyle(this.#library, theme, 0.12));
    this.#over.outline.setStyle(sketchStyle(this.#library, theme, 0.05));
    this.#storm.setTheme(theme, () => this.#view.get().zoom);
    this.#basemap.setTheme(theme);
    for (const made of [...this.#layers.values()].flat()) made.setTheme(theme);
  }

  view() {
    return this.#view.get();
  }

  /** @param {View} view */
  setView(view) {
    this.#view.set(view);
  }

  bbox() {
    return this.#view.bbox();
  }

  within() {
    return this.#view.within();
  }

  omitted() {
    const [extent, resolution] = [this.#view.view.calculateExtent(), this.#view.resolution()];
    return [...this.#layers].flatMap(([id, made]) => {
      const shown = made.filter(({ layer }) => layer.getMaxResolution() > resolution && layer.getMinResolution() <= resolution);
      const found = shown.map((each) => each.omitted(extent, resolution)).find(Boolean);
      return found ? [{ ids: [id], ...found }] : [];
    });
  }

  /**
   * @param {Box} box
   * @param {Padding} padding
   * @param {FitOptions} [options]
   */
  fit(box, padding, options = {}) {
    this.#view.fit(box, padding, options);
  }

  /** @param {number} levels */
  zoomBy(levels) {
    this.map.getView().adjustZoom(levels);
  }

  /** @param {() => void} listener */
  onMove(listener) {
    this.map.on("moveend", listener);
  }

  /** @param {() => void} listener */
  onIdle(listener) {
    this.map.on("rendercomplete", listener);
  }

  /** @param {() => void} listener */
  onLoading(listener) {
    this.#loading.add(listener);
  }

  /** @param {(sentence: string) => void} listener */
  onError(listener) {
    this.#errors.add(listener);
  }

  /** @param {(hits: Hit[], position: Position) => void} listener */
  onClick(listener) {
    this.map.on("singleclick", ({ pixel, coordinate }) => {
      if (!this.#captor) listener(this.#hits(pixel), this.#view.degrees(coordinate));
    });
    this.map.on("click", ({ coordinate }) => this.#captor?.(this.#view.degrees(coordinate)));
    this.map.on("dblclick", (event) => {
      if (this.#captor) event.stopPropagation();
    });
    this.map.on("pointermove", ({ pixel, coordinate, dragging }) => {
      if (this.#captor) this.#follower?.(this.#view.degrees(coordinate));
      else if (!dragging) this.#setCursor(this.#hits(pixel).length ? "pointer" : "");
    });
  }

  /**
   * @param {((position: Position) => void) | null} captor
   * @param {(position: Position) => void} [follower]
   */
  capture(captor, follower) {
    this.#captor = captor;
    this.#follower = follower;
    this.#setCursor(captor ? "crosshair" : "");
  }

  /** @returns {Promise<HTMLCanvasElement>} */
  picture() {
    const drawn = new Promise((resolve) => this.map.once("rendercomplete", resolve));
    this.map.render();
    return drawn.then(() => flattened(this.#container));
  }

  /** @param {Sketch | null} sketch */
  sketch(sketch) {
    this.#draw(this.#over.sketch, sketch && sketchFeatures(sketch));
  }

  /** @param {Sketch | null} outline */
  outline(outline) {
    this.#draw(this.#over.outline, outline && sketchFeatures(outline));
  }

  /**
   * @param {FeatureCollection | null} drawing
   * @param {boolean} veiled
   */
  drawStorm(drawing, veiled) {
    this.#storm.draw(drawing);
    this.#shade = veiled ? SHADED : 1;
    for (const { layer } of [...this.#layers.values()].flat()) layer.setOpacity(this.#shade);
  }

  /**
   * @param {Position} position
   * @param {HTMLElement} content
   * @param {() => void} onclose
   */
  showPopup(position, content, onclose) {
    this.closePopup();
    this.#popup = openPopup(this.#library, this.map, this.#view.place(position), content, onclose);
  }

  closePopup() {
    if (this.#popup) this.map.removeOverlay(this.#popup);
    this.#popup = null;
  }

  /** @param {Item | null} feature */
  highlight(feature) {
    this.#draw(this.#over.highlight, feature?.geometry ? feature : null);
  }

  /**
   * Replaces what a layer draws with GeoJSON, or with nothing.
   * @param {VectorLayer} layer
   * @param {Item | GeoJSON.FeatureCollection | null} geojson
   */
  #draw(layer, geojson) {
    const source = layer.getSource();
    source?.clear();
    if (!geojson) return;
    source?.addFeatures(new this.#library.GeoJSON().readFeatures(geojson, { featureProjection: this.#projection }));
  }

  #fail() {
    for (const listener of this.#errors) listener(say("Some of the map could not be loaded."));
  }

  /** @param {string} cursor */
  #setCursor(cursor) {
    this.#container.style.cursor = cursor;
  }

  /** @param {number[]} pixel */
  #hits(pixel) {
    return hitsAt(this.map, pixel);
  }
}
