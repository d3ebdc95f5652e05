// The coordinate reference systems of the tile matrix sets, in PROJ's terms (from the EPSG registry), and the
// part of the world that each can draw without tearing, [west, south, east, north] in degrees.
// `home` is what a map of it shows first, `polar` whether a view of it may hold a pole. East beyond 180 means across the
// antimeridian.

/** @import { Box, TileMatrixSet } from "../types.d.ts" */
/** @typedef {{ area: Box, home: Box, proj4?: string, polar?: boolean }} System */

/** @type {System} */
const WORLD = { area: [-180, -90, 180, 90], home: [-170, -58, 180, 76] };

/** @type {Record<string, System>} */
const SYSTEMS = {
  "CRS:84": WORLD,
  "EPSG:4326": WORLD,
  "EPSG:3857": { area: [-180, -85.06, 180, 85.06], home: [-170, -56, 180, 74] },
  "EPSG:3395": {
    proj4: "+proj=merc +lon_0=0 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m",
    area: [-180, -84, 180, 84],
    home: [-170, -56, 180, 74],
  },
  "EPSG:3978": {
    proj4: "+proj=lcc +lat_0=49 +lon_0=-95 +lat_1=49 +lat_2=77 +x_0=0 +y_0=0 +datum=NAD83 +units=m",
    area: [-180, 8, -10, 90],
    home: [-135, 42, -60, 78],
    polar: true,
  },
  "EPSG:3035": {
    proj4: "+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80 +units=m",
    area: [-60, 15, 90, 88],
    home: [-12, 35, 34, 70],
  },
  "EPSG:5482": {
    proj4: "+proj=stere +lat_0=-90 +lon_0=180 +k=0.994 +x_0=5000000 +y_0=1000000 +ellps=GRS80 +units=m",
    area: [-180, -90, 180, -40],
    home: [-180, -90, 180, -64],
    polar: true,
  },
  "EPSG:2193": {
    proj4: "+proj=tmerc +lat_0=0 +lon_0=173 +k=0.9996 +x_0=1600000 +y_0=10000000 +ellps=GRS80 +units=m",
    area: [140, -65, 206, -10],
    home: [166, -47.5, 179, -34],
  },
  "EPSG:5042": {
    proj4: "+proj=stere +lat_0=-90 +lon_0=0 +k=0.994 +x_0=2000000 +y_0=2000000 +datum=WGS84 +units=m",
    area: [-180, -90, 180, 0],
    home: [-180, -90, 180, -55],
    polar: true,
  },
  "EPSG:5041": {
    proj4: "+proj=stere +lat_0=90 +lon_0=0 +k=0.994 +x_0=2000000 +y_0=2000000 +datum=WGS84 +units=m",
    area: [-180, 0, 180, 90],
    home: [-180, 50, 180, 90],
    polar: true,
  },
  "EPSG:32631": {
    proj4: "+proj=utm +zone=31 +datum=WGS84 +units=m",
    area: [-42, -78, 48, 84],
    home: [-14, 34, 22, 64],
  },
};

/**
 * The CRS of a TileMatrixSet resource; its `code` is as in `EPSG:3035` or `CRS:84`. Throws where it is not known here.
 * @param {Pick<TileMatrixSet, "crs">} tileMatrixSet
 * @returns {System & { code: string }}
 */
export function systemOf(tileMatrixSet) {
  const uri = typeof tileMatrixSet.crs === "string" ? tileMatrixSet.crs : tileMatrixSet.crs.uri;
  const code = /CRS84$/.test(uri) ? "CRS:84" : `EPSG:${uri.match(/\d+$/)?.[0]}`;
  const known = SYSTEMS[code];
  if (!known) throw new Error(`This viewer does not know the coordinate reference system ${uri}.`);
  return { code, ...known };
}
