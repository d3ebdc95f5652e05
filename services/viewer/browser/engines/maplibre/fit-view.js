// The view that shows a box beside the panel, without zooming out of a closer one if that is wanted.

import { mercatorBounds, NEAREST } from "../../cartography/view-box.js";

/** @import { Map } from "maplibre-gl" */
/** @import { Box, FitOptions, Padding } from "../../types.d.ts" */

/**
 * Moves the map so that the box is within the padding, in pixels.
 * @param {Map} map
 * @param {Box} box
 * @param {Padding} padding
 * @param {FitOptions} [options] closer: keep the zoom where the box would need a smaller one
 */
export function fitView(map, box, padding, { animate = true, nearest = NEAREST, closer = false } = {}) {
  const [bounds, zoom] = [mercatorBounds(box), map.getZoom()];
  // the padding shifts the centre by other degrees at another zoom
  const maxZoom = closer ? Math.max(nearest, zoom) : nearest;
  const camera = closer ? map.cameraForBounds(bounds, { padding, maxZoom }) : undefined;
  if ((camera?.zoom ?? zoom) >= zoom) {
    map.fitBounds(bounds, { padding, maxZoom, animate });
    return;
  }
  const center = map.cameraForBounds(bounds)?.center;
  if (center && !map.getBounds().contains(center)) {
    map.easeTo({ center, offset: [(padding.left - padding.right) / 2, (padding.top - padding.bottom) / 2], animate });
  }
}
