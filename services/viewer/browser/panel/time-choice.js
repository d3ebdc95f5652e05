// Choosing when features happened, and the past time whose state is shown: by name, or by dates that are typed.

import { MINUTE } from "../model/calendar.js";
import { instantsText, instantText, parseInterval } from "../model/interval.js";
import { pastPresets, presets } from "../model/presets.js";
import { element, find } from "../page/dom.js";
import { formatInstant } from "../words/format.js";
import { say } from "../words/say.js";

/** @import { Explorer } from "../model/explorer.js" */

export class TimeChoice {
  #form;
  #opener;
  #explorer;
  #from;
  #to;
  #known;
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
    this.#known = find("[name=known]", form, HTMLInputElement);
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
    const explorer = this.#explorer;
    const now = Date.now();
    const buttons = presets(explorer.subjectCollection(), now).map(({ label, datetime }) =>
      this.#preset(label, datetime === explorer.datetime, () => choose(datetime)));
    const since = recordedSince(explorer);
    const past = pastPresets(since, now).map(({ label, asOf }) => this.#preset(label, asOf === explorer.asOf, () => explorer.setAsOf(asOf)));
    find(".times", this.#form).replaceChildren(...buttons);
    find(".known .presets", this.#form).replaceChildren(...past);
    find(".known", this.#form).hidden = since === null;
    this.#sayFault("");
    this.#form.hidden = false;
    this.#opener.setAttribute("aria-expanded", "true");
    buttons[0].focus();
  }

  /**
   * @param {string} label
   * @param {boolean} pressed
   * @param {() => void} apply
   */
  #preset(label, pressed, apply) {
    const onclick = () => {
      apply();
      this.#close();
    };
    return element("button", { type: "button", text: label, "aria-pressed": String(pressed), onclick });
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
    const { asOf } = this.#explorer;
    this.#known.value = this.#written(asOf === null ? null : Date.parse(asOf));
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
    for (const [input, name] of /** @type {const} */ ([[this.#from, say("From")], [this.#to, say("To")], [this.#known, say("Known on")]])) {
      if (input.validity.badInput) return this.#sayFault(say("{field}: enter a complete date and time.", { field: name }), input);
    }
    const [from, to, known] = [this.#read(this.#from), this.#read(this.#to), this.#read(this.#known)];
    const since = recordedSince(this.#explorer);
    if (known !== null && known > Date.now()) return this.#sayFault(say("The state at a future time is not known yet."), this.#known);
    if (known !== null && since !== null && known < since) return this.#sayFault(say("States are recorded since {time}.", { time: formatInstant(Math.ceil(since / MINUTE) * MINUTE) }), this.#known);
    if (from !== null && to !== null && from > to) return this.#sayFault(say("The start is after the end."), this.#from);
    this.#explorer.setAsOf(known === null ? null : instantText(known));
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

/**
 * Since when the state of a shown collection is recorded, in milliseconds since 1970; null where none is.
 * @param {Explorer} explorer
 */
function recordedSince(explorer) {
  const starts = [...explorer.shown.keys()].flatMap((id) => explorer.collection(id).history ?? []).map(({ since }) => Date.parse(since));
  return starts.length ? Math.min(...starts) : null;
}
