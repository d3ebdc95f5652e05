// A popup with a frame, which OpenLayers does not have: content, close button and tip.

import { element } from "../../page/dom.js";
import { sheet } from "../../page/layout.js";
import { say } from "../../words/say.js";
import { movement } from "./projected-view.js";

/** @import * as OpenLayers from "./openlayers.js" */

const MARGIN = 24; // pixels

/**
 * Opens a popup at a coordinate of the map's projection, and moves the map so that all of it is seen; `onclose` when a
 * person closes it.
 * @param {typeof OpenLayers} library
 * @param {OpenLayers.Map} map
 * @param {number[]} place
 * @param {HTMLElement} content
 * @param {() => void} onclose
 * @returns {OpenLayers.Overlay}
 */
export function openPopup(library, map, place, content, onclose) {
  if (!sheet.matches) content.style.setProperty("--room", `${(map.getSize()?.[1] ?? 0) - 3 * MARGIN}px`);
  const overlay = new library.Overlay({
    element: framed(content, onclose),
    position: place,
    positioning: "bottom-center",
    offset: [0, -12],
    stopEvent: true,
  });
  map.addOverlay(overlay);
  // in a sheet's layout the popup lies over the sheet
  if (sheet.matches) return overlay;
  const bringIntoView = () => overlay.getMap() && overlay.panIntoView({ margin: MARGIN, animation: { duration: movement() } });
  if (map.getView().getAnimating()) {
    // two movements at once would end at a place that neither meant
    map.once("moveend", bringIntoView);
  } else {
    // positions in pixels are those of the last frame, which after a jump shows another place
    map.renderSync();
    bringIntoView();
  }
  return overlay;
}

/**
 * @param {HTMLElement} content
 * @param {() => void} onclose
 */
function framed(content, onclose) {
  return element(
    "div",
    { class: "popup" },
    content,
    element("button", { type: "button", class: "popup-close", "aria-label": say("Close popup"), text: "×", onclick: onclose }),
  );
}
