// The legends of all collections that are shown.

import { legendKey, unclassedOf } from "../cartography/classes.js";
import { element, find } from "../page/dom.js";
import { newest } from "./facts.js";
import { legendOf } from "./legend.js";

/** @import { Explorer } from "../model/explorer.js" */

/**
 * Keeps the legends up to date.
 * @param {Explorer} explorer
 */
export function legends(explorer) {
  for (const event of ["shown", "data", "unclassed"]) explorer.addEventListener(event, () => show(explorer));
  explorer.addEventListener("shown", () => findUnclassed(explorer));
}

/**
 * The legends of what is shown; collections that look alike share one.
 * @param {Explorer} explorer
 */
export function alikeLegends(explorer) {
  const alike = Map.groupBy(explorer.shown, ([, style]) => JSON.stringify(legendKey(style)));
  return [...alike.values()].map((members) => {
    const collections = members.map(([id]) => explorer.collection(id));
    const [[, style]] = members;
    // how features without a class look, where there are any
    const unclassed = members.some(([id]) => explorer.unclassed.get(id)) ? unclassedOf(style) : null;
    return { collections, name: collections.map(({ label }) => label).join(", "), style, unclassed };
  });
}

/** @param {Explorer} explorer */
function show(explorer) {
  const parts = alikeLegends(explorer).map(({ collections, name, style, unclassed }) => {
    const asOf = newest(collections.flatMap(({ time }) => time?.asOf ?? []).sort().at(-1));
    return element(
      "section",
      { "aria-label": `Legend of ${name}` },
      element(
        "h2",
        { class: explorer.shown.size > 1 ? null : "hidden" },
        name,
        asOf && element("small", {}, asOf),
      ),
      ...legendOf(style, unclassed),
    );
  });
  find("#legend").replaceChildren(...(parts.length ? parts : [element("p", { text: "No collection is shown." })]));
}

/**
 * Asks once which of the collections have features without a class.
 * @param {Explorer} explorer
 */
function findUnclassed(explorer) {
  for (const [id, style] of explorer.shown) {
    if (explorer.unclassed.has(id) || !unclassedOf(style)) continue;
    explorer.unclassed.set(id, false);
    explorer.total(id).then(
      ({ unclassed }) => {
        explorer.unclassed.set(id, unclassed);
        if (unclassed) explorer.emit("unclassed", id);
      },
      () => {},
    );
  }
}
