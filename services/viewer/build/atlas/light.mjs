// Makes the tiles of the first zooms of a world map. It leaves out features that are not drawn there or are too small
// to be visible.

const FROM = { rivers: 2 }; // the first zoom at which a layer of the style draws these
const SHORTEST = 24; // units of a tile, which are three pixels: the coasts of islets
const LINE = 2;

/**
 * @typedef {{ type: number, tags: Record<string, any> | null, geometry: number[][] | number[][][] }} Drawn as geojson-vt has it
 */

/**
 * The features that are visible in a tile of this zoom. Equal features are merged, as each costs a dozen bytes.
 * @param {string} name of the layer
 * @param {Drawn[]} features
 * @param {number} zoom
 */
export function lightened(name, features, zoom) {
  if (zoom < (FROM[name] ?? 0)) return [];
  // the style draws names and lakes by rank, one more with each zoom
  const seen = features.filter((feature) => !(feature.tags?.rank > zoom + 1) && (feature.type !== LINE || isSeen(feature)));
  /** @type {Map<string, Drawn>} */
  const alike = new Map();
  for (const feature of seen) {
    const key = `${feature.type} ${JSON.stringify(feature.tags)}`;
    const other = alike.get(key);
    if (other) other.geometry.push(...feature.geometry);
    else alike.set(key, { ...feature, geometry: [...feature.geometry] });
  }
  return [...alike.values()];
}

/** @param {Drawn} feature */
const isSeen = ({ geometry }) => geometry.some((line) => length(line) >= SHORTEST) || geometry.length > 1;

/** @param {number[][]} line */
const length = (line) => line.slice(1).reduce((sum, [x, y], at) => sum + Math.hypot(x - line[at][0], y - line[at][1]), 0);
