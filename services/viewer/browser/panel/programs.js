// "Get this data": programs that read the listed features. The service writes them; the user copies and runs them.

import { isCopied } from "../page/clipboard.js";
import { element, find } from "../page/dom.js";
import { getJson, isAbort, messageOf } from "../service/api.js";
import { say } from "../words/say.js";

/** @typedef {{ id: string, title: string, text: string }} Program */

const SHOWN = 1600; // milliseconds for which it is said that a text was copied

export class Programs {
  #root;
  #choice;
  #text;
  #copy;
  #address = "";
  #shown = "";
  /** @type {Program[]} */
  #programs = [];
  /** @type {AbortController | null} */
  #loading = null;

  /** @param {HTMLDetailsElement} root with a choice, a text and a button */
  constructor(root) {
    this.#root = root;
    this.#choice = find("select", root, HTMLSelectElement);
    this.#text = find("code", root);
    this.#copy = find("button", root, HTMLButtonElement);
    root.addEventListener("toggle", () => this.#load());
    this.#choice.addEventListener("change", () => this.#show());
    this.#copy.addEventListener("click", () => this.#copied());
  }

  /**
   * Sets the resource that the programs read. They are requested only when the user opens them.
   * @param {string} address of the resource with the programs, `""` where there is nothing to read
   */
  offer(address) {
    this.#address = address;
    this.#root.hidden = !address;
    this.#load();
  }

  async #load() {
    const address = this.#address;
    if (!this.#root.open || !address || address === this.#shown) return;
    this.#loading?.abort();
    const { signal } = (this.#loading = new AbortController());
    try {
      this.#programs = (await getJson(address, { signal })).programs;
      this.#shown = address;
      const chosen = this.#choice.value;
      this.#choice.replaceChildren(...this.#programs.map(({ id, title }) => element("option", { value: id, text: say(title), selected: id === chosen })));
      this.#show();
    } catch (error) {
      if (isAbort(error)) return;
      this.#text.textContent = messageOf(error);
      this.#copy.hidden = true;
    }
  }

  #show() {
    this.#text.textContent = this.#programs.find(({ id }) => id === this.#choice.value)?.text ?? "";
    this.#copy.hidden = !this.#text.textContent;
  }

  async #copied() {
    const usual = this.#copy.textContent;
    if (await isCopied(this.#text.textContent ?? "")) {
      this.#copy.textContent = say("Copied");
    } else {
      // to be copied by hand
      getSelection()?.selectAllChildren(this.#text);
      this.#copy.textContent = say("Marked");
    }
    this.#copy.disabled = true;
    setTimeout(() => {
      this.#copy.textContent = usual;
      this.#copy.disabled = false;
    }, SHOWN);
  }
}
