// An example of a filter, and the range of a property in words.

import { formatNumber } from "../words/format.js";
import { say } from "../words/say.js";
import { filterText } from "./cql2.js";

/** @import { Condition, FilterProperty } from "../types.d.ts" */

const NOT_QUANTITIES = /(^|_)(id|code|year|season|count|advisory|latitude|longitude|lat|lon)$/;

/**
 * A filter that one could write for these properties, as CQL2 text: at most two conditions.
 * @param {FilterProperty[]} properties
 */
export function exampleFilter(properties) {
  const main = [quantity(properties), choice(properties)].filter((one) => one !== null);
  const further = since(properties) ?? given(properties);
  return filterText([...main, ...(further ? [further] : [])].slice(0, main.length ? 2 : 1), "AND");
}

/**
 * @param {FilterProperty[]} properties
 * @returns {Condition | null}
 */
function quantity(properties) {
  for (const { name, kind, least, most } of properties) {
    if (kind !== "number" || NOT_QUANTITIES.test(name) || typeof least !== "number" || typeof most !== "number") continue;
    if (least < most) return { property: name, kind, operator: ">=", value: roundBetween(least, most) };
  }
  return null;
}

/**
 * @param {FilterProperty[]} properties
 * @returns {Condition | null}
 */
function choice(properties) {
  const found = properties.find(({ kind, values }) => kind === "choice" && (values?.length ?? 0) > 1);
  return found ? { property: found.name, kind: "choice", operator: "=", value: found.values?.[0] } : null;
}

/**
 * @param {FilterProperty[]} properties
 * @returns {Condition | null}
 */
function since(properties) {
  const found = properties.find(({ kind, least, most }) => kind === "instant" && (least ?? most));
  if (!found) return null;
  const day = String(found.least ?? found.most).slice(0, 10);
  return { property: found.name, kind: "instant", operator: ">=", value: `${day}T00:00:00Z` };
}

/**
 * @param {FilterProperty[]} properties
 * @returns {Condition | null}
 */
const given = ([first]) => (first ? { property: first.name, operator: "filled" } : null);

/**
 * A number with few digits about the middle.
 * @param {number} least
 * @param {number} most
 */
function roundBetween(least, most) {
  const step = 10 ** Math.floor(Math.log10((most - least) / 2));
  return Number((Math.ceil((least + most) / 2 / step) * step).toPrecision(12));
}

/**
 * The range of a property in words, or null: `-0.8 to 6.4 km`.
 * @param {Pick<FilterProperty, "kind" | "least" | "most" | "unit">} property
 */
export function rangeText({ kind, least, most, unit }) {
  if (least === null || most === null) return null;
  /** @param {number | string} value */
  const text = (value) => (kind === "number" ? formatNumber(Number(value)) : String(value).slice(0, 10));
  return [say("{least} to {most}", { least: text(least), most: text(most) }), unit].filter(Boolean).join(" ");
}
