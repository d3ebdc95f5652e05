// The popup of a feature: it follows its place, and takes the room that there is above or below it.

import { covered, sheet } from "../../page/layout.js";

/** @import * as MapLibre from "maplibre-gl" */
/** @import { Position } from "../../types.d.ts" */

const OFFSET = 10; // pixels
const TIP = 10;
const LEAST = 160;

/**
 * Opens a popup; `onclose` when it is closed, by a person or not.
 * @param {typeof import("./library.js")} library
 * @param {MapLibre.Map} map
 * @param {Position} position
 * @param {HTMLElement} content
 * @param {() => void} onclose
 */
export function openPopup(library, map, position, content, onclose) {
  const options = { maxWidth: "340px", offset: OFFSET, padding: covered(), focusAfterOpen: false, closeOnClick: false };
  const popup = new library.Popup(options).setLngLat(position).setDOMContent(content);
  // again after each move: the view may be on its way to the feature
  const moved = () => {
    if (sheet.matches) content.style.removeProperty("--room");
    else content.style.setProperty("--room", `${room(map, position)}px`);
    popup.setPadding(covered());
  };
  moved();
  popup.addTo(map);
  map.on("moveend", moved);
  map.on("resize", moved);
  popup.on("close", () => {
    map.off("moveend", moved);
    map.off("resize", moved);
    onclose();
  });
  return popup;
}

/**
 * Pixels that a popup at this position can be high: above or below it, whichever is more.
 * @param {MapLibre.Map} map
 * @param {Position} position
 */
function room(map, position) {
  const { top, bottom } = covered();
  const height = map.getContainer().clientHeight;
  const at = Math.max(0, Math.min(height, map.project(position).y));
  return Math.max(LEAST, Math.floor(Math.max(at - top, height - at - bottom) - OFFSET - TIP));
}
