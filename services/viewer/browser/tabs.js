// The panel's tabs (WAI-ARIA tabs pattern: arrow keys move, the chosen tab is the one in the tab order).

import { find } from "./dom.js";

/** Makes the buttons of a tab list work: `first` is the id of the panel to begin with, `opened(id)` is told of each. */
export function tabs(list, first, opened) {
  const buttons = [...list.querySelectorAll("[role=tab]")];
  const choose = (chosen) => {
    for (const button of buttons) {
      const selected = button === chosen;
      button.setAttribute("aria-selected", String(selected));
      button.tabIndex = selected ? 0 : -1;
      find(`#${button.getAttribute("aria-controls")}`).hidden = !selected;
    }
    opened(chosen.getAttribute("aria-controls"));
  };
  list.addEventListener("click", ({ target }) => {
    const button = target.closest("[role=tab]");
    if (button) choose(button);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length];
    choose(next);
    next.focus();
  });
  choose(buttons.find((button) => button.getAttribute("aria-controls") === first));
}
