// The GeoJSON of a followed storm. Both engines draw it by the properties below.

import { pathLength } from "../cartography/geodesic.js";
import { beside } from "../cartography/longitudes.js";
import { windZone } from "../cartography/wind-zone.js";
import { inARow, say } from "../words/say.js";
import { clockWords, hourWords } from "../words/time.js";
import { numberOf } from "./storm-life.js";

/**
 * @import { Feature, FeatureCollection, Geometry, Item, Position, Properties } from "../types.d.ts"
 * @import { Advisory, Step } from "./storm-life.js"
 * @typedef {object} Told
 * @property {Step[]} steps
 * @property {number} at the number of the step that is looked at
 * @property {number} wind kt
 * @property {Advisory | null} advisory
 * @property {Item[]} expectedZones of the advisory
 * @property {string} [name] of the storm, where more than one is drawn
 * @typedef {object} Palette
 * @property {(properties: Properties) => string} step the colour of a step, by its strength
 * @property {(wind: number) => string} zone the colour of a zone, by its wind in kt
 */

/*
 * `role` is what a feature is:
 *   zone, expected-zone      areas of `color`; `chosen` is the one that is looked at
 *   track, expected-track    lines of `color`
 *   step, expected-step      points of `color`
 *   landfall                 a point on top of a step, with `text`
 *   time                     a `text` beside a step; `zoom` is the zoom level from which there is room for it
 *   now, expected-now        the step that is looked at
 */

const HOUR = 3600e3;
/** Hours between times along the track, and the zoom level from which they stand there. */
const TIMES = [[24, 3], [12, 5], [6, 6], [3, 7]];

/**
 * @param {Told} told
 * @param {Palette} palette
 * @returns {FeatureCollection}
 */
export function stormDrawing({ steps, at, wind, advisory, expectedZones, name = "" }, palette) {
  const step = steps[at];
  const track = steps.filter(({ aside }) => !aside);
  const past = track.filter(({ expected }) => !expected);
  const ahead = track.slice(Math.max(0, past.length - 1));
  const then = advisory?.steps.filter(({ moment }) => moment >= advisory.moment) ?? [];
  const same = then.find(({ moment }) => moment === step?.moment);
  return {
    type: "FeatureCollection",
    features: [
      ...expectedZones.flatMap((zone) => expectedZone(zone, palette)),
      ...(step ? zonesOf(step, wind, palette) : []),
      ...lines(past, "track", palette),
      ...lines(ahead, "expected-track", palette),
      ...lines(then, "expected-track", palette),
      ...track.map((each) => point(each, each.expected ? "expected-step" : "step", { color: palette.step(each.properties) })),
      ...then.map((each) => point(each, "expected-step", { color: palette.step(each.properties) })),
      ...steps.filter(({ landfall }) => landfall !== null).map((each) => point(each, "landfall", { text: landfallWords(each) })),
      ...times(track.filter((each) => each !== step)),
      ...(same ? [point(same, "expected-now", { color: palette.step(same.properties) })] : []),
      ...(step ? [point(step, "now", { color: palette.step(step.properties), text: inARow([name, clockWords(step.moment)]) })] : []),
    ],
  };
}

/**
 * The box around a storm's steps; east is beyond 180 where it crossed ±180°.
 * @param {Step[]} steps
 * @returns {import("../types.d.ts").Box}
 */
export function stormBox(steps) {
  const latitudes = steps.map(({ position }) => position[1]);
  let before = steps[0].position[0];
  const longitudes = steps.map(({ position }) => (before = beside(position[0], before)));
  const [west, east] = [Math.min(...longitudes), Math.max(...longitudes)];
  const turn = west < -180 ? 360 : 0;
  return [west + turn, Math.min(...latitudes), east + turn, Math.max(...latitudes)];
}

/**
 * The ring of the current zone; null if the extent of this wind is unknown at this step.
 * @param {Step | null} step
 * @param {number} wind
 */
export function zoneRing(step, wind) {
  const radii = step?.winds?.radii.get(wind);
  return step?.winds && radii ? windZone(step.winds.center, radii) : null;
}

/**
 * How an advisory's expectation for a moment differs from what happened; null where it has none.
 * @param {Advisory} advisory
 * @param {Step} step
 */
export function difference(advisory, step) {
  const expected = advisory.steps.find(({ moment, expected: ahead }) => ahead && moment === step.moment);
  if (!expected) return null;
  const wind = numberOf(expected.properties.wind_kt);
  return { metres: pathLength([expected.position, step.position]), wind, hours: (expected.moment - advisory.moment) / HOUR };
}

/**
 * @param {Step} step
 * @param {number} wind
 * @param {Palette} palette
 */
function zonesOf({ winds }, wind, palette) {
  if (!winds) return [];
  return [...winds.radii].map(([speed, radii]) => {
    const geometry = /** @type {Geometry} */ ({ type: "Polygon", coordinates: [windZone(winds.center, radii)] });
    return feature(geometry, { role: "zone", color: palette.zone(speed), chosen: speed === wind, dashed: winds.expected });
  });
}

/**
 * @param {Item} zone
 * @param {Palette} palette
 */
function expectedZone({ geometry, properties }, palette) {
  if (!geometry || properties.kind !== "forecast") return [];
  return [feature(geometry, { role: "expected-zone", color: palette.zone(numberOf(properties.wind_speed_kt) ?? 0) })];
}

/**
 * Lines between steps, one for each run of the same colour: that of the step where it begins.
 * @param {Step[]} steps
 * @param {string} role
 * @param {Palette} palette
 */
function lines(steps, role, palette) {
  /** @type {{ color: string, line: Position[] }[]} */
  const runs = [];
  for (let at = 1; at < steps.length; at++) {
    const [from, to] = [steps[at - 1].position, steps[at].position];
    const color = palette.step(steps[at - 1].properties);
    const run = runs.at(-1);
    /** @type {Position} */
    const next = [beside(to[0], from[0]), to[1]];
    // a line that crosses ±180° starts again on the other side
    if (run?.color === color && run.line.at(-1)?.[0] === from[0]) run.line.push(next);
    else runs.push({ color, line: [from, next] });
  }
  return runs.map(({ color, line }) => feature({ type: "LineString", coordinates: line }, { role, color }));
}

/**
 * Times of the steps at full hours: days from afar, hours from near; from midway the weather's main hours.
 * @param {Step[]} steps
 */
function times(steps) {
  return steps.flatMap((step) => {
    const found = TIMES.find(([hours]) => step.moment % (hours * HOUR) === 0);
    return found ? [point(step, "time", { text: hourWords(step.moment), zoom: found[1] })] : [];
  });
}

/** @param {Step} step */
const landfallWords = ({ landfall }) => (landfall ? say("Landfall, {place}", { place: landfall }) : say("Landfall"));

/**
 * @param {Step} step
 * @param {string} role
 * @param {Properties} [properties]
 */
const point = ({ position }, role, properties) => feature({ type: "Point", coordinates: position }, { role, ...properties });

/**
 * @param {Geometry} geometry
 * @param {Properties} properties
 * @returns {Feature}
 */
const feature = (geometry, properties) => ({ type: "Feature", geometry, properties });
