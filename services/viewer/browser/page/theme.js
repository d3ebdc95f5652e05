// The theme, light or dark: that of the address, else the user's last choice, else the system's preference.

import { say } from "../words/say.js";
import { readState, writeState } from "./state.js";

/** @import { Theme } from "../types.d.ts" */

const KEY = "dams-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
/** @type {Set<(theme: Theme) => void>} */
const listeners = new Set();

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage may be forbidden
  }
}

/**
 * @param {unknown} value
 * @returns {value is Theme}
 */
function isTheme(value) {
  return value === "light" || value === "dark";
}

/** @type {Theme} */
let theme = [readState().theme, stored()].find(isTheme) ?? (system.matches ? "dark" : "light");
document.documentElement.dataset.theme = theme;

export const currentTheme = () => theme;

/**
 * Calls `listener` on each change.
 * @param {(theme: Theme) => void} listener
 */
export function onTheme(listener) {
  listeners.add(listener);
}

/**
 * Changes the theme; anything but the name of one is passed over.
 * @param {string} value
 */
export function setTheme(value) {
  if (!isTheme(value) || value === theme) return;
  theme = value;
  document.documentElement.dataset.theme = value;
  for (const listener of listeners) listener(value);
}

/**
 * Makes a button switch between the two and remember the choice.
 * @param {HTMLElement} button
 */
export function themeButton(button) {
  const label = () => {
    button.title = theme === "dark" ? say("Use light colours") : say("Use dark colours");
    button.setAttribute("aria-label", button.title);
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
