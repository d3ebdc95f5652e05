// The condition "lies in the area" as CQL2 text. The map, the list, the counts and the downloads all use it.

import { cutAtAntimeridian } from "../cartography/rings.js";
import { quotedName } from "./cql2.js";

/** @import { Area, Position } from "../types.d.ts" */

/**
 * @param {Area} area
 * @param {string} column the geometry
 */
export function areaFilter(area, column) {
  const name = quotedName(column);
  if (area.kind === "box") return `S_INTERSECTS(${name}, BBOX(${area.box.join(", ")}))`;
  if (area.kind === "circle") return `S_DWITHIN(${name}, POINT(${area.center.join(" ")}), ${area.kilometres}, 'kilometers')`;
  // features, and filters, have longitudes up to 180°
  return (cutAtAntimeridian(area.ring) ?? []).map((ring) => `S_INTERSECTS(${name}, POLYGON((${ringText(ring)})))`).join(" OR ");
}

/** @param {Position[]} ring */
const ringText = (ring) => [...ring, ring[0]].map((position) => position.map((value) => Number(value.toFixed(4))).join(" ")).join(", ");
