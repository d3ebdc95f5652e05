import assert from "node:assert/strict";
import { test } from "node:test";

import { areaBox, areaOutline } from "../../../../../services/viewer/browser/cartography/area-outline.js";
import { areaFilter } from "../../../../../services/viewer/browser/filters/area.js";
import { drawnArea } from "../../../../../services/viewer/browser/model/area-drawing.js";
import { areaText, parseArea } from "../../../../../services/viewer/browser/model/area.js";
import { areaWords, parseNearness } from "../../../../../services/viewer/browser/words/area.js";

const BOX = { kind: "box", box: [118, 21, 123, 26] };
const CIRCLE = { kind: "circle", center: [121.5319, 25.0478], kilometres: 300, name: "Taipei, Taiwan" };
const POLYGON = { kind: "polygon", ring: [[118, 21], [123, 21], [123, 26]] };

for (const [area, text, filter, words] of [
  [BOX, "box/118,21,123,26", "S_INTERSECTS(geom, BBOX(118, 21, 123, 26))", "in the box 21°N 118°E to 26°N 123°E"],
  [CIRCLE, "circle/121.5319,25.0478,300/Taipei, Taiwan", "S_DWITHIN(geom, POINT(121.5319 25.0478), 300, 'kilometers')", "within 300 km of Taipei, Taiwan"],
  [{ ...CIRCLE, name: "" }, "circle/121.5319,25.0478,300", "S_DWITHIN(geom, POINT(121.5319 25.0478), 300, 'kilometers')", "within 300 km of 25.048°N 121.532°E"],
  [POLYGON, "polygon/118,21,123,21,123,26", "S_INTERSECTS(geom, POLYGON((118 21, 123 21, 123 26, 118 21)))", "in a polygon of 3 corners"],
]) {
  test(`an area is a text, a filter and words: ${text}`, () => {
    assert.deepEqual(parseArea(text), area);
    assert.equal(areaText(area), text);
    assert.equal(areaFilter(area, "geom"), filter);
    assert.equal(areaWords(area), words);
  });
}

test("a column with a name of its own is quoted", () => {
  assert.equal(areaFilter(BOX, "the geom"), 'S_INTERSECTS("the geom", BBOX(118, 21, 123, 26))');
});

for (const [text, fault] of [
  ["square/1,2", /box, a circle or a polygon/], ["box/1,2,3", /four edges/], ["box/1,2,3,x", /numbers/], ["box/1,2,,4", /numbers/], ["box", /numbers/],
  ["box/1,5,2,4", /north/], ["box/1,5,2,5", /north/], ["box/1,2,1,4", /width/], ["box/181,2,3,4", /Longitudes/], ["box/1,-91,3,4", /Latitudes/],
  ["circle/1,2", /distance/], ["circle/1,2,0", /more than 0/], ["circle/1,2,20001", /at most/], ["circle/1,91,5", /Latitudes/], ["circle/-181,1,5", /Longitudes/],
  ["polygon/1,2,3,4", /three corners/], ["polygon/1,2,3,4,5", /for each longitude/], ["polygon/1,1,2,2,3,3", /line/], ["polygon/1,91,2,2,3,3", /Latitudes/],
  ["polygon/110,0,150,30,150,0,110,30", /cross or touch/], ["polygon/0,0,10,0,10,10,5,0,0,10", /cross or touch/],
  ["polygon/170,0,-170,0,-170,10,175,10,175,20,-170,20,-170,30,170,30", /antimeridian once/],
  [`polygon/${Array.from({ length: 101 }, (_, at) => `${at},${at % 2}`).join()}`, /100 corners/],
]) {
  test(`what is wrong with an area is said: ${text.slice(0, 30)}`, () => assert.throws(() => parseArea(text), fault));
}

