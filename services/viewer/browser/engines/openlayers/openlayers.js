// The parts of OpenLayers that the viewer uses. The build makes one file of them for the browser, without the rest.

export { stylefunction } from "ol-mapbox-style";
export { default as Map } from "ol/Map.js";
export { default as Overlay } from "ol/Overlay.js";
export { default as View } from "ol/View.js";
export { default as Feature } from "ol/Feature.js";
export { default as Attribution } from "ol/control/Attribution.js";
export { default as ScaleLine } from "ol/control/ScaleLine.js";
export { default as Zoom } from "ol/control/Zoom.js";
export { defaults as defaultInteractions } from "ol/interaction/defaults.js";
export { default as GeoJSON } from "ol/format/GeoJSON.js";
export { default as MVT } from "ol/format/MVT.js";
export { default as TileLayer } from "ol/layer/Tile.js";
export { default as VectorLayer } from "ol/layer/Vector.js";
export { default as VectorTileLayer } from "ol/layer/VectorTile.js";
export { default as VectorSource } from "ol/source/Vector.js";
export { default as VectorTileSource } from "ol/source/VectorTile.js";
export { default as XYZ } from "ol/source/XYZ.js";
export { default as TileGrid } from "ol/tilegrid/TileGrid.js";
export { default as CircleStyle } from "ol/style/Circle.js";
export { default as Fill } from "ol/style/Fill.js";
export { default as Stroke } from "ol/style/Stroke.js";
export { default as Style } from "ol/style/Style.js";
export { default as Text } from "ol/style/Text.js";
export { fromLonLat, get as getProjection, toLonLat } from "ol/proj.js";
export { register } from "ol/proj/proj4.js";
export { boundingExtent, getCenter } from "ol/extent.js";
export { default as proj4 } from "proj4";
