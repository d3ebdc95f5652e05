// Which layout the page has: a panel beside the map, or a sheet below it; styles/narrow.css has the same conditions.

import { FROM_RIGHT } from "../words/say.js";

/** @import { Padding } from "../types.d.ts" */

/** The panel is a sheet below the map. */
export const sheet = matchMedia("(max-width: 820px) and (min-height: 481px)");
/** Too little room to show the legend above everything else: it becomes a tab. */
export const compact = matchMedia("(max-width: 820px), (max-height: 640px)");
/** Whether the person asked the system for less motion. */
export const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Room around what a map shows, in pixels: `start` is the side of the panel, which is the right where the page is written so.
 * @param {{ start: number, end: number, top: number, bottom: number }} room
 * @returns {Padding}
 */
const sides = ({ start, end, top, bottom }) => ({ left: FROM_RIGHT ? end : start, right: FROM_RIGHT ? start : end, top, bottom });

/** The widths in pixels that panels cover at each side of the map. */
export function covered() {
  return sides({ start: sheet.matches ? 8 : 352, end: 8, top: 8, bottom: 8 });
}

/** Room around what a map shows first: for the panel, and for the timeline. */
export function viewPadding() {
  return sides(sheet.matches ? { start: 8, end: 8, top: 88, bottom: 16 } : { start: 352, end: 16, top: 16, bottom: 96 });
}

/** Room for the panel at its side and for the popup above; on a narrow screen for the time above. */
export function selectionPadding() {
  if (sheet.matches) return sides({ start: 30, end: 30, top: 90, bottom: Math.round(innerHeight * 0.18) });
  return sides({ start: 400, end: 80, top: Math.min(330, Math.round(innerHeight * 0.36)), bottom: 120 });
}

/**
 * Lets the timeline stand above the credits, however many lines these take.
 * @param {HTMLElement} map
 */
export function followCredits(map) {
  const credits = map.querySelector(".maplibregl-ctrl-attrib, .ol-attribution");
  if (!(credits instanceof HTMLElement)) return;
  new ResizeObserver(() => {
    document.body.style.setProperty("--credits-height", `${credits.offsetHeight}px`);
  }).observe(credits);
}

/**
 * On a narrow screen, places the content below the time at the lower edge of the visible one of these elements.
 * @param {HTMLElement[]} times
 */
export function followTime(times) {
  const observer = new ResizeObserver(() => {
    document.body.style.setProperty("--time-height", `${Math.max(...times.map((time) => time.offsetHeight))}px`);
  });
  for (const time of times) observer.observe(time);
}

/**
 * Lets the map end where the sheet begins, folded or not.
 * @param {HTMLElement} panel
 */
export function followPanel(panel) {
  const update = () => document.body.style.setProperty("--panel-height", `${panel.offsetHeight}px`);
  new ResizeObserver(update).observe(panel);
  update();
}
