import assert from "node:assert/strict";
import { test } from "node:test";

import { systemOf } from "../../../../../services/viewer/browser/cartography/projections.js";

const EPSG = (code) => `http://www.opengis.net/def/crs/EPSG/0/${code}`;

test("the CRS of a tile matrix set is found by its URI", () => {
  assert.equal(systemOf({ crs: "http://www.opengis.net/def/crs/OGC/1.3/CRS84" }).code, "CRS:84");
  assert.equal(systemOf({ crs: { uri: EPSG(3035) } }).code, "EPSG:3035");
  assert.match(systemOf({ crs: EPSG(3035) }).proj4, /^\+proj=laea \+lat_0=52 \+lon_0=10 /);
});

test("one that is not known is refused by name", () => {
  assert.throws(() => systemOf({ crs: EPSG(9999) }), /does not know the coordinate reference system .*9999/);
});

test("a view of some holds a pole, and what is seen first can be drawn", () => {
  const codes = [4326, 3857, 3395, 3978, 3035, 5482, 2193, 5042, 5041, 32631];
  assert.deepEqual(codes.filter((code) => systemOf({ crs: EPSG(code) }).polar), [3978, 5482, 5042, 5041]);
  for (const code of codes) {
    const { area: [west, south, east, north], home } = systemOf({ crs: EPSG(code) });
    assert.ok(west <= home[0] && south <= home[1] && home[2] <= east && home[3] <= north, String(code));
  }
});
