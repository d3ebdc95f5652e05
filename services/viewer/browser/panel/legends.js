// The legends of all collections that are shown.

import { classFacet, legendEntries, legendKey, unclassedOf } from "../cartography/classes.js";
import { element, find } from "../page/dom.js";
import { say } from "../words/say.js";
import { newest } from "./facts.js";
import { legendOf } from "./legend.js";

/**
 * @import { Unclassed } from "../cartography/classes.js"
 * @import { Explorer } from "../model/explorer.js"
 * @import { Collection, LegendClass, LegendEntry } from "../types.d.ts"
 * @typedef {LegendEntry & { ramp: boolean, unclassed: Unclassed | null }} Entry
 */

const LISTED = 3; // classes one below the other; more are side by side

/**
 * Keeps the legends up to date.
 * @param {Explorer} explorer
 */
export function legends(explorer) {
  for (const event of ["shown", "data", "classes"]) explorer.addEventListener(event, () => show(explorer));
  for (const event of ["shown", "data"]) explorer.addEventListener(event, () => findClasses(explorer));
}

/**
 * The legends of the shown collections, with the classes that occur. Collections with equal legends share one.
 * @param {Explorer} explorer
 * @returns {{ collections: Collection[], name: string, entries: Entry[] }[]}
 */
export function alikeLegends(explorer) {
  const alike = Map.groupBy(explorer.shown, ([, style]) => JSON.stringify(legendKey(style)));
  return [...alike.values()].map((members) => {
    const collections = members.map(([id]) => explorer.collection(id));
    const [[, style]] = members;
    const known = members.map(([id]) => explorer.known.get(id));
    const occurs = (/** @type {LegendClass} */ { label }) =>
      known.some((total) => !total?.absent.some((item) => item.label === label));
    const unclassed = known.some((total) => total?.unclassed) ? unclassedOf(style) : null;
    const entries = legendEntries(style).map((entry) => ({
      ...entry,
      classes: entry.classes?.filter(occurs),
      ramp: (entry.classes?.length ?? 0) > LISTED,
      unclassed: unclassed?.entry === entry ? unclassed : null,
    }));
    return { collections, name: collections.map(({ label }) => label).join(", "), entries };
  });
}

/** @param {Explorer} explorer */
function show(explorer) {
  const parts = alikeLegends(explorer).map(({ collections, name, entries }) => {
    const asOf = newest(collections.flatMap(({ id, time }) => (explorer.pastOf(id) === null && time?.asOf) || []).sort().at(-1));
    return element(
      "section",
      { "aria-label": say("Legend of {name}", { name }) },
      element(
        "h2",
        { class: explorer.shown.size > 1 ? null : "hidden" },
        name,
        asOf && element("small", {}, asOf),
      ),
      ...legendOf(entries),
    );
  });
  find("#legend").replaceChildren(...(parts.length ? parts : [element("p", { text: say("No collection is shown.") })]));
}

/**
 * Asks once per state of the data which classes the features of the collections fall in.
 * @param {Explorer} explorer
 */
function findClasses(explorer) {
  for (const [id, style] of explorer.shown) {
    if (!unclassedOf(style) && !legendEntries(style).some(classFacet)) continue;
    explorer.total(id).then(
      (total) => {
        if (explorer.known.get(id) === total) return;
        explorer.known.set(id, total);
        explorer.emit("classes", id);
      },
      () => {},
    );
  }
}
