// Light or dark: what the address says, else what was chosen before, else what the system prefers.

import { readState, writeState } from "./state.js";

const KEY = "dams-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage may be forbidden
  }
}

let theme = [readState().theme, stored()].find((value) => value === "light" || value === "dark")
  ?? (system.matches ? "dark" : "light");
document.documentElement.dataset.theme = theme;

export const currentTheme = () => theme;

/** Calls `listener(theme)` on each change. */
export function onTheme(listener) {
  listeners.add(listener);
}

export function setTheme(value) {
  if (value === theme) return;
  theme = value;
  document.documentElement.dataset.theme = value;
  for (const listener of listeners) listener(value);
}

/** Makes a button switch between the two and remember the choice. */
export function themeButton(button) {
  const label = () => {
    button.setAttribute("aria-label", theme === "dark" ? "Use light colours" : "Use dark colours");
    button.title = button.getAttribute("aria-label");
  };
  label();
  onTheme(label);
  button.addEventListener("click", () => {
    setTheme(theme === "dark" ? "light" : "dark");
    writeState({ theme });
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // not remembered, then
    }
  });
}
