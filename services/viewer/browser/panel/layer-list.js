// The switches of the collections, in groups, with how many features each has.

import { element, findAround } from "../page/dom.js";
import { count, messageOf } from "../service/api.js";
import { formatNumber } from "../words/format.js";
import { say } from "../words/say.js";

/** @import { Explorer } from "../model/explorer.js" */
/** @import { Collection } from "../types.d.ts" */

/**
 * Fills `container` with the groups; those with something shown are open.
 * @param {HTMLElement} container
 * @param {Explorer} explorer
 */
export function layerList(container, explorer) {
  const groups = Map.groupBy(explorer.collections.values(), (collection) => collection.group);
  /** @type {[string, HTMLInputElement][]} */
  const inputs = [];
  /** @type {HTMLElement[]} */
  const numbers = [];
  for (const [name, collections] of groups) {
    const switches = collections.map((collection) => layerSwitch(explorer, collection));
    collections.forEach(({ id }, at) => inputs.push([id, switches[at].input]));
    numbers.push(...switches.map(({ number }) => number));
    const body = element("div", { class: "switches" }, ...switches.map(({ row }) => row));
    const folded = element("details", { class: "group" }, element("summary", { text: say(name) }), body);
    // counts are requested when they become visible
    folded.addEventListener("toggle", () => {
      if (folded.open) for (const { fill } of switches) fill();
    });
    container.append(folded);
  }
  const update = () => {
    for (const [id, input] of inputs) {
      input.checked = explorer.shown.has(id);
      if (input.checked) findAround(input, "details").setAttribute("open", "");
    }
  };
  explorer.addEventListener("shown", update);
  // the numbers are those of the present
  explorer.addEventListener("query", () => numbers.forEach((number) => (number.hidden = explorer.asOf !== null)));
  update();
}

/**
 * A switch; `fill` asks for the number of features once.
 * @param {Explorer} explorer
 * @param {Collection} collection
 */
function layerSwitch(explorer, collection) {
  const input = element("input", { type: "checkbox", role: "switch" });
  input.addEventListener("change", async () => {
    input.disabled = true;
    try {
      if (input.checked) await explorer.show(collection.id);
      else explorer.hide(collection.id);
    } catch (error) {
      input.checked = false;
      explorer.emit("fault", `${collection.title}: ${messageOf(error)}`);
    } finally {
      input.disabled = false;
    }
  });
  const number = element("span", { class: "count" });
  const row = element("label", { class: "switch" }, input, element("span", { class: "name", text: collection.label }), number);
  if (!collection.geometryType) {
    input.disabled = true;
    row.title = say("This collection has no geometry");
  }
  let filled = collection.items !== null;
  if (collection.items !== null) number.textContent = formatNumber(collection.items);
  const fill = async () => {
    if (filled) return;
    filled = true;
    try {
      const total = await count(collection.id, { asOf: null });
      number.textContent = total === null ? "" : formatNumber(total);
    } catch {
      filled = false;
    }
  };
  return { row, input, number, fill };
}
