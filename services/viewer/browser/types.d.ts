// The shapes that more than one room knows. What the service sends is described by its OpenAPI document; the page's
// data come from services/viewer/pages/page_data.py.

import type { Feature, FeatureCollection, Geometry } from "geojson";
import type { LayerSpecification, SourceSpecification } from "maplibre-gl";

export type { Feature, FeatureCollection, Geometry } from "geojson";

/** Longitude and latitude in degrees. */
export type Position = [number, number];
/** West, south, east, north in degrees; west > east across ±180° unless east is beyond 180. */
export type Box = [number, number, number, number];
export type Theme = "light" | "dark";
/** What is asked for: a box, a place and its surroundings, or a polygon, whose ring is not closed and may run on beyond ±180°. */
export type Area =
  | { kind: "box"; box: Box }
  | { kind: "circle"; center: Position; kilometres: number; name: string }
  | { kind: "polygon"; ring: Position[] };
export type Properties = Record<string, unknown>;
/** Query parameters by name; those without a value are left out. */
export type Parameters = Record<string, string | number | boolean | null | undefined>;

export interface Column {
  name: string;
  title?: string | null;
  type: string;
  format?: string | null;
  unit?: string | null;
  /** Whether values that are words or countries, such as alert levels, have translations; false for own tables. */
  worded?: boolean;
  /** What the values of a code are called. */
  labels?: Record<string, string>;
}

/** The columns that say when a feature was, and the first and last moment of the collection (ISO 8601). */
export interface Time {
  column: string;
  start?: string | null;
  end?: string | null;
  /** Whether features have a start and an end. */
  lasts?: boolean;
  endColumn?: string | null;
  /** The column that says when a feature was issued. */
  issuedColumn?: string | null;
  /** How new the data are: the newest issue, else the newest start. */
  asOf?: string | null;
  /** Whether `datetime` is about these columns where a request names none. */
  usual?: boolean;
}

export interface Collection {
  id: string;
  title: string;
  label: string;
  group: string;
  geometryType: string | null;
  /** The property that filters call the geometry by. */
  geometryColumn?: string | null;
  bbox: Box | null;
  time: Time | null;
  /** How many features there were when the page was made; null where that is not known. */
  items: number | null;
  /** The property that orders by importance, as in `sortby`. */
  importance: string | null;
  /** Whether it is among what maps of all collections show. */
  overview?: boolean;
  /** Whether its features say what is expected. */
  forecast?: boolean;
  /** Identifiers of the CRSs in which it may be asked for. */
  crs?: string[];
  /** The property that says which event a feature belongs to. */
  eventKey: string | null;
  /** Since when its earlier states are recorded (RFC 3339); null where they are not. */
  history?: { since: string } | null;
  columns: Column[];
}

/** The present, if the catalogue has hazard collections. */
export interface Present {
  /** Collections with data of the last 30 days. */
  shown: string[];
  datetime: string;
  filters: Record<string, string>;
  /** Collections whose data are older. */
  ended: string[];
}

export interface PageData {
  base: string;
  edition: string;
  tileMatrixSet: string;
  /** What draws the tile matrix set. */
  engine: "maplibre" | "openlayers";
  /** The tile matrix set that is drawn from afar, where the map's own would need too many tiles. */
  farTileMatrixSet: string;
  collection: string | null;
  shown: string[];
  /** The events that the map shows alone where its link says nothing else. */
  events?: string[];
  present?: Present | null;
  styleParameters: { minzoom?: number; maxzoom?: number; "geom-column"?: string };
  collections: Collection[];
}

/** A page of items. */
export interface Items {
  type: "FeatureCollection";
  features: Feature<Geometry | null, Properties>[];
  numberMatched?: number;
}

export type Item = Feature<Geometry | null, Properties>;

export interface LegendClass {
  label: string;
  color: string;
  /** Its colour on the dark basemap, where it has another there. */
  dark?: string;
  /** The mark that tells the class without its colour. */
  shape?: string;
  /** The values of the class, or … */
  values?: string[];
  /** … the least value of it. */
  from?: number;
}

export interface LegendEntry {
  title?: string;
  unit?: string;
  properties: string[];
  classes?: LegendClass[];
  sizes?: { label: string; diameter: number; color?: string; dark?: string }[];
  symbol?: string;
  provisional?: boolean;
}

type LayerMetadata = { "dams:collection"?: string; "dams:dark"?: Record<string, unknown> };
type Paint = Record<string, unknown>;

/** A layer of a style document, with what ours add to it. */
export type Layer = Omit<LayerSpecification, "metadata" | "paint"> & {
  source?: string;
  metadata?: LayerMetadata;
  paint?: Paint;
};

/** What of a source the viewer reads. */
export type Source = SourceSpecification & { tiles?: string[]; attribution?: string };

/** A style document of the service: the basemap and one collection. */
export interface Style {
  version: 8;
  center: Position;
  zoom: number;
  sources: Record<string, Source>;
  layers: Layer[];
  metadata: {
    "dams:collection": string;
    "dams:geometryType"?: string;
    "dams:legend"?: LegendEntry[];
    /** Another one whenever tiles may be others. */
    "dams:version"?: string;
  };
}

export interface View {
  zoom: number;
  center: Position;
}

/** A feature under a click, as the tile has it. */
export interface Hit {
  collection: string;
  id: string | number | null | undefined;
  properties: Properties;
  geometry: Geometry | null;
}

