// Canvases that are measured as the page is.

import { say } from "../words/say.js";

/**
 * An empty canvas in the pixels of this screen, and a context that draws on it in those of the page. Throws where the
 * browser cannot draw.
 * @param {number} width
 * @param {number} height
 * @returns {{ canvas: HTMLCanvasElement, context: CanvasRenderingContext2D }}
 */
export function canvasOf(width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  const context = canvas.getContext("2d");
  if (!context) throw new Error(say("This browser cannot draw pictures."));
  context.scale(devicePixelRatio, devicePixelRatio);
  return { canvas, context };
}
