// Maps of OpenLayers: by its own reader of OGC API Tiles, which learns all it needs from the tileset's address, and by
// ol-mapbox-style, which learns it from the style's.

import Map from "ol/Map.js";
import View from "ol/View.js";
import MVT from "ol/format/MVT.js";
import VectorTileLayer from "ol/layer/VectorTile.js";
import { fromLonLat } from "ol/proj.js";
import OGCVectorTile from "ol/source/OGCVectorTile.js";
import { apply } from "ol-mapbox-style";

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

/** How often each colour occurs, as `#rrggbb`, on a map of the style at this address. */
window.colours = async (style, center, zoom) => {
  document.body.innerHTML = '<div id="map" style="width: 800px; height: 600px"></div>';
  const map = await apply("map", style);
  map.getControls().clear();
  map.setView(new View({ center: fromLonLat(center), zoom }));
  await new Promise((resolve) => {
    map.once("rendercomplete", resolve);
    map.render();
  });
  const found = {};
  for (const canvas of document.querySelectorAll("#map canvas")) {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4) {
      const color = "#" + [0, 1, 2].map((place) => data[at + place].toString(16).padStart(2, "0")).join("");
      found[color] = (found[color] ?? 0) + 1;
    }
  }
  return found;
};
