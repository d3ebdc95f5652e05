// The panel's tabs (WAI-ARIA tabs pattern: arrow keys move, the chosen tab is the one in the tab order).

import { find } from "../page/dom.js";
import { compact } from "../page/layout.js";

/** Makes the buttons of a tab list work: `first` is the id of the panel to begin with, `opened(id)` is told of each. */
export function tabs(list, first, opened) {
  const all = [...list.querySelectorAll("[role=tab]")];
  let buttons = all;
  const choose = (chosen) => {
    for (const button of all) {
      if (button.hidden) continue;
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
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = buttons.at(to % buttons.length);
    choose(next);
    next.focus();
  });
  const follow = () => {
    legendAsTab(compact.matches);
    buttons = all.filter((button) => !button.hidden);
  };
  follow();
  choose(buttons.find((button) => button.getAttribute("aria-controls") === first));
  compact.addEventListener("change", () => {
    const chosen = buttons.find((button) => button.tabIndex === 0);
    follow();
    choose(buttons.includes(chosen) ? chosen : buttons[0]);
  });
}

/** Where there is little room, the legend is a tab's panel like the others; else it stands above the tabs. */
function legendAsTab(tab) {
  const legend = find("#legend");
  const button = find("#tab-legend");
  button.hidden = !tab;
  if (tab) {
    legend.setAttribute("role", "tabpanel");
    legend.setAttribute("aria-labelledby", button.id);
    legend.tabIndex = 0;
    find("#panel-body").append(legend);
  } else {
    legend.removeAttribute("role");
    legend.removeAttribute("aria-labelledby");
    legend.removeAttribute("tabindex");
    legend.hidden = false;
    find("#panel-body").prepend(legend);
  }
}
