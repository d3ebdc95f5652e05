/*!
 * MapLibre GL JS, https://github.com/maplibre/maplibre-gl-js
 * @license BSD-3-Clause, Copyright (c) MapLibre contributors and Mapbox
 */
// The parts of MapLibre that our maps use, for the page and for its worker: one file, which a browser fetches once.

import "../../node_modules/maplibre-gl/src/source/worker.ts";
import { config } from "../../node_modules/maplibre-gl/src/util/config.ts";

export { Map } from "../../node_modules/maplibre-gl/src/ui/map.ts";
export { AttributionControl } from "../../node_modules/maplibre-gl/src/ui/control/attribution_control.ts";
export { GlobeControl } from "../../node_modules/maplibre-gl/src/ui/control/globe_control.ts";
export { NavigationControl } from "../../node_modules/maplibre-gl/src/ui/control/navigation_control.ts";
export { ScaleControl } from "../../node_modules/maplibre-gl/src/ui/control/scale_control.ts";
export { Popup } from "../../node_modules/maplibre-gl/src/ui/popup.ts";

config.WORKER_URL = import.meta.url;
