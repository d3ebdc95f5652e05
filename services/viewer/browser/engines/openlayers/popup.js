// A popup's frame, which OpenLayers has none of: content, close button, tip.

import { element } from "../../page/dom.js";

/**
 * The element; `onclose` when a person closes it.
 * @param {HTMLElement} content
 * @param {() => void} onclose
 */
export function popupElement(content, onclose) {
  return element(
    "div",
    { class: "popup" },
    content,
    element("button", { type: "button", class: "popup-close", "aria-label": "Close popup", text: "×", onclick: onclose }),
  );
}
