// The filter: conditions to choose, the CQL2 text they make, which may be edited, and what the service says to it.

import { filterText, NULLITY, OPERATORS, parsedFilter } from "../filters/cql2.js";
import { element, find } from "../page/dom.js";
import { formatNumber } from "../words/format.js";
import { exampleFilter, filterProperties, rangeText } from "../filters/properties.js";

const WITHOUT_VALUE = new Set(NULLITY.map(([operator]) => operator));
let serial = 0;
let pressed = false;
for (const [name, down] of [["pointerdown", true], ["pointerup", false], ["pointercancel", false]]) {
  addEventListener(name, () => (pressed = down), { capture: true });
}

/** Calls `action` when no button of the mouse is held any more and what it clicks has been told. */
function afterPress(action) {
  if (!pressed) return setTimeout(action);
  const done = new AbortController();
  const later = () => {
    done.abort();
    setTimeout(action);
  };
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, later, { signal: done.signal, capture: true });
  return undefined;
}

export class FilterForm {
  #explorer;
  #form;
  #list;
  #text;
  #fault;
  #result;
  #properties = [];
  #rows = [];
  #subject = null;

  /** `form` is the page's filter form. */
  constructor(form, explorer) {
    this.#explorer = explorer;
    this.#form = form;
    this.#list = find("ol", form);
    this.#text = find("textarea", form);
    this.#fault = find("[role=alert]", form);
    this.#result = find("[role=status]", form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#apply();
    });
    find("[data-act=add]", form).addEventListener("click", () => this.#add({}, true));
    find("[data-act=clear]", form).addEventListener("click", () => this.#clear());
    find("[name=joint]", form).addEventListener("change", () => this.#write());
    this.#text.addEventListener("input", () => this.#setFault(null));
    // conditions made anew under a press would move the button away before its click
    this.#text.addEventListener("change", () => afterPress(() => this.#read()));
    this.#text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        this.#read();
        this.#apply();
      }
    });
    explorer.addEventListener("subject", () => this.#follow());
    explorer.addEventListener("query", () => this.#follow());
    explorer.addEventListener("shown", () => this.#follow());
  }

  /** Called when the form comes into sight: what it offers is asked for then. */
  async open() {
    const collection = this.#explorer.collections.get(this.#explorer.subject);
    this.#form.hidden = !collection;
    if (!collection || this.#subject === collection.id) return;
    this.#subject = collection.id;
    this.#form.setAttribute("aria-busy", "true");
    try {
      const properties = await filterProperties(collection);
      if (this.#subject !== collection.id) return;
      this.#properties = properties;
      this.#text.placeholder = exampleFilter(properties);
      this.#setText(this.#explorer.filters.get(collection.id) ?? "");
      this.#setFault(null);
    } catch (error) {
      this.#subject = null;
      this.#setFault(error.message);
    } finally {
      this.#form.removeAttribute("aria-busy");
    }
  }

  /** Shows a text that the service refused, as from a link. */
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
    else if (id === this.#subject && !this.#form.contains(document.activeElement)) {
      const applied = this.#explorer.filters.get(id) ?? "";
      if (applied !== this.#text.value && this.#fault.hidden) this.#setText(applied);
    }
  }

  #setText(text) {
    this.#text.value = text;
    this.#result.textContent = "";
    this.#read();
  }

  /** From the text to the conditions, where they can hold it. */
  #read() {
    const text = this.#text.value.trim();
    const parsed = text ? parsedFilter(text) : { conditions: [{}], joint: "AND" };
    const fits = parsed?.conditions.every((condition) => this.#offers(condition)) ?? false;
    find(".by-hand", this.#form).hidden = fits;
    this.#list.replaceChildren();
    this.#rows = [];
    if (!fits) return;
    find("[name=joint]", this.#form).value = parsed.joint;
    for (const condition of parsed.conditions) this.#add(condition);
  }

  #offers({ property, operator }) {
    if (!property) return true;
    const found = this.#properties.find(({ name }) => name === property);
    return found !== undefined && [...OPERATORS[found.kind], ...NULLITY].some(([sign]) => sign === operator);
  }

  /** From the conditions to the text. */
  #write() {
    const conditions = this.#rows.map((row) => row.condition());
    this.#text.value = filterText(conditions, find("[name=joint]", this.#form).value);
    find(".by-hand", this.#form).hidden = true;
    this.#setFault(null);
  }

  #add(condition, focus = false) {
    if (!this.#properties.length) return;
    const row = conditionRow(this.#properties, condition, {
      changed: () => this.#write(),
      removed: () => {
        const at = this.#rows.indexOf(row);
        this.#rows.splice(at, 1);
        row.item.remove();
        this.#joints();
        this.#write();
        (this.#rows[Math.max(0, at - 1)]?.first ?? find("[data-act=add]", this.#form)).focus();
      },
    });
    this.#rows.push(row);
    this.#list.append(row.item);
    this.#joints();
    if (focus) row.first.focus();
  }

  #joints() {
    find("[name=joint]", this.#form).closest("label").hidden = this.#rows.length < 2;
  }

  async #apply() {
    const id = this.#explorer.subject;
    const text = this.#text.value.trim();
    if (!text) return this.#clear();
    this.#form.setAttribute("aria-busy", "true");
    try {
      const matched = await this.#explorer.filter(id, text);
      if (this.#explorer.subject !== id) return undefined;
      this.#setFault(null);
      this.#result.textContent = matched === null ? "Applied." : `${formatNumber(matched)} ${matched === 1 ? "feature matches" : "features match"}.`;
    } catch (error) {
      this.#setFault(error.message);
    } finally {
      this.#form.removeAttribute("aria-busy");
    }
    return undefined;
  }

  #clear() {
    this.#explorer.setFilter(this.#explorer.subject, null);
    this.#setFault(null);
    this.#setText("");
  }

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

/** One condition: `{item, first, condition()}`; `first` is its first control. */
function conditionRow(properties, start, { changed, removed }) {
  const number = ++serial;
  const property = element(
    "select",
    { "aria-label": "Property" },
    element("option", { value: "", text: "Choose a property" }),
    ...properties.map(({ name, title }) => element("option", { value: name, text: title })),
  );
  const operator = element("select", { "aria-label": "Comparison" });
  const place = element("span", { class: "value" });
  const hint = element("p", { class: "hint", id: `filter-hint-${number}` });
  const item = element(
    "li",
    {},
    property,
    element("button", { type: "button", class: "icon small", "aria-label": "Remove this condition", text: "×", onclick: () => removed() }),
    operator,
    place,
    hint,
  );
  let input = null;
  const chosen = () => properties.find(({ name }) => name === property.value);
  const setProperty = (value = "", wanted = null) => {
    const found = chosen();
    const options = found ? [...OPERATORS[found.kind], ...NULLITY] : [];
    operator.replaceChildren(...options.map(([sign, label]) => element("option", { value: sign, text: label })));
    if (wanted !== null) operator.value = wanted;
    operator.hidden = place.hidden = !found;
    hint.textContent = (found && rangeText(found)) ?? "";
    hint.hidden = !hint.textContent;
    property.title = found?.description ?? "";
    input = found ? valueInput(found, value, number) : null;
    place.replaceChildren(...(input ? [input] : []));
    input?.addEventListener(input.tagName === "SELECT" ? "change" : "input", changed);
    setOperator();
  };
  const setOperator = () => {
    if (input) place.hidden = WITHOUT_VALUE.has(operator.value);
  };
  property.addEventListener("change", () => {
    setProperty();
    changed();
  });
  operator.addEventListener("change", () => {
    setOperator();
    changed();
  });
  property.value = start.property ?? "";
  setProperty(start.value, start.operator ?? null);
  const condition = () => ({ property: property.value, kind: chosen()?.kind, operator: operator.value, value: input?.value });
  return { item, first: property, condition: () => (property.value ? condition() : { property: "", operator: "=", value: "" }) };
}

function valueInput({ kind, values, title }, value, number) {
  const label = { "aria-label": `Value of ${title}`, "aria-describedby": `filter-hint-${number}` };
  if (kind === "choice" || kind === "boolean") {
    const offered = kind === "boolean" ? ["true", "false"] : [...new Set(value ? [...values, value] : values)];
    const select = element("select", label, ...offered.map((text) => element("option", { value: text, text: kind === "boolean" ? { true: "yes", false: "no" }[text] : text })));
    if (value) select.value = value;
    return select;
  }
  const types = { number: "number", instant: "datetime-local", date: "date", text: "text" };
  const input = element("input", { ...label, type: types[kind], autocomplete: "off" });
  if (kind === "number") input.step = "any";
  if (kind === "instant") {
    input.step = "1";
    input.title = "UTC";
  }
  input.value = kind === "instant" ? value.replace(/(\.\d+)?Z$/, "") : value;
  return input;
}
