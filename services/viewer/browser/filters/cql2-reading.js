// CQL2 text as conditions of the filter form, where the text is one that the form could have written.

/**
 * @import { Condition } from "../types.d.ts"
 * @typedef {Pick<Condition, "operator" | "upper" | "values"> & { value: string }} Read
 */

const NAME = '("(?:[^"]|"")+"|[A-Za-z_][A-Za-z0-9_]*)';
const LITERAL = String.raw`'(?:[^'\\]|''|\\\\|\\(?![abtnvfr']))*'`;
const TEXT = LITERAL.replace(/^'(.*)'$/, "'($1)'");
const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const COMPARISON = "(=|<>|>=|<=|>|<)";

/**
 * Each way to write a condition, and the function that makes the condition from the groups after the name. The function
 * returns null for a condition that the form cannot show.
 * @type {[RegExp, (...groups: string[]) => Read | null][]}
 */
const FORMS = [
  [new RegExp(`CASEI\\(${NAME}\\) LIKE CASEI\\(${TEXT}\\)`, "y"), (text) => contained(unquoted(text))],
  [new RegExp(`${NAME} IS NULL`, "y"), () => ({ operator: "empty", value: "" })],
  [new RegExp(`${NAME} IS NOT NULL`, "y"), () => ({ operator: "filled", value: "" })],
  [new RegExp(`${NAME} IN \\(((?:${LITERAL}|${NUMBER})(?:, (?:${LITERAL}|${NUMBER}))*)\\)`, "y"), (list) => ({ operator: "in", value: "", values: listed(list) })],
  [new RegExp(`${NAME} BETWEEN (${NUMBER}) AND (${NUMBER})`, "y"), (value, upper) => ({ operator: "between", value, upper })],
  [new RegExp(`T_INTERSECTS\\(${NAME}, INTERVAL\\(${TEXT}, ${TEXT}\\)\\)`, "y"), (value, upper) => ({ operator: "between", value, upper })],
  [new RegExp(`${NAME} ${COMPARISON} (?:TIMESTAMP|DATE)\\(${TEXT}\\)`, "y"), (operator, value) => ({ operator, value })],
  [new RegExp(`${NAME} ${COMPARISON} ${TEXT}`, "y"), (operator, text) => ({ operator, value: unquoted(text) })],
  [new RegExp(`${NAME} ${COMPARISON} (${NUMBER})`, "y"), (operator, value) => ({ operator, value })],
  [new RegExp(`${NAME} (=) (TRUE|FALSE)`, "y"), (operator, value) => ({ operator, value: value.toLowerCase() })],
];

/**
 * The values of a list as the form has them.
 * @param {string} list
 */
const listed = (list) =>
  [...list.matchAll(new RegExp(`${LITERAL}|${NUMBER}`, "g"))].map(([literal]) => (literal.startsWith("'") ? unquoted(literal.slice(1, -1)) : literal));

/** @param {string} text */
const unquoted = (text) => text.replace(/''|\\\\/g, (pair) => pair[0]);

/**
 * @param {string} pattern
 * @returns {Read | null}
 */
const contained = (pattern) =>
  /^%.*%$/s.test(pattern) ? { operator: "contains", value: pattern.slice(1, -1).replace(/\\([\\%_])/g, "$1") } : null;

/**
 * The conditions of a text that the form could have written, else null.
 * @param {string} text
 * @returns {{ conditions: Condition[], joint: string } | null}
 */
export function parsedFilter(text) {
  const conditions = [];
  let joint = null;
  let at = 0;
  for (;;) {
    const found = nextCondition(text, at);
    if (found === null) return null;
    conditions.push(found.condition);
    at = found.end;
    if (at === text.length) return { conditions, joint: joint ?? "AND" };
    const word = /^ (AND|OR) /.exec(text.slice(at))?.[1];
    if (word === undefined || (joint !== null && word !== joint)) return null;
    joint = word;
    at += word.length + 2;
  }
}

/**
 * @param {string} text
 * @param {number} at
 * @returns {{ condition: Condition, end: number } | null}
 */
function nextCondition(text, at) {
  for (const [form, read] of FORMS) {
    form.lastIndex = at;
    const match = form.exec(text);
    if (!match) continue;
    const [whole, name, ...groups] = match;
    const found = read(...groups);
    if (found === null) return null;
    const property = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
    return { condition: { property, ...found }, end: at + whole.length };
  }
  return null;
}
