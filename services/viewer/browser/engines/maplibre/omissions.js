// The number of features that the tiles in view omit. The worker that loads tiles reports it.

import { tileUrl } from "../../cartography/matrix-grid.js";
import { Omitted } from "../omitted.js";

/** @import { Map, VectorTileSource } from "maplibre-gl" */

export class Omissions {
  #omitted = new Omitted();
  #headers = new BroadcastChannel("dams-features-omitted");

  constructor() {
    this.#headers.onmessage = ({ data }) => this.#omitted.note(data.url, data.omitted, data.simplified);
  }

  /**
   * By source of the map, with the collections that it draws.
   * @param {Map} map
   * @param {{ ids: string[], source: string }[]} drawn
   */
  inView(map, drawn) {
    return drawn.flatMap(({ ids, source }) => {
      const found = ids.length ? this.#omitted.of(tilesInView(map, source)) : null;
      return found ? [{ ids, ...found }] : [];
    });
  }
}

/**
 * Addresses of the tiles that show the view.
 * @param {Map} map
 * @param {string} id
 */
function tilesInView(map, id) {
  /** @type {VectorTileSource | undefined} */
  const source = map.getSource(id);
  if (!source) return [];
  const tiles = map.coveringTiles({ tileSize: source.tileSize, minzoom: source.minzoom, maxzoom: source.maxzoom });
  return tiles.map(({ canonical: { z, x, y } }) => tileUrl(source.tiles[0], { id: String(z), column: x, row: y }));
}