test("a polygon over the antimeridian is asked for on both sides of it", () => {
  const area = parseArea("polygon/170,0,-170,0,-170,10");
  assert.deepEqual(area.ring, [[170, 0], [190, 0], [190, 10]]);
  assert.equal(
    areaFilter(area, "geom"),
    "S_INTERSECTS(geom, POLYGON((180 5, 170 0, 180 0, 180 5))) OR S_INTERSECTS(geom, POLYGON((-180 5, -180 0, -170 0, -170 10, -180 5)))",
  );
  assert.deepEqual(areaBox(area), [170, 0, 190, 10]);
  // whichever way it is drawn, and in whichever copy of the world
  assert.deepEqual(areaBox(drawnArea("polygon", [[-170, 0], [-190, 0], [-190, 10]], false)), [170, 0, 190, 10]);
});

test("an area is drawn point by point", () => {
  assert.equal(drawnArea("box", [[1, 2]], false), null);
  assert.equal(drawnArea("box", [[1, 2], [1, 2]], false), null);
  for (const corners of [[[3, 4], [1, 2]], [[1, 2], [3, 4]], [[1, 4], [3, 2]]]) assert.deepEqual(drawnArea("box", corners, false).box, [1, 2, 3, 4]);
  // longitudes that run on, and those that do not
  assert.deepEqual(drawnArea("box", [[170, 4], [190, 2]], false).box, [170, 2, -170, 4]);
  assert.deepEqual(drawnArea("box", [[170, 4], [-170, 2]], true).box, [170, 2, -170, 4]);
  assert.deepEqual(drawnArea("box", [[170, 4], [-170, 2]], false).box, [-170, 2, 170, 4]);
  assert.deepEqual(drawnArea("box", [[-200, 4], [200, 2]], false).box, [-180, 2, 180, 4]);
  const circle = drawnArea("circle", [[481, 0], [482, 0]], false);
  assert.deepEqual(circle, { kind: "circle", center: [121, 0], kilometres: 111, name: "" });
  assert.equal(drawnArea("circle", [[1, 2], [1, 2]], false), null);
  assert.equal(drawnArea("polygon", [[1, 1], [2, 2], [3, 3]], false), null);
});

test("an outline is closed and goes around its area", () => {
  for (const area of [BOX, CIRCLE, POLYGON]) {
    const ring = areaOutline(area);
    assert.deepEqual(ring[0].map((value) => value.toFixed(6)), ring.at(-1).map((value) => value.toFixed(6)));
    assert.ok(ring.length > 10);
  }
  const [west, south, east, north] = areaBox(CIRCLE);
  assert.ok(Math.abs(north - south - 600 / 110.8) < 0.02, `${north - south}`);
  assert.ok(Math.abs((west + east) / 2 - 121.5319) < 1e-6);
  // around the pole, and over the antimeridian
  assert.deepEqual(areaBox({ kind: "circle", center: [10, 85], kilometres: 1000, name: "" }).filter((_, at) => at !== 1), [-180, 180, 90]);
  assert.deepEqual(areaBox({ kind: "circle", center: [10, -85], kilometres: 1000, name: "" })[1], -90);
  const [left, , right] = areaBox({ kind: "circle", center: [-179, 0], kilometres: 500, name: "" });
  assert.ok(left > 176 && left < 177 && right > 185 && right < 186);
  assert.deepEqual(areaBox({ kind: "box", box: [170, -10, -170, 10] }), [170, -10, 190, 10]);
});

test("people say how near it is", () => {
  for (const text of ["within 300 km of Taipei", "300 km of Taipei", "300km around Taipei", " in 300 kilometres from Taipei ", "Within 300 KM near Taipei"]) {
    assert.deepEqual(parseNearness(text), { kilometres: 300, place: "Taipei" });
  }
  assert.equal(parseNearness("50 nmi of Taipei").kilometres, 92.6);
  assert.equal(parseNearness("50 nautical miles of Taipei").kilometres, 92.6);
  assert.equal(parseNearness("2,5 miles of 25, 121").kilometres, 4.023);
  assert.equal(parseNearness("850 m of Taipei").kilometres, 0.85);
  for (const text of ["Taipei", "300 km", "within Taipei", "300 parsecs of Taipei", "km of Taipei", "25, 121"]) assert.equal(parseNearness(text), null);
});
