// MapLibre's worker, with an ear for the headers of tiles; that must be there first.

import "./tile-headers.js";

// exported, as its package says of no script that it does something by itself
// @ts-expect-error the package has no types of its worker
export { default } from "maplibre-gl/dist/maplibre-gl-worker.mjs";
