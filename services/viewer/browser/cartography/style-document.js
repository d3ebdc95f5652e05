// What a viewer does to a style document before it draws it.

/** A copy of `layer` in the theme; dark paint properties are in the layer's metadata. */
export function themedLayer(layer, theme) {
  const dark = layer.metadata?.["dams:dark"];
  return theme === "dark" && dark ? { ...layer, paint: { ...layer.paint, ...dark } } : layer;
}

/** Paint properties that differ between the themes, as [layer id, property, value]. */
export function* themeChanges(style, theme) {
  for (const layer of style.layers) {
    for (const [name, dark] of Object.entries(layer.metadata?.["dams:dark"] ?? {})) {
      yield [layer.id, name, theme === "dark" ? dark : layer.paint[name]];
    }
  }
}

export const isBasemap = (layer) => !layer.metadata?.["dams:collection"];
export const isLabel = (layer) => isBasemap(layer) && layer.type === "symbol";
export const collectionOf = (style) => style.metadata["dams:collection"];
export const dataLayers = (style) => style.layers.filter((layer) => !isBasemap(layer));

// what covers much lies below what covers little, whatever was switched on first
const ORDER = { fill: 0, line: 1, circle: 2, symbol: 3 };
export const drawingOrder = (layer) => ORDER[layer.type] ?? 1;

/** Attributions are text; MapLibre would take them as markup. */
export function escapedAttribution(text) {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The address of tiles with query parameters added. */
export function tilesAddress(template, parameters) {
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  if (!query) return template;
  return template + (template.includes("?") ? "&" : "?") + query;
}

/** A measured path or ring, `{line, points, closed}`, as GeoJSON. */
export function sketchFeatures({ line, points, closed }) {
  const geometries = [
    ...(closed ? [{ type: "Polygon", coordinates: [line] }] : []),
    ...(line.length > 1 ? [{ type: "LineString", coordinates: line }] : []),
    ...points.map((coordinates) => ({ type: "Point", coordinates })),
  ];
  return { type: "FeatureCollection", features: geometries.map((geometry) => ({ type: "Feature", properties: {}, geometry })) };
}
