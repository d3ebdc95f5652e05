// One condition of the filter form: property, comparison, value.

import { NULLITY, OPERATORS } from "../filters/cql2.js";
import { rangeText } from "../filters/example.js";
import { element } from "../page/dom.js";

/** @import { Condition, FilterProperty } from "../types.d.ts" */

const WITHOUT_VALUE = new Set(NULLITY.map(([operator]) => operator));
const INPUT_TYPES = { number: "number", instant: "datetime-local", date: "date", text: "text" };
/** @type {Record<string, string>} */
const BOOLEANS = { true: "yes", false: "no" };
let serial = 0;

export class ConditionRow {
  #properties;
  #changed;
  #property;
  #operator = element("select", { "aria-label": "Comparison" });
  #place = element("span", { class: "value" });
  #hint = element("p", { class: "hint", id: `filter-hint-${++serial}` });
  /** @type {HTMLInputElement | HTMLSelectElement | null} */
  #input = null;

  /**
   * @param {FilterProperty[]} properties that one may choose
   * @param {Partial<Condition>} start
   * @param {{ changed: () => void, removed: () => void }} listeners
   */
  constructor(properties, start, { changed, removed }) {
    this.#properties = properties;
    this.#changed = changed;
    this.#property = element(
      "select",
      { "aria-label": "Property" },
      element("option", { value: "", text: "Choose a property" }),
      ...properties.map(({ name, title }) => element("option", { value: name, text: title })),
    );
    const remove = { type: "button", class: "icon small", "aria-label": "Remove this condition", text: "×", onclick: removed };
    this.item = element("li", {}, this.#property, element("button", remove), this.#operator, this.#place, this.#hint);
    this.#property.addEventListener("change", () => {
      this.#showProperty();
      changed();
    });
    this.#operator.addEventListener("change", () => {
      this.#showOperator();
      changed();
    });
    this.#property.value = start.property ?? "";
    this.#showProperty(String(start.value ?? ""), start.operator);
  }

  focus() {
    this.#property.focus();
  }

  /** @returns {Condition} */
  get condition() {
    const found = this.#chosen();
    if (!found) return { property: "", operator: "=", value: "" };
    return { property: found.name, kind: found.kind, operator: this.#operator.value, value: this.#input?.value };
  }

  #chosen() {
    return this.#properties.find(({ name }) => name === this.#property.value);
  }

  /** Offers what the chosen property can be compared by. */
  #showProperty(value = "", operator = "") {
    const found = this.#chosen();
    const operators = found ? [...OPERATORS[found.kind], ...NULLITY] : [];
    this.#operator.replaceChildren(...operators.map(([sign, label]) => element("option", { value: sign, text: label })));
    if (operator) this.#operator.value = operator;
    this.#operator.hidden = this.#place.hidden = !found;
    this.#hint.textContent = (found && rangeText(found)) ?? "";
    this.#hint.hidden = !this.#hint.textContent;
    this.#property.title = found?.description ?? "";
    this.#input = found ? valueInput(found, value, this.#hint.id) : null;
    this.#place.replaceChildren(...(this.#input ? [this.#input] : []));
    this.#input?.addEventListener(this.#input instanceof HTMLSelectElement ? "change" : "input", this.#changed);
    this.#showOperator();
  }

  #showOperator() {
    if (this.#input) this.#place.hidden = WITHOUT_VALUE.has(this.#operator.value);
  }
}

/**
 * @param {FilterProperty} property
 * @param {string} value
 * @param {string} hint id of the element that says what values there are
 */
function valueInput({ kind, values, title }, value, hint) {
  const label = { "aria-label": `Value of ${title}`, "aria-describedby": hint };
  if (kind === "choice" || kind === "boolean") {
    const offered = kind === "boolean" ? Object.keys(BOOLEANS) : [...new Set([...(values ?? []), ...(value ? [value] : [])])];
    const options = offered.map((text) => element("option", { value: text, text: kind === "boolean" ? BOOLEANS[text] : text }));
    const select = element("select", label, ...options);
    if (value) select.value = value;
    return select;
  }
  const input = element("input", { ...label, type: INPUT_TYPES[kind], autocomplete: "off" });
  if (kind === "number") input.step = "any";
  if (kind === "instant") {
    input.step = "1";
    input.title = "UTC";
  }
  input.value = kind === "instant" ? value.replace(/(\.\d+)?Z$/, "") : value;
  return input;
}
