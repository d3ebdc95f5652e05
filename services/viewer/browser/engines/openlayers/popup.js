// A popup's frame, for engines that have none: content, close button, tip.

import { element } from "../../page/dom.js";

/** The element; `onclose()` when a person closes it. */
export function popupElement(content, onclose) {
  return element(
    "div",
    { class: "popup" },
    content,
    element("button", { type: "button", class: "popup-close", "aria-label": "Close popup", text: "×", onclick: onclose }),
  );
}
