// The life of a storm as steps: where it was when, how strong, and how far its winds reached; and its advisories.

/**
 * @import { Item, Position, Properties } from "../types.d.ts"
 * @typedef {[number, number, number, number]} Radii nautical miles to the north-east, south-east, south-west, north-west
 * @typedef {object} Winds how far winds reach at a step
 * @property {Position} center
 * @property {Map<number, Radii>} radii by wind speed in kt, the weakest first
 * @property {string | null} issued time of issue of the advisory with these radii (ISO 8601); null if the step has them
 * itself
 * @property {boolean} expected whether the radii were a forecast
 * @typedef {object} Step
 * @property {number} moment milliseconds since 1970
 * @property {Position} position
 * @property {boolean} expected whether the position is a forecast, not an observation
 * @property {boolean} aside whether it is beside the track: an advisory's analysis between two steps of the track
 * @property {Properties} properties
 * @property {string | null} landfall the place of landfall; empty if the data name none
 * @property {Winds | null} winds
 * @typedef {{ issued: string, moment: number, number: number | null, steps: Step[] }} Advisory
 */

const SPEEDS = [34, 50, 64]; // kt
const QUADRANTS = ["ne", "se", "sw", "nw"];

/** The columns that are read of a step. */
export const STEP_COLUMNS = [
  ...["name", "valid_time", "kind", "advisory", "advisory_time", "lead_hours", "category", "status", "wind_kt", "gust_kt"],
  ...["pressure_hpa", "landfall", "landfall_place", "basin"],
  ...SPEEDS.flatMap((speed) => QUADRANTS.map((quadrant) => `${quadrant}${speed}_nm`)),
];

const BESIDE = 3 * 3600e3; // the longest time between a step of the track and one beside it

/**
 * The steps of a storm in the order of time: those of its track, and between them what advisories analysed. The winds
 * of a step are its own, else those that an advisory of the same moment analysed, else those that the newest advisory
 * before expected.
 * @param {Item[]} nodes
 * @param {Advisory[]} advisories
 * @returns {Step[]}
 */
export function lifeOf(nodes, advisories) {
  /** @type {Map<number, Step>} */
  const found = new Map();
  for (const step of nodes.flatMap(stepOf)) if (!found.get(step.moment) || !step.expected) found.set(step.moment, step);
  const moments = [...found.keys()];
  const isAside = (/** @type {number} */ moment) => moments.some((other) => Math.abs(other - moment) <= BESIDE);
  const analysed = advisories.flatMap(({ steps }) => steps.filter(({ expected }) => !expected));
  for (const step of analysed) if (!moments.includes(step.moment)) found.set(step.moment, { ...step, aside: isAside(step.moment) });
  const saying = saidOf(advisories);
  return [...found.values()]
    .sort((a, b) => a.moment - b.moment)
    .map((step) => ({ ...step, winds: step.winds ?? saying.get(step.moment) ?? null }));
}

/**
 * By moment, the best that advisories say of the winds then.
 * @param {Advisory[]} advisories the oldest first
 */
function saidOf(advisories) {
  /** @type {Map<number, Winds>} */
  const said = new Map();
  // advisories do not forecast the past: the last advisory with this moment is the one that analysed it
  for (const { moment, winds } of advisories.flatMap(({ steps }) => steps)) if (winds) said.set(moment, winds);
  return said;
}

/**
 * The advisories, the oldest first, each with its steps in the order of time.
 * @param {Item[]} nodes
 * @returns {Advisory[]}
 */
export function advisoriesOf(nodes) {
  /** @type {Map<string, Advisory>} */
  const found = new Map();
  for (const node of nodes) {
    const issued = textOf(node.properties.advisory_time);
    const [step] = stepOf(node);
    if (issued === null || !step) continue;
    const advisory = found.get(issued) ?? { issued, moment: Date.parse(issued), number: numberOf(node.properties.advisory), steps: [] };
    found.set(issued, advisory);
    advisory.steps.push(step.winds ? { ...step, winds: { ...step.winds, issued } } : step);
  }
  for (const { steps } of found.values()) steps.sort((a, b) => a.moment - b.moment);
  return [...found.values()].sort((a, b) => a.moment - b.moment);
}

/**
 * The number of the step next to a moment.
 * @param {Step[]} steps
 * @param {number} moment
 */
export function nextTo(steps, moment) {
  const away = (/** @type {number} */ at) => Math.abs(steps[at].moment - moment);
  return steps.reduce((best, _, at) => (away(at) < away(best) ? at : best), 0);
}

/**
 * The number of the step that is shown first: of a storm under way where it was last, of others where it was strongest.
 * @param {Step[]} steps
 */
export function firstStep(steps) {
  const seen = steps.findLastIndex(({ expected }) => !expected);
  if (seen >= 0 && seen < steps.length - 1) return seen;
  const wind = (/** @type {number} */ at) => numberOf(steps[at].properties.wind_kt) ?? 0;
  return steps.reduce((best, _, at) => (wind(at) > wind(best) ? at : best), 0);
}

/**
 * @param {Item} node
 * @returns {Step[]} empty if the item has no time or place
 */
function stepOf({ geometry, properties }) {
  const moment = Date.parse(String(properties.valid_time));
  if (geometry?.type !== "Point" || !Number.isFinite(moment)) return [];
  const [longitude, latitude] = geometry.coordinates;
  /** @type {Position} */
  const position = [longitude, latitude];
  const expected = properties.kind === "forecast";
  const radii = radiiOf(properties);
  return [{
    moment,
    position,
    expected,
    aside: false,
    properties,
    landfall: properties.landfall === true ? (textOf(properties.landfall_place) ?? "") : null,
    winds: radii.size ? { center: position, radii, issued: null, expected } : null,
  }];
}

/** @param {Properties} properties */
function radiiOf(properties) {
  /** @type {Map<number, Radii>} */
  const radii = new Map();
  for (const speed of SPEEDS) {
    const values = QUADRANTS.map((quadrant) => numberOf(properties[`${quadrant}${speed}_nm`]) ?? 0);
    if (values.some((value) => value > 0)) radii.set(speed, /** @type {Radii} */ (values));
  }
  return radii;
}

/** @param {unknown} value */
export const numberOf = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);
/** @param {unknown} value */
const textOf = (value) => (typeof value === "string" && value ? value : null);
