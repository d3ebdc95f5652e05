// The map's own buttons, credits and scale: at the side across from the panel, and in the language of the page.

import { sheet } from "../../page/layout.js";
import { FROM_RIGHT, say } from "../../words/say.js";

/** @import * as MapLibre from "maplibre-gl" */

/** MapLibre's texts. */
export const MAP_WORDS = {
  "Map.Title": say("Map; arrow keys move it, + and - zoom"),
  "NavigationControl.ZoomIn": say("Zoom in"),
  "NavigationControl.ZoomOut": say("Zoom out"),
  "GlobeControl.Enable": say("Enable globe"),
  "GlobeControl.Disable": say("Disable globe"),
  "AttributionControl.ToggleAttribution": say("Sources of the map"),
  "Popup.Close": say("Close popup"),
};

/**
 * @param {typeof import("./library.js")} library
 * @param {MapLibre.Map} map
 */
export function addControls(library, map) {
  const side = FROM_RIGHT ? "left" : "right";
  map.addControl(new library.NavigationControl({ showCompass: false }), `top-${side}`);
  map.addControl(new library.GlobeControl(), `top-${side}`);
  map.addControl(new library.AttributionControl({ compact: sheet.matches || undefined }), `bottom-${side}`);
  // MapLibre does not unfold an attribution that starts folded. On a phone, the credits of many collections would cover
  // a third of the map.
  if (sheet.matches) map.getContainer().querySelector(".maplibregl-ctrl-attrib")?.classList.add("maplibregl-compact");
  map.addControl(new library.ScaleControl({ maxWidth: 100 }), `bottom-${side}`);
}
