// Examples of requests to one collection, with values from its data.

import { exampleFilter } from "../filters/example.js";
import { filterPropertiesOf } from "../filters/properties.js";

/**
 * @import { Declared } from "../filters/properties.js"
 * @typedef {Record<string, string>} Examples by parameter
 */

const FEATURES = 3;
const PROPERTIES = 3;

/**
 * Examples by parameter. Throws where the service fails.
 * @param {string} api base address
 * @param {string} id of the collection
 * @returns {Promise<Examples>}
 */
export async function collectionExamples(api, id) {
  /** @param {string} path */
  const get = async (path) => {
    const response = await fetch(`${api}/collections/${encodeURIComponent(id)}/${path}`);
    if (!response.ok) throw new Error(`${response.status} of ${path}`);
    return response.json();
  };
  const asked = ["queryables?f=schemajson", "schema", `items?limit=${FEATURES}&geom-column=none&f=geojson`];
  const [queryables, schema, { features }] = await Promise.all(asked.map(get));
  return examplesOf(queryables.properties, schema.properties, features);
}

/**
 * Examples by parameter, of a collection's queryables, its schema, which has ranges and values, and some of its features.
 * @param {Record<string, Declared>} queryables
 * @param {Record<string, Declared>} schema
 * @param {{ id?: string | number | null }[]} features
 * @returns {Examples}
 */
export function examplesOf(queryables, schema, features) {
  const properties = filterPropertiesOf({ columns: [] }, queryables, schema);
  const ids = features.flatMap(({ id }) => (id === undefined || id === null ? [] : [String(id)]));
  const chosen = properties.filter(({ name }) => schema[name]?.["x-ogc-role"] !== "id");
  const day = dayOf(Object.values(schema).find((declared) => declared["x-ogc-role"]?.match(/^primary-(instant|interval-start)$/)));
  const examples = {
    itemId: ids[0] ?? "",
    // an id with a comma would be several
    ids: ids.filter((id) => !id.includes(",")).join(),
    filter: chosen.length ? exampleFilter(chosen) : "",
    properties: chosen.slice(0, PROPERTIES).map(({ name }) => name).join(),
    datetime: day ? `${day}/..` : "",
  };
  return Object.fromEntries(Object.entries(examples).filter(([, example]) => example));
}

/** @param {Declared | undefined} declared */
const dayOf = (declared) => declared?.formatMaximum?.slice(0, 10);
