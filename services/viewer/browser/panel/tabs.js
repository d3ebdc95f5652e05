// The panel's tabs (WAI-ARIA tabs pattern: arrow keys move, the chosen tab is the one in the tab order).

import { find } from "../page/dom.js";
import { compact } from "../page/layout.js";
import { FROM_RIGHT } from "../words/say.js";

/**
 * Makes the buttons of a tab list work: `first` is the id of the panel to begin with, `opened` is called with the id of
 * each that comes into sight.
 * @param {HTMLElement} list
 * @param {string} first
 * @param {(id: string) => void} opened
 * @returns {(id: string, offered: boolean) => void} shows or hides the tab of a panel; one that is shown is chosen
 */
export function tabs(list, first, opened) {
  /** @type {HTMLElement[]} */
  const all = [...list.querySelectorAll("[role=tab]")].filter((button) => button instanceof HTMLElement);
  let buttons = all;
  /** @param {HTMLElement} chosen */
  const choose = (chosen) => {
    for (const button of all) {
      // where the legend is not a tab, it is always visible
      if (button.hidden && panelOf(button) === "legend") continue;
      const selected = button === chosen;
      button.setAttribute("aria-selected", String(selected));
      button.tabIndex = selected ? 0 : -1;
      find(`#${panelOf(button)}`).hidden = !selected;
    }
    opened(panelOf(chosen));
  };
  list.addEventListener("click", ({ target }) => {
    const button = all.find((one) => target instanceof Node && one.contains(target));
    if (button) choose(button);
  });
  list.addEventListener("keydown", (event) => {
    const at = buttons.findIndex((button) => button === document.activeElement);
    const forward = FROM_RIGHT ? -1 : 1;
    const to = { ArrowRight: at + forward, ArrowLeft: at - forward, Home: 0, End: -1 }[event.key];
    const next = to === undefined ? undefined : buttons.at(to % buttons.length);
    if (!next) return;
    event.preventDefault();
    choose(next);
    next.focus();
  });
  const follow = () => {
    legendAsTab(compact.matches);
    buttons = all.filter((button) => !button.hidden);
  };
  follow();
  choose(buttons.find((button) => panelOf(button) === first) ?? buttons[0]);
  compact.addEventListener("change", () => {
    const chosen = all.find((button) => !button.hidden && button.tabIndex === 0);
    follow();
    choose(chosen && buttons.includes(chosen) ? chosen : buttons[0]);
  });
  let before = first;
  return (id, offered) => {
    const button = all.find((one) => panelOf(one) === id);
    if (!button || button.hidden === !offered) return;
    const chosen = all.find((one) => !one.hidden && one.tabIndex === 0);
    button.hidden = !offered;
    buttons = all.filter((one) => !one.hidden);
    if (offered) before = chosen ? panelOf(chosen) : first;
    if (offered) choose(button);
    else if (chosen === button) choose(buttons.find((one) => panelOf(one) === before) ?? buttons[0]);
  };
}

/** @param {HTMLElement} button */
const panelOf = (button) => button.getAttribute("aria-controls") ?? "";

/**
 * Where there is little room, the legend is a tab's panel like the others; else it stands above the tabs.
 * @param {boolean} tab
 */
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
