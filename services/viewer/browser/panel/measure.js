// Measuring: the length of a path or the area of a ring that is clicked, or set at the map's middle by keyboard.

import { element, find } from "../page/dom.js";

const two = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

export class Measure {
  #engine;
  #box;
  #output;
  #button;
  #positions = [];
  #library = null;
  #closed = false; // an area, not a path

  /** `box` is the page's measuring box; the button that opens it refers to it. */
  constructor(box, engine) {
    this.#box = box;
    this.#engine = engine;
    this.#output = find("output", box);
    this.#button = find(`[aria-controls=${box.id}]`);
    this.#button.addEventListener("click", () => this.#toggle(box.hidden));
    for (const button of box.querySelectorAll("[data-act]")) {
      button.addEventListener("click", () => this.#act(button.dataset.act));
    }
    for (const input of box.querySelectorAll("[name=measure]")) {
      input.addEventListener("change", () => {
        this.#closed = input.value === "area";
        this.#show();
      });
    }
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.#toggle(false);
    });
    find("#map").addEventListener("keydown", (event) => {
      if (box.hidden) return;
      if (event.key === "Enter") this.#act("add");
      else if (event.key === "Backspace") this.#act("undo");
      else return;
      event.preventDefault();
    });
  }

  async #toggle(open) {
    this.#box.hidden = !open;
    this.#button.setAttribute("aria-expanded", String(open));
    document.body.classList.toggle("measuring", open);
    this.#engine.capture(open ? (position) => this.#add(position) : null);
    if (!open) {
      this.#positions = [];
      this.#engine.sketch(null);
      this.#button.focus();
      return;
    }
    find("[name=measure]:checked", this.#box).focus();
    this.#library ??= await import("../cartography/geodesic.js");
    this.#show();
  }

  #act(name) {
    if (name === "add") this.#add(this.#engine.view().center);
    if (name === "undo") this.#positions.pop();
    if (name === "clear") this.#positions = [];
    if (name === "close") this.#toggle(false);
    else this.#show();
  }

  #add(position) {
    this.#positions.push(position);
    this.#show();
  }

  #show() {
    if (!this.#library || this.#box.hidden) return;
    const { pathLength, ringArea, shortestLine } = this.#library;
    const positions = this.#positions;
    const ring = this.#closed && positions.length > 2 ? [...positions, positions[0]] : positions;
    for (const name of ["undo", "clear"]) {
      const button = find(`[data-act=${name}]`, this.#box);
      // a button that is disabled would lose the keyboard's place
      if (positions.length === 0 && button === document.activeElement) find("[data-act=add]", this.#box).focus();
      button.disabled = positions.length === 0;
    }
    const parts = [];
    if (this.#closed && positions.length > 2) parts.push(`Area ${areaText(ringArea(positions))}`, `around it ${lengthText(pathLength(ring))}`);
    else if (positions.length > 1) parts.push(`Distance ${lengthText(pathLength(positions))}`);
    const least = this.#closed ? 3 : 2;
    this.#output.replaceChildren(
      parts.length
        ? element("strong", { text: parts.join(", ") })
        : `Click the map, or move it and press Enter: ${least - positions.length} more ${least - positions.length === 1 ? "point" : "points"}.`,
    );
    this.#engine.sketch({ line: ring.length > 1 ? shortestLine(ring) : [], points: positions, closed: ring !== positions });
  }
}

/** Metres in words: `850 m`, `12.35 km`, `1,234 km`, with nautical miles beside kilometres. */
export function lengthText(metres) {
  if (metres < 1000) return `${two.format(metres)} m`;
  return `${two.format(metres / 1000)} km (${two.format(metres / 1852)} nmi)`;
}

/** Square metres in words. */
export function areaText(squareMetres) {
  return squareMetres < 1e5 ? `${two.format(squareMetres)} m²` : `${two.format(squareMetres / 1e6)} km²`;
}
