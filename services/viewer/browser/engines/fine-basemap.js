// Land, coast and borders from the 1:10m atlas, in cells of some degrees, where the map is seen from near.

import { address, getJson } from "../service/api.js";

const ZOOM = 6; // where the 1:50m atlas begins to look coarse
const MOST = 40; // cells at a time
const KEPT = 120; // cells in memory

/**
 * Draws the fine cells of the view, once all of them are there; until then, and from afar, the coarse ones show.
 * `edition` keeps caches from giving older files.
 */
export function fineBasemap(engine, edition) {
  const cells = new Map(); // name -> promise of features, the most recently used last
  let drawn = "";
  let wanted = "";
  const update = async () => {
    if (engine.view().zoom < ZOOM) return draw("", null);
    const names = cellsIn(await index(edition), engine.bbox());
    wanted = names.join();
    if (names.length > MOST) return draw("", null);
    if (wanted === drawn) return undefined;
    const loaded = await Promise.all(names.map((name) => cell(cells, name, edition)));
    // the map may have moved on meanwhile
    return wanted === names.join() && engine.view().zoom >= ZOOM ? draw(wanted, loaded.flat()) : undefined;
  };
  const draw = (names, features) => {
    if (names === drawn) return;
    drawn = names;
    engine.setFine(features && { type: "FeatureCollection", features });
  };
  // without the cells the coarse basemap stays
  const quietly = () => update().catch(() => draw("", null));
  engine.onMove(quietly);
  quietly();
}

let known = null;
function index(edition) {
  known ??= getJson(address("/basemap/fine/cells.json", { edition }));
  known.catch(() => (known = null));
  return known;
}

function cell(cells, name, edition) {
  const loading = cells.get(name) ?? getJson(address(`/basemap/fine/${name}.geojson`, { edition })).then(({ features }) => features);
  cells.delete(name);
  cells.set(name, loading);
  loading.catch(() => cells.delete(name));
  if (cells.size > KEPT) cells.delete(cells.keys().next().value);
  return loading;
}

/** Names of the cells that a box (west > east across ±180°) touches. */
function cellsIn({ size, cells }, [west, south, east, north]) {
  const end = east < west ? east + 360 : east;
  return cells.filter((name) => {
    const [left, bottom] = name.split("_").map(Number);
    if (bottom + size < south || bottom > north) return false;
    return [0, 360].some((turn) => left + turn <= end && left + turn + size >= west);
  });
}
