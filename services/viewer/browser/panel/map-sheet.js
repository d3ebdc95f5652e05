// The map as a complete picture: title, description of the contents, map, legend, scale, and sources of the data.

import { colorIn } from "../cartography/classes.js";
import { canvasOf } from "../page/canvas.js";
import { find } from "../page/dom.js";
import { currentTheme } from "../page/theme.js";
import { formatInstant } from "../words/format.js";
import { FROM_RIGHT, inARow, isolated, say } from "../words/say.js";
import { legendTitle } from "./legend.js";
import { alikeLegends } from "./legends.js";

/**
 * @import { Explorer } from "../model/explorer.js"
 * @import { LegendEntry } from "../types.d.ts"
 * @typedef {{ name: string, entries: LegendEntry[] }} Legend
 */

const MARGIN = 20; // pixels, as all that follow
const COLUMN = 250; // width of a legend
const LEAST = 640; // width of a sheet
const FONT = "Inter, system-ui, sans-serif";

/**
 * The picture of what the map shows now, in the pixels of this screen.
 * @param {Explorer} explorer
 * @returns {Promise<HTMLCanvasElement>}
 */
export async function mapSheet(explorer) {
  const picture = await explorer.engine.picture();
  const width = Math.max(LEAST, picture.width / devicePixelRatio);
  // drawn twice: the first time tells how much room all takes
  const measured = drawn(explorer, picture, width, LEAST);
  return drawn(explorer, picture, width, measured.height).canvas;
}

/**
 * @param {Explorer} explorer
 * @param {HTMLCanvasElement} picture
 * @param {number} width
 * @param {number} height
 */
function drawn(explorer, picture, width, height) {
  const { canvas, context } = canvasOf(width, height);
  const pen = new Pen(context, width, { ink: colorOf("body", "color"), muted: colorOf("#panel .home", "color") });
  // the panel's own lets a little of the sea through
  for (const color of [colorOf("body", "backgroundColor"), colorOf("#panel", "backgroundColor")]) {
    context.fillStyle = color;
    context.fillRect(0, 0, width, height);
  }
  pen.write(textOf("#storm h2") || textOf("#panel h1"), { size: 20, weight: 600 });
  for (const line of said()) pen.write(line, { size: 13 });
  pen.y += 8;
  const [shownWidth, shownHeight] = [picture.width / devicePixelRatio, picture.height / devicePixelRatio];
  context.drawImage(picture, (width - shownWidth) / 2, pen.y, shownWidth, shownHeight);
  pen.y += shownHeight + MARGIN;
  scaleBar(pen);
  legendsBelow(pen, [...windLegend(), ...legendsOf(explorer)]);
  for (const line of [textOf(".maplibregl-ctrl-attrib-inner, .ol-attribution ul"), made()]) pen.write(line, { size: 11, muted: true });
  return { canvas, height: Math.ceil(pen.y + MARGIN / 2) };
}

/** The panel's description of the shown features: number, time, filter, and whether they are simulated. */
function said() {
  const storm = ["#storm header .muted", "#storm .state"].map(textOf);
  // of several collections each has its own; a storm has the days of its life
  const time = storm[0] || find("#timeline").hidden ? "" : inARow(["#timeline .of", "#timeline .label output"].map(textOf), ": ");
  const chips = [...document.querySelectorAll("#chips .chip span")].map((chip) => chip.textContent?.trim() ?? "");
  const facts = inARow([textOf("#facts"), time]);
  return [...storm, facts, ...chips, textOf("#drawn"), textOf("#simulated")].filter(Boolean);
}

const made = () => inARow([inARow([textOf("#panel .home"), formatInstant(Date.now())], ", "), location.href], ": ");

/**
 * The colour that an element of the page has in the theme of now.
 * @param {string} selector
 * @param {"color" | "backgroundColor"} property
 */
const colorOf = (selector, property) => getComputedStyle(find(selector))[property];

/**
 * The words of an element of the page, none where it is not there or hidden.
 * @param {string} selector
 */
function textOf(selector) {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement) || found.hidden) return "";
  const parts = found.matches("ul") ? [...found.children] : [found];
  return parts.map((part) => (part.textContent ?? "").replace(/\s+/g, " ").trim()).join(" | ");
}

/**
 * @param {Explorer} explorer
 * @returns {Legend[]}
 */
const legendsOf = (explorer) =>
  alikeLegends(explorer).map(({ name, entries }) => ({
    name,
    entries: entries.map((entry) => ({ ...entry, classes: [...(entry.classes ?? []), ...(entry.unclassed ? [entry.unclassed] : [])] })),
  }));

/**
 * The zones of a storm's winds, with the colours of the panel; none without a storm.
 * @returns {Legend[]}
 */
function windLegend() {
  const labels = [...document.querySelectorAll("#storm fieldset:not([hidden]) label")];
  const classes = labels.map((label) => ({ label: (label.textContent ?? "").trim(), color: getComputedStyle(find("i", label)).backgroundColor }));
  return classes.length ? [{ name: textOf("#storm fieldset legend"), entries: [{ title: "", properties: [], classes }] }] : [];
}

