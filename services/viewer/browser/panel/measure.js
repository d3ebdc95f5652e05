// Measuring: the length of a path or the area of a ring that is clicked, or set at the map's middle by keyboard.

import { pathLength, ringArea, shortestLine } from "../cartography/geodesic.js";
import { element, find } from "../page/dom.js";
import { areaText, lengthText } from "../words/measures.js";
import { inARow, say, sayMany } from "../words/say.js";
import { toolBox } from "./tool-box.js";

/** @import { Engine, Position } from "../types.d.ts" */

export class Measure {
  #engine;
  #box;
  #output;
  /** @type {Position[]} */
  #positions = [];
  #closed = false; // an area, not a path

  /**
   * `box` is the page's measuring box; the button that opens it refers to it.
   * @param {HTMLElement} box
   * @param {Engine} engine
   */
  constructor(box, engine) {
    this.#box = box;
    this.#engine = engine;
    this.#output = find("output", box);
    toolBox(box, () => this.#open(), () => this.#close());
    for (const button of box.querySelectorAll("button")) {
      button.addEventListener("click", () => this.#act(button.dataset.act));
    }
    for (const input of box.querySelectorAll("input")) {
      input.addEventListener("change", () => {
        this.#closed = input.value === "area";
        this.#show();
      });
    }
    find("#map").addEventListener("keydown", (event) => {
      if (box.hidden) return;
      if (event.key === "Enter") this.#act("add");
      else if (event.key === "Backspace") this.#act("undo");
      else return;
      event.preventDefault();
    });
  }

  #open() {
    document.body.classList.add("measuring");
    this.#engine.capture((position) => this.#add(position));
    find("[name=measure]:checked", this.#box).focus();
    this.#show();
  }

  #close() {
    document.body.classList.remove("measuring");
    this.#engine.capture(null);
    this.#positions = [];
    this.#engine.sketch(null);
  }

  /** @param {string | undefined} name */
  #act(name) {
    if (name === "add") this.#add(this.#engine.view().center);
    if (name === "undo") this.#positions.pop();
    if (name === "clear") this.#positions = [];
    this.#show();
  }

  /** @param {Position} position */
  #add(position) {
    this.#positions.push(position);
    this.#show();
  }

  #show() {
    if (this.#box.hidden) return;
    const positions = this.#positions;
    const ring = this.#closed && positions.length > 2 ? [...positions, positions[0]] : positions;
    this.#enableButtons();
    const parts = [];
    if (ring !== positions) parts.push(say("Area {area}", { area: areaText(ringArea(positions)) }), say("around it {distance}", { distance: lengthText(pathLength(ring)) }));
    else if (positions.length > 1) parts.push(say("Distance {distance}", { distance: lengthText(pathLength(positions)) }));
    const missing = (this.#closed ? 3 : 2) - positions.length;
    this.#output.replaceChildren(
      parts.length
        ? element("strong", { text: inARow(parts, ", ") })
        : sayMany("Click the map, or move it and press Enter: {number} more point.", "Click the map, or move it and press Enter: {number} more points.", missing),
    );
    this.#engine.sketch({ line: ring.length > 1 ? shortestLine(ring) : [], points: positions, closed: ring !== positions });
  }

  #enableButtons() {
    const empty = this.#positions.length === 0;
    for (const name of ["undo", "clear"]) {
      const button = find(`[data-act=${name}]`, this.#box, HTMLButtonElement);
      // a button that is disabled would lose the keyboard's place
      if (empty && button === document.activeElement) find("[data-act=add]", this.#box).focus();
      button.disabled = empty;
    }
  }
}
