// The fields for the value of a condition: one, two for a range, or any number of alternatives.

import { element } from "../page/dom.js";
import { say } from "../words/say.js";

/**
 * @import { FilterProperty } from "../types.d.ts"
 * @typedef {{ value?: string, upper?: string, values?: string[] }} Values
 * @typedef {{ nodes: HTMLElement[], read: () => Values }} Editor
 */

const INPUT_TYPES = { number: "number", instant: "datetime-local", date: "date", text: "text", choice: "text", boolean: "text" };
/** @type {Record<string, string>} */
const BOOLEANS = { true: say("yes"), false: say("no") };

/**
 * @param {FilterProperty} property
 * @param {string} operator
 * @param {Values} values to begin with
 * @param {string} hint id of the element that says what values there are
 * @param {() => void} changed
 * @returns {Editor}
 */
export function valueEditor(property, operator, values, hint, changed) {
  const { value = "", upper = "" } = values;
  const label = say("Value of {property}", { property: property.title });
  if (operator === "in") return property.kind === "choice" ? choices(property, values, label, changed) : list(values, label, hint, changed);
  if (property.kind === "choice" || property.kind === "boolean") return choice(property, value || (values.values?.[0] ?? ""), label, hint, changed);
  const first = field(property, value || (values.values?.[0] ?? ""), operator === "between" ? say("{label}, from", { label }) : label, hint, changed);
  if (operator !== "between") return { nodes: [first], read: () => ({ value: first.value }) };
  const second = field(property, upper, say("{label}, to", { label }), hint, changed);
  return { nodes: [first, element("span", { class: "and", text: say("and") }), second], read: () => ({ value: first.value, upper: second.value }) };
}

/**
 * @param {FilterProperty} property
 * @param {string} value
 * @param {string} label
 * @param {string} hint
 * @param {() => void} changed
 */
function field({ kind }, value, label, hint, changed) {
  const type = INPUT_TYPES[kind];
  const input = element("input", { "aria-label": label, "aria-describedby": hint, type, autocomplete: "off", oninput: changed });
  if (kind === "number") input.step = "any";
  if (kind === "instant") {
    input.step = "1";
    input.title = "UTC";
  }
  input.value = kind === "instant" ? value.replace(/(\.\d+)?Z$/, "") : value;
  return input;
}

/**
 * @param {FilterProperty} property
 * @param {string} value
 * @param {string} label
 * @param {string} hint
 * @param {() => void} changed
 * @returns {Editor}
 */
function choice({ kind, values }, value, label, hint, changed) {
  const offered = kind === "boolean" ? Object.keys(BOOLEANS) : offeredOf(values, value ? [value] : []);
  const options = offered.map((text) => element("option", { value: text, text: kind === "boolean" ? BOOLEANS[text] : text }));
  const select = element("select", { "aria-label": label, "aria-describedby": hint, onchange: changed }, ...options);
  if (value) select.value = value;
  return { nodes: [select], read: () => ({ value: select.value }) };
}

/**
 * @param {FilterProperty} property
 * @param {Values} values
 * @param {string} label
 * @param {() => void} changed
 * @returns {Editor}
 */
function choices(property, { value, values = value ? [value] : [] }, label, changed) {
  const boxes = offeredOf(property.values, values).map((text) => {
    const box = element("input", { type: "checkbox", value: text, onchange: changed });
    box.checked = values.includes(text);
    return box;
  });
  const labels = boxes.map((box) => element("label", {}, box, ` ${box.value}`));
  const read = () => ({ values: boxes.filter((box) => box.checked).map((box) => box.value) });
  return { nodes: [element("fieldset", { class: "choices", "aria-label": label }, ...labels)], read };
}

/**
 * Values in one field, with commas between them.
 * @param {Values} values
 * @param {string} label
 * @param {string} hint
 * @param {() => void} changed
 * @returns {Editor}
 */
function list({ value, values = value ? [value] : [] }, label, hint, changed) {
  const input = element("input", {
    "aria-label": say("{label}, with commas between them", { label }), "aria-describedby": hint, type: "text", autocomplete: "off", placeholder: say("with commas between them"), oninput: changed,
  });
  input.value = values.join(", ");
  return { nodes: [input], read: () => ({ values: input.value.split(",").map((each) => each.trim()).filter(Boolean) }) };
}

/**
 * The values that are offered, and those that are chosen already.
 * @param {string[] | null} values
 * @param {string[]} chosen
 */
const offeredOf = (values, chosen) => [...new Set([...(values ?? []), ...chosen])];
