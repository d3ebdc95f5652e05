// The area on the map: its outline, and the button of the tool that draws and types it.

import { areaOutline } from "../cartography/area-outline.js";
import { find } from "../page/dom.js";
import { announceError } from "../page/status.js";
import { messageOf } from "../service/api.js";

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
  const open = async () => {
    // the drawing tool is loaded only when a user wants to draw
    const { AreaTool } = await import("./area-tool.js");
    button.removeEventListener("click", clicked);
    new AreaTool(find("#area"), explorer);
    button.click();
  };
  const clicked = () => {
    open().catch((error) => announceError(messageOf(error)));
  };
  button.addEventListener("click", clicked);
}
