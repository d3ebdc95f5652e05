// The features under a click.

/** @import { Map, Point } from "maplibre-gl" */
/** @import { Hit } from "../../types.d.ts" */

const RADIUS = 5; // pixels around a click or a finger

/**
 * Features of these layers near a point of the screen, each once, the nearest of several points first.
 * @param {Map} map
 * @param {Point} point
 * @param {string[]} layers
 * @returns {Hit[]}
 */
export function hitsAt(map, point, layers) {
  const present = layers.filter((layer) => map.getLayer(layer));
  const seen = new Set();
  /** @type {Hit[]} */
  const hits = [];
  /** @type {[[number, number], [number, number]]} */
  const box = [[point.x - RADIUS, point.y - RADIUS], [point.x + RADIUS, point.y + RADIUS]];
  // the layer of the tile, since tiles may hold several collections
  for (const { sourceLayer, id, properties, geometry } of map.queryRenderedFeatures(box, { layers: present })) {
    const collection = sourceLayer ?? "";
    const key = `${collection}/${id ?? JSON.stringify(properties)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    hits.push({ collection, id, properties, geometry });
  }
  return hits
    .map((hit) => ({ hit, away: distance(map, point, hit) }))
    .sort((a, b) => a.away - b.away)
    .map(({ hit }) => hit);
}

/**
 * Pixels from a point of the screen to the middle of a point feature; lines and areas lie behind all of these.
 * @param {Map} map
 * @param {Point} point
 * @param {Hit} hit
 */
function distance(map, point, { geometry }) {
  if (geometry?.type !== "Point") return RADIUS * 8;
  const middle = map.project([geometry.coordinates[0], geometry.coordinates[1]]);
  return Math.hypot(middle.x - point.x, middle.y - point.y);
}
