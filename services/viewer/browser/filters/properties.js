// What filters may ask of a collection: its queryables, with the values and ranges that its schema tells.

import { address, collectionPath, getJson } from "../service/api.js";
import { filterText } from "./cql2.js";
import { formatNumber, propertyTitle } from "../words/format.js";

const known = new Map(); // collection id -> promise

/**
 * `[{name, title, description, unit, kind, values, least, most}]` of a collection, fetched once. `kind` is one of
 * the keys of OPERATORS in cql2.js; `values` are the only ones there are; `least` and `most` are numbers or ISO texts.
 * Throws ApiError.
 */
export function filterProperties(collection) {
  if (!known.has(collection.id)) {
    const loading = load(collection);
    loading.catch(() => known.delete(collection.id));
    known.set(collection.id, loading);
  }
  return known.get(collection.id);
}

async function load(collection) {
  const path = collectionPath(collection.id);
  const [queryables, schema] = await Promise.all([
    getJson(address(`${path}/queryables`, { f: "schemajson" })),
    getJson(address(`${path}/schema`)).catch(() => ({ properties: {} })),
  ]);
  const columns = new Map(collection.columns.map((column) => [column.name, column]));
  return Object.entries(queryables.properties).flatMap(([name, declared]) => {
    const told = { ...declared, ...schema.properties?.[name] };
    // a schema's types have null beside them
    const kind = kindOf({ ...told, type: declared.type });
    if (kind === null) return [];
    return [{
      name,
      title: told.title ?? propertyTitle(name, columns.get(name)),
      description: told.description ?? null,
      unit: told["x-ogc-unit"] ?? null,
      kind,
      values: told.enum?.filter((value) => value !== null).map(String) ?? null,
      least: told.minimum ?? told.formatMinimum ?? null,
      most: told.maximum ?? told.formatMaximum ?? null,
    }];
  });
}

function kindOf({ type, format = "", enum: values }) {
  if (format.startsWith("geometry")) return null;
  if (type === "number" || type === "integer") return "number";
  if (type === "boolean") return "boolean";
  if (type !== "string") return null;
  if (format === "date-time") return "instant";
  if (format === "date") return "date";
  return values ? "choice" : "text";
}

const NOT_QUANTITIES = /(^|_)(id|code|year|season|count|latitude|longitude|lat|lon)$/;

/** A filter that one could write for these properties, as CQL2 text: at most two conditions. */
export function exampleFilter(properties) {
  const number = properties.find(({ kind, name, least, most }) => kind === "number" && least < most && !NOT_QUANTITIES.test(name));
  const choice = properties.find(({ kind, values }) => kind === "choice" && values.length > 1);
  const instant = properties.find(({ kind, least, most }) => kind === "instant" && (least ?? most));
  const conditions = [
    number && { property: number.name, kind: "number", operator: ">=", value: roundBetween(number.least, number.most) },
    choice && { property: choice.name, kind: "choice", operator: "=", value: choice.values[0] },
    instant && { property: instant.name, kind: "instant", operator: ">=", value: `${String(instant.least ?? instant.most).slice(0, 10)}T00:00:00Z` },
    properties[0] && { property: properties[0].name, operator: "filled" },
  ];
  return filterText(conditions.filter(Boolean).slice(0, conditions[0] || conditions[1] ? 2 : 1), "AND");
}

/** A number with few digits about the middle. */
function roundBetween(least, most) {
  const step = 10 ** Math.floor(Math.log10((most - least) / 2));
  return Number((Math.ceil((least + most) / 2 / step) * step).toPrecision(12));
}

/** The range of a property in words, or null: `-0.8 to 6.4 km`. */
export function rangeText({ kind, least, most, unit }) {
  if (least === null || most === null) return null;
  const text = (value) => (kind === "number" ? formatNumber(value) : String(value).slice(0, 10));
  return [text(least), "to", text(most), unit].filter(Boolean).join(" ");
}
