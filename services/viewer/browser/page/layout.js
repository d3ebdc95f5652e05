// Which layout the page has: a panel beside the map, or a sheet below it; styles/narrow.css has the same conditions.

/** The panel is a sheet below the map. */
export const sheet = matchMedia("(max-width: 820px) and (min-height: 481px)");
/** Too little room to show the legend above everything else: it becomes a tab. */
export const compact = matchMedia("(max-width: 820px), (max-height: 640px)");

/** Pixels at the sides of a map that hold what lies over it. */
export function covered() {
  return sheet.matches ? { left: 8, right: 8, top: 8, bottom: 8 } : { left: 352, right: 8, top: 8, bottom: 8 };
}

/** Room around what a map shows first: for the panel, and for the timeline. */
export function viewPadding() {
  return sheet.matches ? { left: 8, right: 8, top: 72, bottom: 16 } : { left: 352, right: 16, top: 16, bottom: 96 };
}

/** Room for the panel at the left and for the popup above; on a narrow screen for the time above. */
export function selectionPadding() {
  if (sheet.matches) return { left: 30, right: 30, top: 90, bottom: Math.round(innerHeight * 0.18) };
  return { left: 400, right: 80, top: Math.min(330, Math.round(innerHeight * 0.36)), bottom: 120 };
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
 * Lets the map end where the sheet begins, folded or not.
 * @param {HTMLElement} panel
 */
export function followPanel(panel) {
  const update = () => document.body.style.setProperty("--panel-height", `${panel.offsetHeight}px`);
  new ResizeObserver(update).observe(panel);
  update();
}
