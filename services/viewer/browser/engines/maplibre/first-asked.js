// Reports when the first tiles of data have been requested. The worker that loads tiles tells us.

/** @import { Map, Source } from "maplibre-gl" */

export const ASKED = "dams-tiles-asked";

/**
 * Resolves when the worker has requested an address of data, at the latest after `longest` milliseconds. A hidden page
 * requests no tiles.
 * @param {(url: string) => boolean} isOfData
 * @param {number} [longest]
 * @returns {Promise<void>}
 */
export function firstAsked(isOfData, longest = 1000) {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(ASKED);
    const end = () => {
      channel.close();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, longest);
    channel.onmessage = ({ data }) => isOfData(data) && end();
  });
}

/**
 * Whether an address is that of a tile of one of the map's sources; those that are not on the map have none, nor those
 * whose TileJSON has not come yet.
 * @param {Map} map
 * @param {string[]} ids
 * @param {string} url
 */
export const isTileOf = (map, ids, url) =>
  ids.some((id) => {
    /** @type {Source & { tiles?: string[] } | undefined} */
    const source = map.getSource(id);
    return source?.tiles?.some((template) => url.startsWith(template.split("{")[0]));
  });
