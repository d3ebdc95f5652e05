// Changes that the viewer makes to a style document before it draws it.

/** @import { FeatureCollection, Geometry } from "geojson" */
/** @import { Layer, Parameters, Sketch, Style, Theme } from "../types.d.ts" */

/**
 * A copy of `layer` in the theme; dark paint properties are in the layer's metadata.
 * @param {Layer} layer
 * @param {Theme} theme
 * @returns {Layer}
 */
export function themedLayer(layer, theme) {
  const dark = layer.metadata?.["dams:dark"];
  return theme === "dark" && dark ? { ...layer, paint: { ...layer.paint, ...dark } } : layer;
}

/**
 * Paint properties that differ between the themes, as [layer id, property, value].
 * @param {{ layers: Layer[] }} style
 * @param {Theme} theme
 * @returns {Generator<[string, string, unknown]>}
 */
export function* themeChanges(style, theme) {
  for (const layer of style.layers) {
    for (const [name, dark] of Object.entries(layer.metadata?.["dams:dark"] ?? {})) {
      yield [layer.id, name, theme === "dark" ? dark : layer.paint?.[name]];
    }
  }
}

const NAMED = ["basemap-labels-country", "basemap-labels-sea"];
const TOWNS = "basemap-labels-town";

/**
 * A style whose countries and seas are labelled with these names, in place of the English ones of the tiles, and whose
 * towns are labelled with those that the tiles have in this language.
 * @param {Style} style
 * @param {Record<string, string> | null} names
 * @param {string} language
 * @returns {Style}
 */
export function withPlaceNames(style, names, language) {
  if (!names) return style;
  const name = ["get", "name"];
  const layers = style.layers.map((layer) => {
    const own = NAMED.includes(layer.id) ? ["get", name, ["literal", names]] : layer.id === TOWNS && ["get", language];
    if (!own) return layer;
    const { "text-field": written } = /** @type {Record<string, unknown>} */ (layer.layout ?? {});
    const field = withNames(written, ["coalesce", own, name]);
    // Arabic letters are joined
    const spacing = language === "ar" ? { "text-letter-spacing": 0 } : {};
    return /** @type {Layer} */ ({ ...layer, layout: { ...layer.layout, ...spacing, "text-field": field } });
  });
  return { ...style, layers };
}

/**
 * The expression with `names` in place of the English name.
 * @param {unknown} field
 * @param {unknown[]} names
 * @returns {unknown}
 */
function withNames(field, names) {
  if (!Array.isArray(field)) return field;
  return field[0] === "get" ? names : field.map((part) => withNames(part, names));
}

/** @param {{ metadata?: unknown }} layer */
export const isBasemap = ({ metadata }) => !(/** @type {Layer["metadata"]} */ (metadata)?.["dams:collection"]);
/** @param {{ type: string, metadata?: unknown }} layer */
export const isLabel = (layer) => isBasemap(layer) && layer.type === "symbol";
/** @param {Style} style */
export const collectionOf = (style) => style.metadata["dams:collection"];
/** @param {Style} style */
export const dataLayers = (style) => style.layers.filter((layer) => !isBasemap(layer));

// layers that cover a large area are below layers that cover a small one, independent of the order in which the user switched them on
/** @type {Record<string, number>} */
const ORDER = { fill: 0, line: 1, circle: 2, symbol: 3 };
/**
 * Names of points, which have an offset, are above other names: of two without room beside each other the upper one is drawn.
 * @param {{ type: string, layout?: Record<string, unknown> }} layer
 */
export const drawingOrder = ({ type, layout }) => (ORDER[type] ?? 1) + (layout?.["text-offset"] ? 1 : 0);

/**
 * Colours of the overlays, which must stand out from every colour of the data: [ink, halo].
 * @param {Theme} theme
 * @returns {[string, string]}
 */
export const overlayColors = (theme) => (theme === "dark" ? ["#ffffff", "#10171e"] : ["#0b1620", "#ffffff"]);

/**
 * The edge of lines that are drawn over the data: weak storms are pale on the light map.
 * @param {Theme} theme
 */
export const casingColor = (theme) => (theme === "dark" ? "#060a0e" : "#2b3640");

/**
 * Attributions are text; the libraries would take them as markup.
 * @param {string} text
 */
export const escapedAttribution = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/**
 * The address of tiles with query parameters added, without properties that no style reads: the item has them.
 * @param {string} template
 * @param {Parameters} parameters
 */
export function tilesAddress(template, parameters) {
  const query = Object.entries(/** @type {Parameters} */ ({ ...parameters, "style-only": true }))
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&");
  return template + (template.includes("?") ? "&" : "?") + query;
}

/**
 * The address of tiles with another version of their data, where it has one.
 * @param {string} template
 * @param {string | undefined} version
 */
export const withVersion = (template, version) =>
  version === undefined ? template : template.replace(/([?&]v=)[^&]*/, `$1${encodeURIComponent(version)}`);

/**
 * A measured path or ring as GeoJSON.
 * @param {Sketch} sketch
 * @returns {FeatureCollection}
 */
export function sketchFeatures({ line, points, closed }) {
  /** @type {Geometry[]} */
  const geometries = points.map((coordinates) => ({ type: "Point", coordinates }));
  // areas lie below lines, lines below points
  if (line.length > 1) geometries.unshift({ type: "LineString", coordinates: line });
  if (closed) geometries.unshift({ type: "Polygon", coordinates: [line] });
  return { type: "FeatureCollection", features: geometries.map((geometry) => ({ type: "Feature", properties: {}, geometry })) };
}
