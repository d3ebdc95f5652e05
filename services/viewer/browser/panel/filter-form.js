// The filter: conditions to choose, the CQL2 text they make, which may be edited, and what the service says to it.

import { filterText, NULLITY, OPERATORS } from "../filters/cql2.js";
import { exampleFilter } from "../filters/example.js";
import { filterProperties } from "../filters/properties.js";
import { find, findAround } from "../page/dom.js";
import { afterPress } from "../page/press.js";
import { messageOf } from "../service/api.js";
import { formatNumber } from "../words/format.js";
import { say, sayMany } from "../words/say.js";
import { ConditionRow } from "./condition-row.js";

/** @import { Explorer } from "../model/explorer.js" */
/** @import { Condition, FilterProperty } from "../types.d.ts" */

export class FilterForm {
  #explorer;
  #form;
  #list;
  #joint;
  #text;
  #fault;
  #result;
  /** @type {FilterProperty[]} */
  #properties = [];
  /** @type {ConditionRow[]} */
  #rows = [];
  /** @type {string | null} */
  #subject = null; // the collection whose properties are offered
  /** @type {typeof import("../filters/cql2-reading.js").parsedFilter} */
  #parsed = () => null; // loaded with the first properties

  /**
   * `form` is the page's filter form.
   * @param {HTMLFormElement} form
   * @param {Explorer} explorer
   */
  constructor(form, explorer) {
    this.#explorer = explorer;
    this.#form = form;
    this.#list = find("ol", form);
    this.#joint = find("[name=joint]", form, HTMLSelectElement);
    this.#text = find("textarea", form, HTMLTextAreaElement);
    this.#fault = find("[role=alert]", form);
    this.#result = find("[role=status]", form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#apply();
    });
    find("[data-act=add]", form).addEventListener("click", () => this.#add({})?.focus());
    find("[data-act=clear]", form).addEventListener("click", () => this.#clear());
    this.#joint.addEventListener("change", () => this.#write());
    this.#text.addEventListener("input", () => this.#setFault(null));
    // rebuilding the conditions while a button is pressed would move it away before its click
    this.#text.addEventListener("change", () => afterPress(() => this.#read()));
    this.#text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        this.#read();
        this.#apply();
      }
    });
    for (const event of ["subject", "query", "shown"]) explorer.addEventListener(event, () => this.#follow());
  }

  /** Called when the form becomes visible; requests its choices then. */
  async open() {
    const collection = this.#explorer.subjectCollection();
    this.#form.hidden = !collection;
    if (!collection || this.#subject === collection.id) return;
    this.#subject = collection.id;
    const text = this.#text.value;
    this.#form.setAttribute("aria-busy", "true");
    try {
      const [properties, { parsedFilter }] = await Promise.all([filterProperties(collection), import("../filters/cql2-reading.js")]);
      this.#parsed = parsedFilter;
      if (this.#subject !== collection.id) return;
      this.#properties = properties;
      this.#text.placeholder = exampleFilter(properties);
      // keep a text that the user typed since
      if (this.#text.value === text) {
        this.#setText(this.#explorer.filters.get(collection.id) ?? "");
        this.#setFault(null);
      } else this.#read();
    } catch (error) {
      this.#subject = null;
      this.#setFault(messageOf(error));
    } finally {
      this.#form.removeAttribute("aria-busy");
    }
  }

  /**
   * Shows a text that the service refused, as from a link.
   * @param {string} text
   * @param {string} message
   */
  async refuse(text, message) {
    await this.open();
    this.#setText(text);
    this.#setFault(message);
  }

  #follow() {
    const active = this.#explorer.filters.size;
    find("#tab-filter span").textContent = active ? formatNumber(active) : "";
    const id = this.#explorer.subject;
    if (this.#form.offsetParent !== null && id !== this.#subject) this.open();
    else if (id !== null && id === this.#subject && !this.#form.contains(document.activeElement)) {
      const applied = this.#explorer.filters.get(id) ?? "";
      if (applied !== this.#text.value && this.#fault.hidden) this.#setText(applied);
    }
  }

  /** @param {string} text */
  #setText(text) {
    this.#text.value = text;
    this.#result.textContent = "";
    this.#read();
  }

  /** From the text to the conditions, where they can hold it. */
  #read() {
    const text = this.#text.value.trim();
    /** @type {{ conditions: Partial<Condition>[], joint: string } | null} */
    const parsed = text ? this.#parsed(text) : { conditions: [{}], joint: "AND" };
    const fits = parsed?.conditions.every((condition) => this.#offers(condition)) ?? false;
    find(".by-hand", this.#form).hidden = fits;
    this.#list.replaceChildren();
    this.#rows = [];
    if (!parsed || !fits) return;
    this.#joint.value = parsed.joint;
    for (const condition of parsed.conditions) this.#add(condition);
  }

  /**
   * Whether a row can hold the condition.
   * @param {Partial<Condition>} condition
   */
  #offers({ property, operator, values = [] }) {
    if (!property) return true;
    const found = this.#properties.find(({ name }) => name === property);
    // the field of a list has commas between its values
    if (found?.kind !== "choice" && values.some((value) => value.includes(","))) return false;
    return found !== undefined && [...OPERATORS[found.kind], ...NULLITY].some(([sign]) => sign === operator);
  }

  /** From the conditions to the text. */
  #write() {
    this.#text.value = filterText(this.#rows.map((row) => row.condition), this.#joint.value);
    find(".by-hand", this.#form).hidden = true;
    this.#setFault(null);
  }

  /** @param {Partial<Condition>} condition */
  #add(condition) {
    if (!this.#properties.length) return null;
    const row = new ConditionRow(this.#properties, condition, {
      changed: () => this.#write(),
      removed: () => this.#remove(row),
    });
    this.#rows.push(row);
    this.#list.append(row.item);
    this.#showJoint();
    return row;
  }

  /** @param {ConditionRow} row */
  #remove(row) {
    const at = this.#rows.indexOf(row);
    this.#rows.splice(at, 1);
    row.item.remove();
    this.#showJoint();
    this.#write();
    (this.#rows[Math.max(0, at - 1)] ?? find("[data-act=add]", this.#form)).focus();
  }

  #showJoint() {
    findAround(this.#joint, "label").hidden = this.#rows.length < 2;
  }

  async #apply() {
    const id = this.#explorer.subject;
    const text = this.#text.value.trim();
    if (!text || id === null) {
      this.#clear();
      return;
    }
    this.#form.setAttribute("aria-busy", "true");
    try {
      const matched = await this.#explorer.filter(id, text);
      if (this.#explorer.subject !== id) return;
      this.#setFault(null);
      this.#result.textContent = matchedWords(matched);
    } catch (error) {
      this.#setFault(messageOf(error));
    } finally {
      this.#form.removeAttribute("aria-busy");
    }
  }

  #clear() {
    if (this.#explorer.subject !== null) this.#explorer.setFilter(this.#explorer.subject, null);
    this.#setFault(null);
    this.#setText("");
  }

  /** @param {string | null} message */
  #setFault(message) {
    this.#fault.hidden = message === null;
    this.#fault.textContent = message ?? "";
    if (message === null) this.#text.removeAttribute("aria-invalid");
    else {
      this.#text.setAttribute("aria-invalid", "true");
      this.#result.textContent = "";
    }
  }
}

/** @param {number | null} matched */
function matchedWords(matched) {
  if (matched === null) return say("Applied.");
  return sayMany("{number} feature matches.", "{number} features match.", matched);
}
