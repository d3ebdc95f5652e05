import assert from "node:assert/strict";
import { test } from "node:test";

import { windZone } from "../../../../../services/viewer/browser/cartography/wind-zone.js";

test("a zone has the corners that the stored ones have, across 180 degrees, too", () => {
  const ring = windZone([179.5, 17.9], [45, 30, 0, 35]);
  assert.equal(ring.length, 37);
  // every sixth corner, as deploy/loader/geometry/wind_zones.py makes them
  const stored = [[179.5, 18.65296], [180.2278, 18.18679], [179.93528, 17.62062], [179.5, 17.9], [179.5, 17.9], [178.99045, 18.2247], [179.5, 18.65296]];
  assert.deepEqual(ring.filter((_, at) => at % 6 === 0).map((corner) => corner.map((value) => Number(value.toFixed(5)))), stored);
});
