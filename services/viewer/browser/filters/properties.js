// The properties that filters of a collection may use: its queryables, with values and ranges from its schema.

import { address, collectionPath, getJson } from "../service/api.js";
import { propertyTitle } from "../words/format.js";
import { loadDescriptions } from "../words/say.js";

/**
 * @import { Collection, FilterProperty, PropertyKind } from "../types.d.ts"
 * @typedef {{
 *   type?: string, format?: string, title?: string, description?: string, enum?: unknown[], "x-ogc-unit"?: string, "x-dams-unitLabel"?: string,
 *   "x-ogc-role"?: string, minimum?: number, maximum?: number, formatMinimum?: string, formatMaximum?: string,
 * }} Declared a property in a JSON Schema
 */

/** @type {Map<string, Promise<FilterProperty[]>>} */
const loaded = new Map(); // by collection id

/**
 * The properties of a collection that filters may use, fetched once. Throws ApiError.
 * @param {Collection} collection
 * @returns {Promise<FilterProperty[]>}
 */
export function filterProperties(collection) {
  const before = loaded.get(collection.id);
  if (before) return before;
  const loading = load(collection);
  loading.catch(() => loaded.delete(collection.id));
  loaded.set(collection.id, loading);
  return loading;
}

/** @param {Collection} collection */
async function load(collection) {
  const path = collectionPath(collection.id);
  const [queryables, schema, descriptions] = await Promise.all([
    getJson(address(`${path}/queryables`, { f: "schemajson" })),
    getJson(address(`${path}/schema`)).catch(() => ({})),
    loadDescriptions(),
  ]);
  const properties = filterPropertiesOf(collection, queryables.properties, schema.properties ?? {});
  return properties.map((each) => ({ ...each, description: descriptions[each.description ?? ""] ?? each.description }));
}

/**
 * The properties that filters may use, of the queryables and of the schema, which has ranges and values.
 * @param {Pick<Collection, "columns">} collection
 * @param {Record<string, Declared>} queryables
 * @param {Record<string, Declared>} schema
 * @returns {FilterProperty[]}
 */
export function filterPropertiesOf({ columns }, queryables, schema) {
  return Object.entries(queryables).flatMap(([name, queryable]) => {
    const declared = { ...queryable, ...schema[name] };
    const column = columns.find((each) => each.name === name);
    // a schema may leave the type of a value open
    const kind = kindOf({ ...declared, type: queryable.type });
    if (kind === null) return [];
    return [{
      name,
      // that of the page is in its language
      title: column?.title ?? declared.title ?? propertyTitle(name, column),
      description: declared.description ?? null,
      unit: declared["x-dams-unitLabel"] ?? declared["x-ogc-unit"] ?? null,
      kind,
      values: declared.enum?.filter((value) => value !== null).map(String) ?? null,
      least: declared.minimum ?? declared.formatMinimum ?? null,
      most: declared.maximum ?? declared.formatMaximum ?? null,
    }];
  });
}

/**
 * @param {Declared} declared
 * @returns {PropertyKind | null}
 */
function kindOf({ type, format = "", enum: values }) {
  if (format.startsWith("geometry")) return null;
  if (type === "number" || type === "integer") return "number";
  if (type === "boolean") return "boolean";
  if (type !== "string") return null;
  if (format === "date-time") return "instant";
  if (format === "date") return "date";
  return values ? "choice" : "text";
}
