// A map of OpenLayers' own reader of OGC API Tiles, which learns all it needs from the tileset's address.

import Map from "ol/Map.js";
import View from "ol/View.js";
import MVT from "ol/format/MVT.js";
import VectorTileLayer from "ol/layer/VectorTile.js";
import { fromLonLat } from "ol/proj.js";
import OGCVectorTile from "ol/source/OGCVectorTile.js";

/** Places of the features in view by id, in `projection`. */
window.places = async (url, projection, center, zoom) => {
  document.body.innerHTML = '<div id="map" style="width: 800px; height: 600px"></div>';
  const source = new OGCVectorTile({ url, projection, format: new MVT() });
  const layer = new VectorTileLayer({ source, renderMode: "vector" });
  const view = new View({ projection, center: fromLonLat(center, projection), zoom });
  const map = new Map({ target: "map", layers: [layer], view, controls: [] });
  await new Promise((resolve, reject) => {
    source.on("tileloaderror", () => reject(new Error("no tile")));
    const look = () => {
      if (source.getState() === "error") reject(new Error("no source"));
      if (source.getState() !== "ready") return;
      source.un("change", look);
      map.once("rendercomplete", resolve);
      map.render();
    };
    source.on("change", look);
  });
  const found = {};
  for (const feature of layer.getFeaturesInExtent(view.calculateExtent(map.getSize()))) {
    found[feature.getId()] = feature.getFlatCoordinates().slice(0, 2);
  }
  return found;
};
