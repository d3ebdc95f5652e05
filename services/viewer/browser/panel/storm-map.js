// Draws the storm that is followed, and shows all of it when it is chosen.

import { colorIn } from "../cartography/classes.js";
import { stormBox, stormDrawing } from "../model/storm-drawing.js";
import { stormPalette } from "../model/storm-palette.js";
import { viewPadding } from "../page/layout.js";
import { currentTheme, onTheme } from "../page/theme.js";
import { messageOf } from "../service/api.js";

/**
 * @import { Explorer } from "../model/explorer.js"
 * @import { Story } from "../model/story.js"
 * @import { Palette } from "../model/storm-drawing.js"
 */

const NEAREST = 7; // zoom level
const AROUND = 40; // pixels, for winds and words
const AXIS = 30; // pixels that the axis is higher than the timeline

/**
 * @param {Explorer} explorer
 * @param {Story} story
 */
export function stormMap(explorer, story) {
  /** @type {Palette | null} */
  let palette = null;
  const draw = () => {
    const { life, other, otherStep, at, wind, advisory, expectedZones } = story;
    const drawing = life && palette ? stormDrawing({ steps: life.steps, at, wind, advisory, expectedZones, name: other ? life.name : "" }, palette) : null;
    if (drawing && palette && other && otherStep) {
      const beside = { steps: other.steps, at: other.steps.indexOf(otherStep), wind, advisory: null, expectedZones: [], name: other.name };
      drawing.features.unshift(...stormDrawing(beside, palette).features);
    }
    explorer.engine.drawStorm(drawing, drawing !== null && !story.isAlone);
  };
  /** @param {import("../model/storm-life.js").Step[]} steps */
  const see = (steps) => {
    if (story.isToBeSeen) explorer.engine.fit(stormBox(steps), roomAround(viewPadding()), { nearest: NEAREST });
  };
  story.addEventListener("life", async () => {
    const { life } = story;
    if (!life) return draw();
    see(life.steps);
    try {
      const found = await stormPalette(explorer, life.collections, (item) => colorIn(item, currentTheme()));
      if (story.life === life) palette = found;
    } catch (error) {
      explorer.emit("fault", messageOf(error));
    }
    return draw();
  });
  story.addEventListener("other", () => {
    if (story.life && story.other) see([...story.life.steps, ...story.other.steps]);
    draw();
  });
  story.addEventListener("look", draw);
  onTheme(draw);
  explorer.addEventListener("query", draw);
}

/** @param {import("../types.d.ts").Padding} padding */
const roomAround = ({ left, right, top, bottom }) => ({ left: left + AROUND, right: right + AROUND, top: top + AROUND, bottom: bottom + AROUND + AXIS });
