// Conditions of the filter form as CQL2 text, and back where the text is one that the form could have written.

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** As in libs/cql/quoting.py; a test compares what both make of names. */
const RESERVED = new Set([
  "and", "or", "not", "like", "between", "in", "is", "null", "true", "false", "div",
  "casei", "accenti", "date", "timestamp", "interval", "bbox",
]);

/** Operators by kind of property, as [operator, label]; `empty` and `filled` take no value. */
export const OPERATORS = {
  number: [[">=", "at least"], ["<=", "at most"], [">", "more than"], ["<", "less than"], ["=", "is"], ["<>", "is not"]],
  text: [["contains", "contains"], ["=", "is"], ["<>", "is not"]],
  choice: [["=", "is"], ["<>", "is not"]],
  instant: [[">=", "from"], ["<=", "until"]],
  date: [[">=", "from"], ["<=", "until"], ["=", "is"]],
  boolean: [["=", "is"]],
};
export const NULLITY = [["filled", "is given"], ["empty", "is not given"]];

/** A property's name, quoted where CQL2 asks for it. */
export const quotedName = (name) => (NAME.test(name) && !RESERVED.has(name.toLowerCase()) ? name : `"${name.replaceAll('"', '""')}"`);

/** A text as a literal. */
export const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

/** "One of the properties contains this text", in any case. */
export const containing = (names, text) => {
  const pattern = quoted(`%${text.replace(/[\\%_]/g, "\\$&")}%`);
  return names.map((name) => `CASEI(${quotedName(name)}) LIKE CASEI(${pattern})`).join(" OR ");
};

/** `{property, kind, operator, value}` as CQL2 text; null while the value is missing or no value of its kind. */
export function conditionText({ property, kind, operator, value }) {
  const name = quotedName(property);
  if (operator === "empty") return `${name} IS NULL`;
  if (operator === "filled") return `${name} IS NOT NULL`;
  if (value === null || value === undefined || String(value).trim() === "") return null;
  if (operator === "contains") return containing([property], value);
  const literal = literalOf(kind, String(value));
  return literal === null ? null : `${name} ${operator} ${literal}`;
}

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

/** Conditions joined by `AND` or `OR`; those without a value are left out. */
export function filterText(conditions, joint) {
  return conditions.map(conditionText).filter(Boolean).join(` ${joint} `);
}

const NAME_PART = '("(?:[^"]|"")+"|[A-Za-z_][A-Za-z0-9_]*)';
const TEXT_PART = "'((?:[^']|'')*)'";
const FORMS = [
  [new RegExp(`CASEI\\(${NAME_PART}\\) LIKE CASEI\\(${TEXT_PART}\\)`, "y"), (text) => {
    const pattern = unquoted(text);
    return /^%.*%$/s.test(pattern) ? { operator: "contains", value: pattern.slice(1, -1).replace(/\\([\\%_])/g, "$1") } : null;
  }],
  [new RegExp(`${NAME_PART} IS NULL`, "y"), () => ({ operator: "empty", value: "" })],
  [new RegExp(`${NAME_PART} IS NOT NULL`, "y"), () => ({ operator: "filled", value: "" })],
  [new RegExp(`${NAME_PART} (=|<>|>=|<=|>|<) (?:TIMESTAMP|DATE)\\(${TEXT_PART}\\)`, "y"), (operator, value) => ({ operator, value })],
  [new RegExp(`${NAME_PART} (=|<>|>=|<=|>|<) ${TEXT_PART}`, "y"), (operator, text) => ({ operator, value: unquoted(text) })],
  [new RegExp(`${NAME_PART} (=|<>|>=|<=|>|<) (-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)`, "y"), (operator, value) => ({ operator, value })],
  [new RegExp(`${NAME_PART} (=) (TRUE|FALSE)`, "y"), (operator, value) => ({ operator, value: value.toLowerCase() })],
];

const unquoted = (text) => text.replaceAll("''", "'");

/** `{conditions: [{property, operator, value}], joint}` of a text that the form could have written, else null. */
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
    const [, word] = /^ (AND|OR) /.exec(text.slice(at)) ?? [];
    if (word === undefined || (joint !== null && word !== joint)) return null;
    joint = word;
    at += word.length + 2;
  }
}

function nextCondition(text, at) {
  for (const [form, read] of FORMS) {
    form.lastIndex = at;
    const match = form.exec(text);
    if (!match) continue;
    const [whole, name, ...rest] = match;
    const condition = read(...rest);
    if (condition === null) return null;
    const property = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
    return { condition: { property, ...condition }, end: at + whole.length };
  }
  return null;
}
