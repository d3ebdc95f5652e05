// Choosing a time by name, or by dates that are typed.

import { instantsText, instantText, parseInterval } from "../model/interval.js";
import { presets } from "../model/presets.js";
import { element, find } from "../page/dom.js";
import { say } from "../words/say.js";

/** @import { Explorer } from "../model/explorer.js" */

const MINUTE = 60e3;

export class TimeChoice {
  #form;
  #opener;
  #explorer;
  #from;
  #to;
  #zone;
  #fault;

  /**
   * @param {HTMLFormElement} form
   * @param {HTMLElement} opener the button that opens and closes it
   * @param {Explorer} explorer
   * @param {(datetime: string | null) => void} choose
   */
  constructor(form, opener, explorer, choose) {
    this.#form = form;
    this.#opener = opener;
    this.#explorer = explorer;
    this.#from = find("[name=from]", form, HTMLInputElement);
    this.#to = find("[name=to]", form, HTMLInputElement);
    this.#zone = find("[name=zone]", form, HTMLSelectElement);
    this.#fault = find(".fault", form);
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    find("option[value=local]", form).textContent = here.replaceAll("_", " ");
    // a user whose time zone is UTC has nothing to choose
    find("option[value=local]", form, HTMLOptionElement).hidden = here === "UTC";
    opener.addEventListener("click", () => (form.hidden ? this.#open(choose) : this.#close()));
    find("[data-act=close]", form).addEventListener("click", () => this.#close());
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#close();
    });
    this.#zone.addEventListener("change", () => this.#fill());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit(choose);
    });
  }

  /** @param {(datetime: string | null) => void} choose */
  #open(choose) {
    this.#fill();
    const buttons = presets(this.#explorer.subjectCollection(), Date.now()).map(({ label, datetime }) => {
      const pressed = String(datetime === this.#explorer.datetime);
      const onclick = () => {
        choose(datetime);
        this.#close();
      };
      return element("button", { type: "button", text: label, "aria-pressed": pressed, onclick });
    });
    find(".presets", this.#form).replaceChildren(...buttons);
    this.#sayFault("");
    this.#form.hidden = false;
    this.#opener.setAttribute("aria-expanded", "true");
    buttons[0].focus();
  }

  #close() {
    const inside = this.#form.contains(document.activeElement);
    this.#form.hidden = true;
    this.#opener.setAttribute("aria-expanded", "false");
    if (inside) this.#opener.focus();
  }

  /** Shows the present time in the zone that is chosen. */
  #fill() {
    const interval = parseInterval(this.#explorer.datetime);
    this.#from.value = this.#written(interval?.from ?? null);
    this.#to.value = this.#written(interval?.to ?? null);
  }

  /** @param {number | null} moment */
  #written(moment) {
    if (moment === null) return "";
    const shift = this.#zone.value === "local" ? new Date(moment).getTimezoneOffset() * MINUTE : 0;
    const text = instantText(moment - shift).slice(0, 19);
    return text.endsWith(":00") ? text.slice(0, 16) : text;
  }

  /** @param {HTMLInputElement} input */
  #read(input) {
    if (!input.value) return null;
    return Date.parse(this.#zone.value === "local" ? input.value : `${input.value}Z`);
  }

  /** @param {(datetime: string | null) => void} choose */
  #submit(choose) {
    for (const [input, name] of /** @type {const} */ ([[this.#from, say("From")], [this.#to, say("To")]])) {
      if (input.validity.badInput) return this.#sayFault(say("{field}: enter a complete date and time.", { field: name }), input);
    }
    const [from, to] = [this.#read(this.#from), this.#read(this.#to)];
    if (from !== null && to !== null && from > to) return this.#sayFault(say("The start is after the end."), this.#from);
    if (from !== null && to !== null) choose(instantsText(from, to));
    else choose(from === null && to === null ? null : `${from === null ? ".." : instantText(from)}/${to === null ? ".." : instantText(to)}`);
    this.#close();
  }

  /**
   * @param {string} fault
   * @param {HTMLInputElement} [input]
   */
  #sayFault(fault, input) {
    this.#fault.textContent = fault;
    this.#fault.hidden = !fault;
    input?.focus();
  }
}
