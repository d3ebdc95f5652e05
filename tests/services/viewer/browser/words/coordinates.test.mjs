import assert from "node:assert/strict";
import { test } from "node:test";

import { formatPosition, parseCoordinates } from "../../../../../services/viewer/browser/words/coordinates.js";

const near = (text, [longitude, latitude]) => {
  const found = parseCoordinates(text);
  assert.ok(found, text);
  assert.ok(Math.abs(found[0] - longitude) < 1e-6 && Math.abs(found[1] - latitude) < 1e-6, `${text}: ${found}`);
};

test("coordinates are read in the usual spellings", () => {
  for (const text of [
    "25°N 121.5°E", "25N 121.5E", "25 N, 121.5 E", "121.5E 25N", "25, 121.5", "25 121.5", "25;121.5", "N25 E121.5", "N 25° E 121.5°",
    "25°N,121.5°E", "25n121.5e", "25°0'N 121°30'E", "25°0′0″N 121°30′0″E", "25° 0' 0'' N, 121° 30' 0'' E", "geo:25,121.5", "+25/+121.5", "25º N 121.5º E",
  ]) near(text, [121.5, 25]);
  near("33.9°S 151.2°E", [151.2, -33.9]);
  near("-33.9, 151.2", [151.2, -33.9]);
  near("−33.9 −70.6", [-70.6, -33.9]);
  near("90, -180", [-180, 90]);
  near("90S 180E", [180, -90]);
  near("61°13'N 149°53'30\"W", [-149 - 53.5 / 60, 61 + 13 / 60]);
});

test("other texts are none", () => {
  for (const text of ["", "Manila", "2017", "2017 09", "91, 0", "0, 181", "25N 30N", "25E", "1 2 3", "Route 66, 12", "25°N"]) {
    assert.equal(parseCoordinates(text), null, text);
  }
});

test("positions are written with their directions", () => {
  assert.equal(formatPosition([121.5, 25]), "25°N 121.5°E");
  assert.equal(formatPosition([-70.66667, -33.45]), "33.45°S 70.667°W");
});
