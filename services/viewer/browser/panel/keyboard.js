// Keys that work wherever the focus is.

/** @import { Engine } from "../types.d.ts" */
/** @import { Selection } from "./selection.js" */

/**
 * Escape closes the popup; + and - zoom if no element has the focus.
 * @param {Engine} engine
 * @param {Selection} selection
 */
export function keyboard(engine, selection) {
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") selection.clear();
    if (event.target !== document.body || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+") engine.zoomBy(1);
    if (event.key === "-") engine.zoomBy(-1);
  });
}
