// Finds the collections that describe the life of a storm step by step. It looks at their columns, not at their names.

/**
 * @import { Collection } from "../types.d.ts"
 * @typedef {object} StormCollections
 * @property {Collection} steps where storms were, and where the newest advisory expects them
 * @property {Collection | null} advisories the steps of every advisory
 * @property {Collection | null} zones how far winds reach at each step of every advisory
 */

/**
 * The collections that belong to the one with this id; null where none of them has steps.
 * @param {Map<string, Collection>} collections
 * @param {string} id
 * @returns {StormCollections | null}
 */
export function stormCollections(collections, id) {
  const own = collections.get(id);
  if (!own?.eventKey) return null;
  const members = [...collections.values()].filter(({ group, eventKey }) => group === own.group && eventKey === own.eventKey);
  const points = members.filter((each) => each.geometryType?.endsWith("Point") && hasColumns(each, ["valid_time", "wind_kt", "kind"]));
  const isOfAdvisories = (/** @type {Collection} */ each) => hasColumns(each, ["lead_hours", "advisory_time"]);
  const steps = points.find((each) => !isOfAdvisories(each));
  if (!steps) return null;
  const areas = members.filter(({ geometryType }) => geometryType?.endsWith("Polygon"));
  return {
    steps,
    advisories: points.find(isOfAdvisories) ?? null,
    zones: areas.find((each) => hasColumns(each, ["wind_speed_kt", "scope", "advisory_time", "start_date"])) ?? null,
  };
}

/**
 * Those of these columns that a collection has, as the parameter `properties` takes them.
 * @param {Collection} collection
 * @param {string[]} names
 */
export const presentColumns = ({ columns }, names) => names.filter((name) => columns.some((column) => column.name === name)).join();

/**
 * @param {Collection} collection
 * @param {string[]} names
 */
const hasColumns = ({ columns }, names) => names.every((name) => columns.some((column) => column.name === name));
