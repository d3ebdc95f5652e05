// CQL2 text as conditions of the filter form, where the text is one that the form could have written.

/**
 * @import { Condition } from "../types.d.ts"
 * @typedef {Pick<Condition, "operator"> & { value: string }} Read
 */

const NAME = '("(?:[^"]|"")+"|[A-Za-z_][A-Za-z0-9_]*)';
const TEXT = String.raw`'((?:[^'\\]|''|\\\\|\\(?![abtnvfr']))*)'`;
const COMPARISON = "(=|<>|>=|<=|>|<)";

/**
 * Each way to write a condition, with what makes the condition of the groups after the name; null where it is none that
 * the form writes.
 * @type {[RegExp, (...groups: string[]) => Read | null][]}
 */
const FORMS = [
  [new RegExp(`CASEI\\(${NAME}\\) LIKE CASEI\\(${TEXT}\\)`, "y"), (text) => contained(unquoted(text))],
  [new RegExp(`${NAME} IS NULL`, "y"), () => ({ operator: "empty", value: "" })],
  [new RegExp(`${NAME} IS NOT NULL`, "y"), () => ({ operator: "filled", value: "" })],
  [new RegExp(`${NAME} ${COMPARISON} (?:TIMESTAMP|DATE)\\(${TEXT}\\)`, "y"), (operator, value) => ({ operator, value })],
  [new RegExp(`${NAME} ${COMPARISON} ${TEXT}`, "y"), (operator, text) => ({ operator, value: unquoted(text) })],
  [new RegExp(`${NAME} ${COMPARISON} (-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)`, "y"), (operator, value) => ({ operator, value })],
  [new RegExp(`${NAME} (=) (TRUE|FALSE)`, "y"), (operator, value) => ({ operator, value: value.toLowerCase() })],
];

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
