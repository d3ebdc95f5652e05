// The view of the map that shows the area.

import { areaBox } from "../cartography/area-outline.js";
import { viewPadding } from "../page/layout.js";

/** @import { Explorer } from "../model/explorer.js" */

const NEAREST = 12; // zoom level

/**
 * Shows all of the area.
 * @param {Explorer} explorer
 */
export function fitArea({ area, engine }) {
  if (area) engine.fit(areaBox(area), viewPadding(), { nearest: NEAREST });
}
