// The switches of the collections, in groups, with how many features each has.

import { count } from "../service/api.js";
import { element } from "../page/dom.js";
import { formatNumber } from "../words/format.js";

/** Fills `container` with the groups; those with something shown are open. */
export function layerList(container, explorer) {
  const groups = Map.groupBy(explorer.collections.values(), (collection) => collection.group);
  const switches = new Map();
  for (const [name, collections] of groups) {
    const body = element("div", { class: "switches" });
    for (const collection of collections) {
      const made = layerSwitch(explorer, collection);
      switches.set(collection.id, made);
      body.append(made.row);
    }
    const folded = element("details", { class: "group" }, element("summary", { text: name }), body);
    // counts are asked for when they can be seen
    folded.addEventListener("toggle", () => {
      if (folded.open) for (const collection of collections) switches.get(collection.id).fill();
    });
    container.append(folded);
  }
  const update = () => {
    for (const [id, { input }] of switches) {
      input.checked = explorer.shown.has(id);
      if (input.checked) input.closest("details").open = true;
    }
  };
  explorer.addEventListener("shown", update);
  update();
}

function layerSwitch(explorer, collection) {
  const input = element("input", {
    type: "checkbox",
    role: "switch",
    onchange: async () => {
      input.disabled = true;
      try {
        if (input.checked) await explorer.show(collection.id);
        else explorer.hide(collection.id);
      } catch (error) {
        input.checked = false;
        explorer.emit("fault", `${collection.title}: ${error.message}`);
      } finally {
        input.disabled = false;
      }
    },
  });
  const number = element("span", { class: "count" });
  const row = element("label", { class: "switch" }, input, element("span", { class: "name", text: collection.label }), number);
  if (!collection.geometryType) {
    input.disabled = true;
    row.title = "This collection has no geometry";
  }
  let filled = false;
  const fill = async () => {
    if (filled) return;
    filled = true;
    try {
      const total = await count(collection.id);
      number.textContent = total === null ? "" : formatNumber(total);
    } catch {
      filled = false;
    }
  };
  return { row, input, fill };
}
