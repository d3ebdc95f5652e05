// Requests the first tiles of a map while the library that draws them is still on its way. The library requests them
// again and finds them in the browser's cache. Without them a map is only slower.

import { collectionOf, tilesAddress } from "../cartography/style-document.js";
import { FILTER } from "./deep-link.js";
import { Explorer } from "./explorer.js";
import { parseInterval } from "./interval.js";
import { alike } from "./together.js";

/**
 * @import { Offer } from "../cartography/tiles-in-view.js"
 * @import { Source } from "../types.d.ts"
 * @import { State } from "../page/link.js"
 * @typedef {(source: Offer) => [number, number, number][]} InView the tiles `[zoom, x, y]` that a source has of the first view
 */

/** Parts of a state with which the first tiles are known at once. */
const SIMPLE = ["map", "c", "s", "t", "o", "theme"];
/** Tiles of data, and as many of the basemap: what a large window shows. */
const MOST = 12;

/**
 * Requests the first tiles of a map. Returns their addresses, which are added to once the styles are there.
 * @param {Explorer} explorer
 * @param {State} state
 * @param {string[]} ids the collections to be shown
 * @param {InView} inView
 */
export function requestEarly(explorer, state, ids, inView) {
  /** @type {Set<string>} */
  const early = new Set();
  /** @param {string} url */
  const load = async (url) => {
    early.add(url);
    try {
      // to its end, or else it would keep the connection and not be cached
      await (await fetch(url)).arrayBuffer();
    } catch {
      early.delete(url);
    }
  };
  const request = async () => {
    const urls = await earlyAddresses(explorer, state, ids, inView);
    await Promise.allSettled(urls.map(load));
  };
  request().catch(() => {});
  return early;
}

/**
 * The addresses of the first tiles: those of data, then those of the basemap; none if more than their styles is needed to
 * know them.
 * @param {Explorer} explorer
 * @param {State} state
 * @param {string[]} ids
 * @param {InView} inView
 */
export async function earlyAddresses(explorer, state, ids, inView) {
  const names = Object.keys(state).filter((name) => !name.startsWith(FILTER));
  if (names.some((name) => !SIMPLE.includes(name))) return [];
  const drawn = ids.filter((id) => explorer.collections.get(id)?.geometryType);
  const styles = new Map(await Promise.all(drawn.map(async (id) => /** @type {const} */ ([id, await explorer.style(id)]))));
  const will = asRestored(explorer, state);
  const together = alike(new Map([...styles].filter(([id]) => will.isPlain(id))));
  const shared = together.length > 1 ? together : [];
  const data = [...styles].flatMap(([id, style]) => {
    const isShared = shared.includes(id);
    const template = isShared ? explorer.styles.templateOf(shared) : style.sources[id].tiles?.[0];
    if (!template) return [];
    return addresses(style.sources[id], tilesAddress(template, isShared ? { datetime: will.datetime } : will.parameters(id)), inView);
  });
  const basemap = [...styles.values()].slice(0, 1).flatMap((style) =>
    Object.entries(style.sources).flatMap(([id, source]) => (id === collectionOf(style) || !source.tiles ? [] : addresses(source, source.tiles[0], inView))),
  );
  return [...new Set([...[...new Set(data)].slice(0, MOST), ...basemap.slice(0, MOST)])];
}

/**
 * What an explorer knows of its collections once a simple state is restored.
 * @param {Explorer} explorer
 * @param {State} state
 */
function asRestored({ collections, tileMatrixSet, styleParameters }, state) {
  const restored = new Explorer({ collections: [...collections.values()], tileMatrixSet, styleParameters });
  restored.datetime = parseInterval(state.t ?? null) && state.t;
  restored.filters = new Map(Object.entries(state).flatMap(([name, text]) => (name.startsWith(FILTER) ? [[name.slice(FILTER.length), text]] : [])));
  return restored;
}

/**
 * @param {Source} source
 * @param {string} template
 * @param {InView} inView
 */
const addresses = (source, template, inView) =>
  source.type === "vector"
    ? inView(/** @type {Offer} */ (source)).map(([zoom, x, y]) => template.replace("{z}", String(zoom)).replace("{x}", String(x)).replace("{y}", String(y)))
    : [];
