import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";


import { systemOf } from "../../../../../services/viewer/browser/cartography/projections.js";

const proj4 = createRequire(new URL("../../../../../services/viewer/package.json", import.meta.url))("proj4");
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

for (const [code, position, expected, tolerance] of [
  // the natural origin, where the registry has false eastings and northings
  [3035, [10, 52], [4_321_000, 3_210_000], 0.01], [3978, [-95, 49], [0, 0], 0.01], [2193, [173, 0], [1_600_000, 10_000_000], 0.01],
  [32631, [3, 0], [500_000, 0], 0.01], [5041, [0, 90], [2_000_000, 2_000_000], 0.01], [5042, [0, -90], [2_000_000, 2_000_000], 0.01],
  [5482, [180, -90], [5_000_000, 1_000_000], 0.01], [3395, [180, 0], [20_037_508.34, 0], 0.01],
  // the worked example of EPSG's guidance note 7-2
  [3035, [5, 50], [3_962_799.45, 2_999_718.85], 0.01],
  // a quarter of the meridian's way to the pole, by the scale of transverse Mercator
  [32631, [3, 45], [500_000, 4_982_950.4], 0.1], [2193, [173, -45], [1_600_000, 5_017_049.6], 0.1],
  // a degree along the standard parallel of 49° is 73.2 kilometres
  [3978, [-94, 49], [73_170, 575], 5],
  // ten degrees from a pole are some 1,110 kilometres
  [5041, [0, 80], [2_000_000, 889_000], 5_000], [5042, [0, -80], [2_000_000, 3_111_000], 5_000], [5482, [180, -80], [5_000_000, 2_111_000], 5_000],
]) {
  test(`positions are where the registry has them: EPSG:${code} ${position}`, () => {
    const found = proj4(systemOf({ crs: EPSG(code) }).proj4, position);
    for (const axis of [0, 1]) assert.ok(Math.abs(found[axis] - expected[axis]) <= tolerance, `${found}`);
  });
}

for (const [code, inside, outside] of [
  [4326, [[-160, -55], [175, 75]], [[0, -70], [0, 80]]], [3857, [[-67, -55], [175, 70]], [[0, -70], [0, 80]]], [3395, [[-67, -55], [175, 70]], [[0, -70], [0, 80]]],
  [3978, [[-123, 49], [-63, 44.6], [-75.7, 45.4]], [[-80, 25], [0, 50]]], [3035, [[-9.1, 38.7], [25, 60.2], [23.7, 38]], [[50, 50], [-30, 50]]],
  [2193, [[174.8, -41.3], [168, -46]], [[151, -33], [-170, -40]]], [5482, [[166, -77.8]], [[174, -41]]], [5042, [[166, -77.8]], [[174, -41]]],
  [5041, [[15, 78], [-150, 61]], [[15, 40]]], [32631, [[2.3, 48.8], [-3.7, 40.4]], [[30, 50], [3, 20]]],
]) {
  test(`a map shows first what it is made for: EPSG:${code}`, () => {
    const { home: [west, south, east, north] } = systemOf({ crs: EPSG(code) });
    const holds = ([x, y]) => west <= x && x <= east && south <= y && y <= north;
    assert.deepEqual([inside.every(holds), outside.some(holds)], [true, false]);
  });
}

test("a map draws as far as its projection can", () => {
  const areaOf = (code) => systemOf({ crs: EPSG(code) }).area;
  // Web Mercator ends where the world is as high as wide
  assert.ok(Math.abs(areaOf(3857)[3] - 85.0511) < 0.01 && areaOf(3857)[1] === -areaOf(3857)[3]);
  assert.deepEqual(areaOf(4326), [-180, -90, 180, 90]);
  assert.deepEqual(systemOf({ crs: "http://www.opengis.net/def/crs/OGC/1.3/CRS84" }).area, areaOf(4326));
  // none reaches beyond where what it is made for is drawn without tearing
  for (const [code, [west, south, east, north]] of [[3978, [-180, 0, 0, 90]], [3035, [-70, 0, 100, 90]], [32631, [-45, -84, 51, 84]], [5482, [-180, -90, 180, -30]]]) {
    const area = areaOf(code);
    assert.ok(west <= area[0] && south <= area[1] && area[2] <= east && area[3] <= north, String(code));
  }
  // New Zealand's lies on both sides of the antimeridian
  assert.ok(areaOf(2193)[0] < 166 && areaOf(2193)[2] > 180);
  for (const [code, pole] of [[3978, 90], [5041, 90], [5042, -90], [5482, -90]]) assert.equal(pole > 0 ? areaOf(code)[3] : areaOf(code)[1], pole);
});
