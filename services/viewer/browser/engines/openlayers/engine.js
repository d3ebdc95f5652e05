// Draws the same styles with OpenLayers: in any tile matrix set's own projection, and without WebGL.

import { address, getJson } from "../../service/api.js";
import { basemapLayers } from "./basemap.js";
import { sheet } from "../../page/layout.js";
import { matrixLayer } from "./layer.js";
import { MatrixGrid } from "../../cartography/matrix-grid.js";
import { systemOf } from "../../cartography/projections.js";
import { collectionOf, escapedAttribution, sketchFeatures } from "../../cartography/style-document.js";
import { popupElement } from "./popup.js";

const FAR = "WorldCRS84Quad";
const FAR_LEVELS = 8; // enough until the map's own tiles are few
const HIT_RADIUS = 6; // pixels
const POPUP_MARGIN = 24; // pixels
const METRES_PER_PIXEL = 78271.517; // of a world 512 pixels wide
const SAMPLES = 12;
const MARK = 1000; // z-index of the selected feature
const ORDER = { Polygon: 100, LineString: 200, Point: 300 };

/** Loads the library and the matrix set. */
export async function createEngine(options) {
  const [library, tileMatrixSet] = await Promise.all([
    import("./library.js"),
    getJson(address(`/tileMatrixSets/${options.tileMatrixSet}`, { f: "json" })),
  ]);
  const grid = new MatrixGrid(tileMatrixSet);
  const blind = grid.viewResolution() > grid.maxResolution() && /^(CRS:84|EPSG:4326)$/.test(systemOf(tileMatrixSet).code);
  const far = blind ? await getJson(address(`/tileMatrixSets/${FAR}`, { f: "json" })) : null;
  return new OpenLayersEngine(library, tileMatrixSet, far, options);
}

class OpenLayersEngine {
  #library;
  #projection;
  #system;
  #tileMatrixSet;
  #far; // the matrix set that is drawn where this one would need too many tiles, or null
  #grid;
  #theme;
  #basemap;
  #layers = new Map();
  #mark;
  #sketch;
  #captor = null;
  #popup = null;
  #loading = new Set();
  #errors = new Set();