/** @param {Pen} pen */
function scaleBar(pen) {
  const bar = document.querySelector(".maplibregl-ctrl-scale, .ol-scale-line-inner");
  if (!bar) return;
  const { context } = pen;
  const length = bar.getBoundingClientRect().width;
  context.strokeStyle = pen.colors.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  const [first, last] = [pen.at(MARGIN), pen.at(MARGIN + length)];
  context.moveTo(first, pen.y - 4);
  context.lineTo(first, pen.y + 2);
  context.lineTo(last, pen.y + 2);
  context.lineTo(last, pen.y - 4);
  context.stroke();
  pen.label(say("{distance} at the middle of the map", { distance: bar.textContent?.trim() }), MARGIN + length + 8, pen.y + 2);
  pen.y += 1.5 * MARGIN;
}

/**
 * Draws legends side by side, as many as fit.
 * @param {Pen} pen
 * @param {Legend[]} legends
 */
function legendsBelow(pen, legends) {
  const columns = Math.max(1, Math.floor((pen.width - MARGIN) / COLUMN));
  for (let first = 0; first < legends.length; first += columns) {
    const top = pen.y;
    const ends = legends.slice(first, first + columns).map((legend, at) => {
      pen.y = top;
      drawLegend(pen, legend, MARGIN + at * COLUMN);
      return pen.y;
    });
    pen.y = Math.max(...ends) + 8;
  }
}

/**
 * @param {Pen} pen
 * @param {Legend} legend
 * @param {number} left
 */
function drawLegend(pen, { name, entries }, left) {
  const room = { left, right: left + COLUMN - MARGIN };
  pen.write(name, { size: 12, weight: 600, ...room });
  for (const { title, unit, classes = [], sizes = [], symbol, provisional } of entries) {
    if (title) pen.write(legendTitle({ title, unit }), { size: 12, muted: true, ...room });
    for (const { label, ...item } of sizes.length ? [] : classes) {
      pen.symbol(symbol ?? "fill", colorIn(item, currentTheme()), Boolean(provisional), left, pen.y);
      pen.label(isolated(say(label)), left + 26, pen.y + 4);
      pen.y += 17;
    }
    let x = left;
    const middle = pen.y + 8;
    for (const { label, diameter, color, dark } of sizes) {
      pen.circle(x + diameter / 2, middle, diameter / 2, color === undefined ? null : colorIn({ color, dark }, currentTheme()));
      pen.label(label, x + diameter + 5, middle + 4);
      x += diameter + 14 + pen.widthOf(label);
    }
    if (sizes.length) pen.y += 36;
  }
}

/** Writes from the top to the bottom; `y` is where it goes on. Across, all begins at the side where the language does. */
class Pen {
  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} width
   * @param {{ ink: string, muted: string }} colors
   */
  constructor(context, width, colors) {
    this.context = context;
    this.width = width;
    this.colors = colors;
    this.y = MARGIN + 12;
    context.direction = FROM_RIGHT ? "rtl" : "ltr";
  }

  /**
   * The x coordinate of an item of this width at this distance from the side where lines of text begin.
   * @param {number} x
   * @param {number} [width]
   */
  at(x, width = 0) {
    return FROM_RIGHT ? this.width - x - width : x;
  }

  /**
   * Lines of text, broken where they would be too long.
   * @param {string} text
   * @param {{ size: number, weight?: number, muted?: boolean, left?: number, right?: number }} how
   */
  write(text, { size, weight = 400, muted = false, left = MARGIN, right = this.width - MARGIN }) {
    this.context.font = `${weight} ${size}px ${FONT}`;
    this.context.fillStyle = muted ? this.colors.muted : this.colors.ink;
    let line = "";
    for (const word of text.split(" ")) {
      const longer = line ? `${line} ${word}` : word;
      if (line && this.context.measureText(longer).width > right - left) {
        this.#line(line, left, size);
        line = word;
      } else line = longer;
    }
    if (line) this.#line(line, left, size);
  }

  /**
   * @param {string} line
   * @param {number} left
   * @param {number} size
   */
  #line(line, left, size) {
    this.context.fillText(line, this.at(left), this.y);
    this.y += Math.round(size * 1.4);
  }

  /**
   * @param {string} text
   * @param {number} x
   * @param {number} y
   */
  label(text, x, y) {
    this.context.font = `12px ${FONT}`;
    this.context.fillStyle = this.colors.ink;
    this.context.fillText(text, this.at(x), y);
  }

  /** @param {string} text */
  widthOf(text) {
    this.context.font = `12px ${FONT}`;
    return this.context.measureText(text).width;
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {string | null} color
   */
  circle(x, y, radius, color) {
    this.context.strokeStyle = this.colors.muted;
    this.context.lineWidth = 1.5;
    this.context.beginPath();
    this.context.arc(this.at(x), y, radius, 0, 2 * Math.PI);
    if (color) {
      this.context.fillStyle = color;
      this.context.fill();
    }
    this.context.stroke();
  }

  /**
   * @param {string} kind of the style's layer: `circle`, `line` or `fill`
   * @param {string} color
   * @param {boolean} dashed
   * @param {number} x
   * @param {number} y
   */
  symbol(kind, color, dashed, x, y) {
    const { context } = this;
    context.beginPath();
    if (kind === "circle") context.arc(this.at(x + 9), y, 6, 0, 2 * Math.PI);
    else context.rect(this.at(x, 18), kind === "line" ? y - 2 : y - 6, 18, kind === "line" ? 4 : 12);
    if (dashed) {
      context.setLineDash([3, 3]);
      context.strokeStyle = color;
      context.lineWidth = 2;
      context.stroke();
      context.setLineDash([]);
    } else {
      context.fillStyle = color;
      context.fill();
    }
  }
}
