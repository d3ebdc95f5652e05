// Adds to Swagger UI support for screen readers and for the keyboard.

import { say } from "../words/say.js";
import { inLanguage } from "./in-language.js";

/** @type {Record<string, string>} */
const REGIONS = { ".information-container": say("About this API"), ".scheme-container": say("Server") };

/**
 * Adds names, regions and heading levels, now and each time after Swagger UI redraws.
 * @param {HTMLElement} root
 */
export function makeAccessible(root) {
  let waiting = false;
  new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      complete(root);
      inLanguage(root);
    });
  }).observe(root, { childList: true, subtree: true });
}

/** @param {HTMLElement} root */
function complete(root) {
  // links within the operations' buttons, which do what these do: the buttons alone are left
  for (const link of root.querySelectorAll("button a[href]")) link.removeAttribute("href");
  // they are tables, and many regions without a name are none
  for (const table of root.querySelectorAll("table[role=region]")) table.removeAttribute("role");
  for (const field of root.querySelectorAll("#servers")) field.ariaLabel ??= say("Server");
  for (const row of root.querySelectorAll("tr[data-param-name]")) {
    const { paramName = "" } = row instanceof HTMLElement ? row.dataset : {};
    for (const field of row.querySelectorAll("select, input, textarea")) field.ariaLabel ??= paramName;
  }
  for (const text of root.querySelectorAll("pre.microlight, pre.example")) text.setAttribute("tabindex", "0");
  for (const [selector, label] of Object.entries(REGIONS)) {
    const part = root.querySelector(selector);
    part?.setAttribute("role", "region");
    part?.setAttribute("aria-label", label);
  }
  // no level is left out below the title
  for (const heading of root.querySelectorAll("h3, h4, h5")) {
    heading.ariaLevel = heading.matches(".models > h4") ? "2" : String(Number(heading.tagName[1]) - 1);
  }
}