/** A measured path or ring. */
export interface Sketch {
  line: number[][];
  points: Position[];
  closed: boolean;
}

export interface Padding {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface EngineOptions {
  container: HTMLElement;
  style: Style;
  theme: Theme;
  view: View | null;
  globe: boolean;
  minZoom?: number;
  maxZoom?: number;
  tileMatrixSet: string;
  farTileMatrixSet: string;
  /** Addresses of tiles that were requested already, which the browser's cache has or waits for. */
  early?: Set<string>;
}

/** What draws the map: MapLibre in Web Mercator, OpenLayers elsewhere and without WebGL. */
export interface FitOptions {
  animate?: boolean;
  /** The highest zoom level, 14 by default. */
  nearest?: number;
  /** Never zooms out; a box that is larger than the view moves it only if its middle is out of sight. */
  closer?: boolean;
}

export interface Engine {
  /** The library's map, for tests and the browser's console. */
  readonly map: unknown;
  /** What is seen first where nothing else is asked for. */
  readonly home?: Box;
  readonly globe?: boolean;
  /** The tile matrix set that is drawn in place of the map's own, which has too many tiles for this view. */
  readonly substitute?: string | null;
  /** Resolves when layers can be added. */
  loaded(): Promise<void>;
  /** Draws a collection, asked for with `datetime`, `filter` and the like. */
  add(style: Style, parameters?: Parameters): void;
  /** Draws collections from tiles that hold all of them, at the address `template`; once, of as many as there are. */
  addTogether?(styles: Style[], template: string): void;
  /** Another address of these tiles; with `keep` the old ones stay until the new ones are there. */
  setTogether?(template: string, options?: { keep?: boolean }): void;
  /** `listener()` where one of these tiles cannot be had. */
  onTogetherFault?(listener: () => void): void;
  /** Resolves when the first tiles of data have been asked for, and at the latest after a second. */
  asked?(): Promise<void>;
  remove(id: string): void;
  setParameters(id: string, parameters: Parameters): void;
  /** Asks for a collection's tiles again, of another version; the old ones stay until the new ones are there. */
  renew(id: string, version?: string): void;
  setGlobe?(globe: boolean): void;
  fillWithGlobe?(options?: { animate?: boolean }): void;
  setTheme(theme: Theme): void;
  view(): View;
  setView(view: View): void;
  bbox(): Box;
  /** The same for requests, in the coordinates of `crs` and in the order of its axes where one is named. */
  within(): { bbox: number[]; crs?: string };
  /** How many features the tiles in view leave out, by the collections that are drawn from the same tiles. */
  omitted(): { ids: string[]; number: number; estimated: boolean; simplified: number }[];
  /** Shows a box within the padding, in pixels. */
  fit(box: Box, padding: Padding, options?: FitOptions): void;
  zoomBy(levels: number): void;
  onMove(listener: () => void): void;
  onIdle(listener: () => void): void;
  onLoading(listener: () => void): void;
  /** `listener(sentence)` on each request or drawing fault. */
  onError(listener: (sentence: string) => void): void;
  onProjection?(listener: () => void): void;
  /** The topmost hit first. */
  onClick(listener: (hits: Hit[], position: Position) => void): void;
  /** Clicks go to `captor` and select nothing, until it is null; `follower` hears where the pointer is meanwhile. */
  capture(captor: ((position: Position) => void) | null, follower?: (position: Position) => void): void;
  /** What is drawn, without controls and popups. */
  picture(): Promise<HTMLCanvasElement>;
  /** Draws above everything; null removes it. */
  sketch(sketch: Sketch | null): void;
  /** Draws the area that is asked for, above the data; null removes it. */
  outline(outline: Sketch | null): void;
  /** Draws the storm that is followed (model/storm-drawing.js), with all else behind a veil; null removes it. */
  drawStorm(drawing: FeatureCollection | null, veiled: boolean): void;
  /** A popup at a position; `onclose` when a person closes it. */
  showPopup(position: Position, content: HTMLElement, onclose: () => void): void;
  closePopup(): void;
  /** Draws an outline around a feature, a line keeping its colour; null removes it. */
  highlight(feature: Item | null, color?: string | null): void;
}

/** A resource of `/tileMatrixSets`. */
export interface TileMatrixSet {
  id: string;
  crs: string | { uri: string };
  orderedAxes?: string[];
  tileMatrices: TileMatrix[];
}

export interface TileMatrix {
  id: string;
  cellSize: number;
  pointOfOrigin: [number, number];
  tileWidth: number;
  tileHeight: number;
  matrixWidth: number;
  matrixHeight: number;
  variableMatrixWidths?: { coalesce: number; minTileRow: number; maxTileRow: number }[];
}

/** A condition of the filter form. */
export interface Condition {
  property: string;
  kind?: PropertyKind;
  operator: string;
  value?: string | number | null;
  /** The other end of `between`. */
  upper?: string | null;
  /** What `in` offers. */
  values?: string[];
}

export type PropertyKind = "number" | "text" | "choice" | "instant" | "date" | "boolean";

/** A property that filters may use. */
export interface FilterProperty {
  name: string;
  title: string;
  description: string | null;
  unit: string | null;
  kind: PropertyKind;
  /** The only values there are. */
  values: string[] | null;
  /** Numbers, or texts of ISO 8601. */
  least: number | string | null;
  most: number | string | null;
}
