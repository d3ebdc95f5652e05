// Names, texts and conditions as CQL2 text: all that the page's scripts write of filters.

import { say } from "../words/say.js";

/** @import { Condition, PropertyKind } from "../types.d.ts" */

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** As in libs/cql/quoting.py; a test compares what both make of names. */
const RESERVED = new Set([
  "and", "or", "not", "like", "between", "in", "is", "null", "true", "false", "div",
  "casei", "accenti", "date", "timestamp", "interval", "bbox",
]);

/**
 * Operators by kind of property, as [operator, label]; `empty` and `filled` take no value, `between` two, `in` any number.
 * @type {Record<PropertyKind, [string, string][]>}
 */
export const OPERATORS = {
  number: [
    [">=", say("at least")], ["<=", say("at most")], ["between", say("between")], [">", say("more than")],
    ["<", say("less than")], ["=", say("is")], ["<>", say("is not")], ["in", say("is one of")],
  ],
  text: [["contains", say("contains")], ["=", say("is")], ["<>", say("is not")], ["in", say("is one of")]],
  choice: [["=", say("is")], ["<>", say("is not")], ["in", say("is one of")]],
  instant: [[">=", say("from")], ["<=", say("until")], ["between", say("between")]],
  date: [[">=", say("from")], ["<=", say("until")], ["between", say("between")], ["=", say("is")]],
  boolean: [["=", say("is")]],
};
/** @type {[string, string][]} */
export const NULLITY = [["filled", say("is given")], ["empty", say("is not given")]];

/**
 * A property's name, in double quotes where CQL2 asks for them.
 * @param {string} name
 */
export const quotedName = (name) =>
  NAME.test(name) && !RESERVED.has(name.toLowerCase()) ? name : `"${name.replaceAll('"', '""')}"`;

/**
 * A text as a literal.
 * @param {string} text
 */
export const quoted = (text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;

/**
 * "The property is one of these texts".
 * @param {string} name
 * @param {string[]} texts
 */
export const oneOfTexts = (name, texts) => `${quotedName(name)} IN (${texts.map(quoted).join(",")})`;

/**
 * A text as a pattern of LIKE that matches it alone.
 * @param {string} text
 */
const escaped = (text) => text.replace(/[\\%_]/g, "\\$&");

/**
 * "One of the properties contains this text", in any case.
 * @param {string[]} names
 * @param {string} text
 */
export const containing = (names, text) => {
  const pattern = quoted(`%${escaped(text)}%`);
  return names.map((name) => `CASEI(${quotedName(name)}) LIKE CASEI(${pattern})`).join(" OR ");
};

/**
 * "None of the properties has a value."
 * @param {string[]} names
 */
export const allEmpty = (names) => names.map((name) => `${quotedName(name)} IS NULL`).join(" AND ");

/**
 * A condition as CQL2 text; null while the value is missing or no value of its kind.
 * @param {Condition} condition
 */
export function conditionText({ property, kind, operator, value, upper, values }) {
  const name = quotedName(property);
  if (operator === "empty") return `${name} IS NULL`;
  if (operator === "filled") return `${name} IS NOT NULL`;
  if (operator === "in") return oneOf(name, kind, values ?? []);
  const text = String(value ?? "");
  if (operator === "between") return between(name, kind, text, upper ?? "");
  if (text.trim() === "") return null;
  if (operator === "contains") return containing([property], text);
  const literal = literalOf(kind, text);
  return literal === null ? null : `${name} ${operator} ${literal}`;
}

/**
 * @param {string} name
 * @param {PropertyKind | undefined} kind
 * @param {string[]} values
 */
function oneOf(name, kind, values) {
  const literals = values.filter((value) => value.trim() !== "").map((value) => literalOf(kind, value));
  return literals.length && !literals.includes(null) ? `${name} IN (${literals.join(", ")})` : null;
}

/**
 * Both ends are included. BETWEEN is of numbers; of times there are intervals.
 * @param {string} name
 * @param {PropertyKind | undefined} kind
 * @param {string} lower
 * @param {string} upper
 */
function between(name, kind, lower, upper) {
  if (!lower.trim() || !upper.trim()) return null;
  const literals = [lower, upper].map((value) => literalOf(kind, value));
  if (literals.includes(null)) return null;
  if (kind === "number") return `${name} BETWEEN ${literals.join(" AND ")}`;
  const ends = literals.map((literal) => literal?.replace(/^[A-Z]+\((.*)\)$/, "$1"));
  return `T_INTERSECTS(${name}, INTERVAL(${ends.join(", ")}))`;
}

/**
 * @param {PropertyKind | undefined} kind
 * @param {string} value
 */
function literalOf(kind, value) {
  switch (kind) {
    case "number":
      return Number.isFinite(Number(value)) ? String(Number(value)) : null;
    case "boolean":
      return value === "true" ? "TRUE" : "FALSE";
    case "instant": {
      const time = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`);
      return Number.isFinite(time) ? `TIMESTAMP('${new Date(time).toISOString().replace(".000Z", "Z")}')` : null;
    }
    case "date":
      return /^\d{4}-\d\d-\d\d$/.test(value) ? `DATE('${value}')` : null;
    default:
      return quoted(value);
  }
}

/**
 * Conditions joined by `AND` or `OR`; those without a value are left out.
 * @param {Condition[]} conditions
 * @param {string} joint
 */
export function filterText(conditions, joint) {
  return conditions.map(conditionText).filter(Boolean).join(` ${joint} `);
}
