// The area on the map: its outline, and the button of the tool that draws and types it.

import { areaOutline } from "../cartography/area-outline.js";
import { find } from "../page/dom.js";
import { AreaTool } from "./area-tool.js";

/** @import { Explorer } from "../model/explorer.js" */

/** @param {Explorer} explorer */
export function areaMap(explorer) {
  /** @type {string | null} */
  let drawn = null;
  const draw = () => {
    const { area } = explorer;
    const wanted = JSON.stringify(area);
    if (wanted === drawn) return;
    drawn = wanted;
    explorer.engine.outline(area && { line: areaOutline(area), points: [], closed: true });
  };
  explorer.addEventListener("query", draw);
  draw();
  const button = find("#area-button");
  // made only when a user wants to draw
  const make = () => {
    button.removeEventListener("click", make);
    new AreaTool(find("#area"), explorer);
    // within a click by a key browsers ignore another one
    setTimeout(() => button.click());
  };
  button.addEventListener("click", make);
}
