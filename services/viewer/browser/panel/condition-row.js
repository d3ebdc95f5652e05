// One condition of the filter form: property, comparison, value.

import { NULLITY, OPERATORS } from "../filters/cql2.js";
import { rangeText } from "../filters/example.js";
import { element } from "../page/dom.js";
import { say } from "../words/say.js";
import { valueEditor } from "./condition-value.js";

/**
 * @import { Condition, FilterProperty } from "../types.d.ts"
 * @import { Values } from "./condition-value.js"
 */

const WITHOUT_VALUE = new Set(NULLITY.map(([operator]) => operator));
let serial = 0;

export class ConditionRow {
  #properties;
  #changed;
  #property;
  #operator = element("select", { "aria-label": say("Comparison") });
  #place = element("div", { class: "value" });
  #hint = element("p", { class: "hint", id: `filter-hint-${++serial}` });
  /** @type {() => Values} */
  #values = () => ({});

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
      { "aria-label": say("Property") },
      element("option", { value: "", text: say("Choose a property") }),
      ...properties.map(({ name, title }) => element("option", { value: name, text: title })),
    );
    const remove = { type: "button", class: "icon small", "aria-label": say("Remove this condition"), text: "×", onclick: removed };
    this.item = element("li", {}, this.#property, element("button", remove), this.#operator, this.#place, this.#hint);
    this.#property.addEventListener("change", () => {
      this.#showProperty();
      changed();
    });
    this.#operator.addEventListener("change", () => {
      this.#showValue(this.#values());
      changed();
    });
    this.#property.value = start.property ?? "";
    const { value, upper, values } = start;
    this.#showProperty({ value: value === null || value === undefined ? "" : String(value), upper: upper ?? "", values }, start.operator);
  }

  focus() {
    this.#property.focus();
  }

  /** @returns {Condition} */
  get condition() {
    const found = this.#chosen();
    if (!found) return { property: "", operator: "=", value: "" };
    return { property: found.name, kind: found.kind, operator: this.#operator.value, ...this.#values() };
  }

  #chosen() {
    return this.#properties.find(({ name }) => name === this.#property.value);
  }

  /**
   * Offers what the chosen property can be compared by.
   * @param {Values} [values]
   * @param {string} [operator]
   */
  #showProperty(values = {}, operator = "") {
    const found = this.#chosen();
    const operators = found ? [...OPERATORS[found.kind], ...NULLITY] : [];
    this.#operator.replaceChildren(...operators.map(([sign, label]) => element("option", { value: sign, text: label })));
    if (operator) this.#operator.value = operator;
    this.#operator.hidden = !found;
    this.#hint.textContent = (found && rangeText(found)) ?? "";
    this.#hint.hidden = !this.#hint.textContent;
    this.#property.title = found?.description ?? "";
    this.#showValue(values);
  }

  /**
   * Offers the values that the comparison takes.
   * @param {Values} values to begin with
   */
  #showValue(values) {
    const found = this.#chosen();
    this.#place.hidden = !found || WITHOUT_VALUE.has(this.#operator.value);
    if (!found) {
      this.#place.replaceChildren();
      this.#values = () => ({});
      return;
    }
    const { nodes, read } = valueEditor(found, this.#operator.value, values, this.#hint.id, this.#changed);
    this.#place.replaceChildren(...nodes);
    this.#values = read;
  }
}
