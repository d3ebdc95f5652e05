// The canvases of a map as one.

import { canvasOf } from "../page/canvas.js";

const CANVASES = ".maplibregl-canvas, .ol-layers canvas";

/**
 * A copy of what the canvases of a map show, one above the other, on its background, in the pixels of this screen.
 * @param {HTMLElement} container the map's
 * @returns {HTMLCanvasElement}
 */
export function flattened(container) {
  const { left, top, width, height } = container.getBoundingClientRect();
  const { canvas: copy, context } = canvasOf(width, height);
  context.fillStyle = getComputedStyle(container).backgroundColor;
  context.fillRect(0, 0, width, height);
  /** @type {NodeListOf<HTMLCanvasElement>} */
  const canvases = container.querySelectorAll(CANVASES);
  for (const canvas of canvases) {
    if (!canvas.width || !canvas.height) continue;
    // its place on the screen, which does not depend on the size of its pixel buffer
    const box = canvas.getBoundingClientRect();
    context.globalAlpha = Number(getComputedStyle(canvas.parentElement ?? canvas).opacity) * Number(getComputedStyle(canvas).opacity);
    context.drawImage(canvas, box.left - left, box.top - top, box.width, box.height);
  }
  return copy;
}
