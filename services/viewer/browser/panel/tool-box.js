// Boxes beside the map that a button opens, one at a time.

import { find } from "../page/dom.js";

/** @type {Set<() => void>} */
const open = new Set();

/**
 * Lets the button that refers to a box open and close it; Escape and the box's own button close it, and give the focus back.
 * @param {HTMLElement} box
 * @param {() => void} onopen
 * @param {() => void} [onclose]
 */
export function toolBox(box, onopen, onclose) {
  const button = find(`[aria-controls=${box.id}]`);
  const close = () => {
    open.delete(close);
    box.hidden = true;
    button.setAttribute("aria-expanded", "false");
    onclose?.();
  };
  const closeByHand = () => {
    close();
    button.focus();
  };
  button.addEventListener("click", () => {
    if (!box.hidden) return closeByHand();
    for (const other of open) other();
    open.add(close);
    box.hidden = false;
    button.setAttribute("aria-expanded", "true");
    onopen();
  });
  find("[data-act=close]", box).addEventListener("click", closeByHand);
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    closeByHand();
  });
}
