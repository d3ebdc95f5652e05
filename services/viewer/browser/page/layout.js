// Which layout the page has: a panel beside the map, or a sheet below it; styles/narrow.css has the same conditions.

/** The panel is a sheet below the map. */
export const sheet = matchMedia("(max-width: 820px) and (min-height: 481px)");
/** Too little room to show the legend above everything else: it becomes a tab. */
export const compact = matchMedia("(max-width: 820px), (max-height: 640px)");

/** Pixels at the sides of a map that hold what lies over it. */
export function covered() {
  return sheet.matches ? { left: 8, right: 8, top: 8, bottom: 8 } : { left: 352, right: 8, top: 8, bottom: 8 };
}

/** Lets the map end where the sheet begins, folded or not. */
export function followPanel(panel) {
  const tell = () => document.body.style.setProperty("--panel-height", `${panel.offsetHeight}px`);
  new ResizeObserver(tell).observe(panel);
  tell();
}