  constructor(library, tileMatrixSet, far, { container, style, theme, view }) {
    this.#library = library;
    this.#tileMatrixSet = tileMatrixSet;
    this.#far = far;
    this.#system = systemOf(tileMatrixSet);
    this.#theme = theme;
    if (this.#system.proj4) library.proj4.defs(this.#system.code, this.#system.proj4);
    library.register(library.proj4);
    this.#projection = library.getProjection(this.#system.code);
    this.#grid = new MatrixGrid(tileMatrixSet);
    const extent = this.#grid.extent();
    if (!this.#projection.getExtent()) this.#projection.setExtent(extent);
    this.#basemap = basemapLayers(library, style, this.#projection, this.#system.area, () => this.#zooms());
    this.#mark = new library.VectorLayer({ source: new library.VectorSource(), zIndex: MARK });
    this.#sketch = new library.VectorLayer({ source: new library.VectorSource(), zIndex: MARK + 1 });
    container.replaceChildren();
    container.tabIndex = 0;
    container.setAttribute("role", "application");
    container.setAttribute("aria-label", "Map; arrow keys move it, + and - zoom");
    this.map = new library.Map({
      target: container,
      layers: [...this.#basemap.layers, this.#mark, this.#sketch],
      controls: [
        new library.Zoom(),
        new library.ScaleLine({ maxWidth: 110 }),
        new library.Attribution({ collapsible: false }),
      ],
      view: new library.View({
        projection: this.#projection,
        center: library.getCenter(extent),
        resolution: this.#grid.viewResolution(),
        maxResolution: this.#grid.viewResolution(),
        minResolution: this.#grid.minResolution(),
        extent,
        constrainOnlyCenter: true,
        smoothResolutionConstraint: false,
      }),
    });
    this.#basemap.setTheme(theme);
    this.#sketch.setStyle(sketchStyle(library, theme));
    if (view) this.setView(view);
  }

  /** What the map shows first where nothing else is asked for. */
  get home() {
    return this.#system.home;
  }

  async loaded() {
    await document.fonts.load("12px Inter").catch(() => {});
  }

  add(style, parameters = {}) {
    const id = collectionOf(style);
    const kind = (style.metadata["dams:geometryType"] ?? "").replace("Multi", "");
    const source = style.sources[id];
    const made = [this.#layer(style, source, this.#tileMatrixSet, parameters)];
    if (this.#far) {
      const tiles = source.tiles.map((template) => template.replace(`/tiles/${this.#tileMatrixSet.id}/`, `/tiles/${this.#far.id}/`));
      made.push(this.#layer(style, { ...source, tiles, minzoom: 0, maxzoom: FAR_LEVELS }, this.#far, parameters));
      made[1].layer.setMinResolution(made[0].layer.getMaxResolution());
    }
    for (const { layer } of made) layer.setZIndex(ORDER[kind] ?? ORDER.Polygon);
    this.#layers.set(id, made);
    for (const { layer } of made) this.map.addLayer(layer);
  }

  #layer(style, source, tileMatrixSet, parameters) {
    const made = matrixLayer(this.#library, {
      style: { ...style, sources: { ...style.sources, [collectionOf(style)]: source } },
      parameters,
      grid: new MatrixGrid(tileMatrixSet, source),
      projection: this.#projection,
      attribution: source.attribution && escapedAttribution(source.attribution),
      zooms: () => this.#zooms(),
    });
    made.setTheme(this.#theme);
    made.source.on("tileloadstart", () => this.#emit(this.#loading));
    made.source.on("tileloaderror", () => this.#emit(this.#errors, "Some of the map could not be loaded."));
    return made;
  }

  /** The tile matrix set that is drawn here in place of the map's own, which has too many tiles for this view; or null. */
  get substitute() {
    const far = this.#far && this.map.getView().getResolution() >= this.#grid.maxResolution();
    return far ? this.#far.id : null;
  }

  remove(id) {
    for (const { layer } of this.#layers.get(id) ?? []) this.map.removeLayer(layer);
    this.#layers.delete(id);
  }

  setParameters(id, parameters) {
    for (const made of this.#layers.get(id)) made.setParameters(parameters);
  }

  /** Asks for a collection's tiles again; the old ones stay until the new ones are there. */
  renew(id) {
    for (const made of this.#layers.get(id)) made.renew();
  }

  /** Draws land, coast and borders from these features in place of the basemap's own; null brings those back. */
  setFine(collection) {
    this.#basemap.setFine(collection);
  }

  setTheme(theme) {
    this.#theme = theme;
    this.#sketch.setStyle(sketchStyle(this.#library, theme));
    this.#basemap.setTheme(theme);
    for (const made of [...this.#layers.values()].flat()) made.setTheme(theme);
  }

  view() {
    const view = this.map.getView();
    const center = this.#library.toLonLat(view.getCenter(), this.#projection);
    return { zoom: Math.log2(METRES_PER_PIXEL / (view.getResolution() * this.#metres())), center };
  }

  setView({ zoom, center }) {
    const view = this.map.getView();
    view.setCenter(this.#library.fromLonLat(center, this.#projection));
    view.setResolution(METRES_PER_PIXEL / 2 ** zoom / this.#metres());
  }

  bbox() {
    const [left, bottom, right, top] = this.map.getView().calculateExtent();
    const positions = [];
    for (let i = 0; i <= SAMPLES; i++) {
      for (let j = 0; j <= SAMPLES; j++) {
        const at = [left + ((right - left) * i) / SAMPLES, bottom + ((top - bottom) * j) / SAMPLES];
        const [x, y] = this.#library.toLonLat(at, this.#projection);
        if (Number.isFinite(x) && Number.isFinite(y)) positions.push([x, Math.max(-90, Math.min(90, y))]);
      }
    }
    const pole = [90, -90].find((latitude) => this.#inside([0, latitude], [left, bottom, right, top]));
    return boxAround(positions, pole);
  }

  fit(box, padding, { animate = true } = {}) {
    const extent = this.#projected(box);
    const { left = 0, right = 0, top = 0, bottom = 0 } = padding;
    this.map.getView().fit(extent, {
      padding: [top, right, bottom, left],
      minResolution: METRES_PER_PIXEL / 2 ** 7 / this.#metres(),
      duration: animate && !matchMedia("(prefers-reduced-motion: reduce)").matches ? 400 : 0,
    });
  }

  zoomBy(levels) {
    this.map.getView().adjustZoom(levels);
  }

  onMove(listener) {
    this.map.on("moveend", listener);
  }

  onIdle(listener) {
    this.map.on("rendercomplete", listener);
  }

  onLoading(listener) {
    this.#loading.add(listener);
  }

  onError(listener) {
    this.#errors.add(listener);
  }

  onClick(listener) {
    this.map.on("singleclick", ({ pixel, coordinate }) => {
      if (!this.#captor) listener(this.#hits(pixel), this.#library.toLonLat(coordinate, this.#projection));
    });
    this.map.on("click", ({ coordinate }) => this.#captor?.(this.#library.toLonLat(coordinate, this.#projection)));
    this.map.on("dblclick", (event) => {
      if (this.#captor) event.stopPropagation();
    });
    this.map.on("pointermove", ({ pixel, dragging }) => {
      if (!dragging && !this.#captor) this.map.getTargetElement().style.cursor = this.#hits(pixel).length ? "pointer" : "";
    });
  }

  /** Clicks go to `captor(position)` and select nothing, until it is null. */
  capture(captor) {
    this.#captor = captor;
    this.map.getTargetElement().style.cursor = captor ? "crosshair" : "";
  }

  /** Draws `{line, points, closed}` (positions) above everything; null removes it. */
  sketch(drawn) {
    const source = this.#sketch.getSource();
    source.clear();
    if (!drawn) return;
    const features = new this.#library.GeoJSON().readFeatures(sketchFeatures(drawn), { featureProjection: this.#projection });
    source.addFeatures(features);
  }

  showPopup(position, content, onclose) {
    this.closePopup();
    if (!sheet.matches) content.style.setProperty("--room", `${this.map.getSize()[1] - 3 * POPUP_MARGIN}px`);
    const overlay = new this.#library.Overlay({
      element: popupElement(content, onclose),
      position: this.#library.fromLonLat(position, this.#projection),
      positioning: "bottom-center",
      offset: [0, -12],
      // in a sheet's layout the popup lies over the sheet
      autoPan: sheet.matches ? false : { margin: POPUP_MARGIN },
      stopEvent: true,
    });
    this.#popup = overlay;
    this.map.addOverlay(overlay);
  }

  closePopup() {
    if (this.#popup) this.map.removeOverlay(this.#popup);
    this.#popup = null;
  }

  highlight(feature) {
    const source = this.#mark.getSource();
    source.clear();
    if (!feature?.geometry) return;
    const { CircleStyle, GeoJSON, Stroke, Style } = this.#library;
    const [ink, halo] = this.#theme === "dark" ? ["#ffffff", "#10171e"] : ["#0b1620", "#ffffff"];
    this.#mark.setStyle([
      new Style({ stroke: new Stroke({ color: halo, width: 6 }) }),
      new Style({
        stroke: new Stroke({ color: ink, width: 2.5 }),
        image: new CircleStyle({ radius: 13, stroke: new Stroke({ color: ink, width: 2.5 }) }),
      }),
    ]);
    source.addFeature(new GeoJSON().readFeature(feature, { featureProjection: this.#projection }));
  }

  #emit(listeners, ...values) {
    for (const listener of listeners) listener(...values);
  }

  #hits(pixel) {
    const hits = new Map();
    this.map.forEachFeatureAtPixel(
      pixel,
      (feature, layer) => {
        const collection = layer?.get("collection");
        const key = `${collection}/${feature.getId()}`;
        if (!collection || hits.has(key)) return;
        hits.set(key, { collection, id: feature.getId(), properties: feature.getProperties(), geometry: null });
      },
      { hitTolerance: HIT_RADIUS, layerFilter: (layer) => layer.get("collection") !== undefined },
    );
    return [...hits.values()];
  }

  #metres() {
    return this.#projection.getMetersPerUnit() ?? 1;
  }

  /** Resolutions of MapLibre's zoom levels in this projection: styles depend on them. */
  #zooms() {
    return Array.from({ length: 25 }, (_, zoom) => METRES_PER_PIXEL / 2 ** zoom / this.#metres());
  }

  #inside(position, [left, bottom, right, top]) {
    const [x, y] = this.#library.fromLonLat(position, this.#projection);
    return Number.isFinite(x) && x >= left && x <= right && y >= bottom && y <= top && this.#isPolar();
  }

  #isPolar() {
    return /^EPSG:(5041|5042|5482|3978)$/.test(this.#system.code);
  }

  /** Extent of a box of degrees, only as far as the projection reaches. */
  #projected([west, south, east, north]) {
    const [left, bottom, right, top] = this.#system.area;
    const end = east < west ? east + 360 : east;
    const box = [Math.max(west, left), Math.max(south, bottom), Math.min(end, right), Math.min(north, top)];
    const [w, s, e, n] = box[0] < box[2] && box[1] < box[3] ? box : this.#system.home;
    const positions = [];
    for (let i = 0; i <= SAMPLES * 2; i++) {
      for (let j = 0; j <= SAMPLES * 2; j++) {
        const at = [w + ((e - w) * i) / (SAMPLES * 2), s + ((n - s) * j) / (SAMPLES * 2)];
        positions.push(this.#library.fromLonLat(at, this.#projection));
      }
    }
    return this.#library.boundingExtent(positions.filter((position) => position.every(Number.isFinite)));
  }
}

function sketchStyle({ CircleStyle, Fill, Stroke, Style }, theme) {
  const [ink, halo] = theme === "dark" ? ["#ffffff", "#10171e"] : ["#0b1620", "#ffffff"];
  return [
    new Style({ stroke: new Stroke({ color: halo, width: 5 }) }),
    new Style({
      fill: new Fill({ color: `${ink}1f` }),
      stroke: new Stroke({ color: ink, width: 2 }),
      image: new CircleStyle({ radius: 4, fill: new Fill({ color: halo }), stroke: new Stroke({ color: ink, width: 2 }) }),
    }),
  ];
}

/** West, south, east, north around positions: the longitudes lie outside their widest gap. */
function boxAround(positions, pole) {
  const latitudes = positions.map(([, y]) => y);
  const south = pole === -90 ? -90 : Math.min(...latitudes);
  const north = pole === 90 ? 90 : Math.max(...latitudes);
  if (pole !== undefined) return [-180, south, 180, north];
  const sorted = positions.map(([x]) => x).sort((a, b) => a - b);
  let widest = sorted[0] + 360 - sorted.at(-1);
  let box = [sorted[0], south, sorted.at(-1), north];
  for (let at = 1; at < sorted.length; at++) {
    if (sorted[at] - sorted[at - 1] <= Math.max(widest, 60)) continue;
    widest = sorted[at] - sorted[at - 1];
    box = [sorted[at], south, sorted[at - 1], north];
  }
  return box;
}
