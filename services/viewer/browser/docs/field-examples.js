// Fields of the explorer say what one may write for the collection that is chosen beside them.

import { say } from "../words/say.js";
import { collectionExamples } from "./collection-examples.js";

/** @import { Examples } from "./collection-examples.js" */

const OPERATION = ".opblock.is-open";

/**
 * Keeps the examples in the fields of each operation those of its collection, as Swagger UI draws and people choose.
 * @param {HTMLElement} root
 * @param {string} api base address
 */
export function followCollection(root, api) {
  /** @type {Map<string, Promise<Examples | null>>} */
  const loaded = new Map();
  /** @param {string} id */
  const examples = (id) => {
    // the explorer works without them
    const found = loaded.get(id) ?? collectionExamples(api, id).catch(() => null);
    loaded.set(id, found);
    return found;
  };

  /**
   * @param {Element} operation
   * @param {boolean} chosen whether by a person: another collection has other features
   */
  const fill = async (operation, chosen) => {
    const id = fieldOf(operation, "collectionId")?.value;
    const found = id ? await examples(id) : null;
    // the user may have chosen another collection by now
    if (!found || fieldOf(operation, "collectionId")?.value !== id) return;
    for (const [name, example] of Object.entries(found)) {
      const field = fieldOf(operation, name);
      if (field) field.placeholder = say("For example {example}", { example });
    }
    const item = fieldOf(operation, "itemId");
    if (chosen && item && found.itemId) write(item, found.itemId);
  };

  root.addEventListener("change", ({ target }) => {
    if (!(target instanceof Element) || !target.closest("tr[data-param-name=collectionId]")) return;
    const operation = target.closest(OPERATION);
    if (operation) fill(operation, true);
  });
  /** @type {WeakSet<Element>} */
  const filled = new WeakSet();
  new MutationObserver(() => {
    for (const operation of root.querySelectorAll(OPERATION)) {
      const field = fieldOf(operation, "collectionId");
      if (!field || filled.has(field)) continue;
      filled.add(field);
      fill(operation, false);
    }
  }).observe(root, { childList: true, subtree: true });
}

/**
 * @typedef {HTMLInputElement | HTMLTextAreaElement} Written
 * @param {Element} operation
 * @param {string} name of a parameter
 */
function fieldOf(operation, name) {
  const field = operation.querySelector(`tr[data-param-name="${CSS.escape(name)}"] :is(input, textarea, select)`);
  return /** @type {Written | null} */ (field);
}

/**
 * Writes into a field as a person would: React does not see a value that is only set.
 * @param {Written} field
 * @param {string} value
 */
function write(field, value) {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, value);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
