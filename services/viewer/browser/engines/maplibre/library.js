// MapLibre, for the page and for its worker, with an ear for the headers of tiles; that must be there first.

import "./tile-headers.js";

export { AttributionControl, GlobeControl, Map, NavigationControl, Popup, ScaleControl } from "maplibre-gl";
