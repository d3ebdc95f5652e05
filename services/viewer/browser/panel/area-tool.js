// Asking by place: a box, a circle or a polygon that is drawn on the map, or typed.

import { areaOutline } from "../cartography/area-outline.js";
import { boxOf, circleOf, polygonOf } from "../model/area.js";
import { drawnArea, POINTS } from "../model/area-drawing.js";
import { element, find } from "../page/dom.js";
import { sheet } from "../page/layout.js";
import { messageOf } from "../service/api.js";
import { findPlaces, fullName } from "../service/places.js";
import { areaWords } from "../words/area.js";
import { formatPosition, parseCoordinates } from "../words/coordinates.js";
import { say } from "../words/say.js";
import { fitArea } from "./area-view.js";
import { toolBox } from "./tool-box.js";

/**
 * @import { Explorer } from "../model/explorer.js"
 * @import { Area, Position } from "../types.d.ts"
 * @typedef {Area["kind"]} Kind
 */

/** @type {Record<Kind, string>} */
const LABELS = { box: say("Box"), circle: say("Circle"), polygon: say("Polygon") };
const CORNER = say("Click a corner on the map, or move the map and press Enter.");
/** The instructions for the next point. @type {Record<Kind, string[]>} */
const NEXT = {
  box: [CORNER, say("Click the opposite corner on the map, or move the map and press Enter.")],
  circle: [
    say("Click the middle on the map, or move the map and press Enter."),
    say("Click a point of the edge on the map, or move the map and press Enter."),
  ],
  polygon: [CORNER],
};
const NEAR_PIXELS = 5;
/** @type {[string, string][]} */
const EDGES = [["west", say("West")], ["south", say("South")], ["east", say("East")], ["north", say("North")]];

export class AreaTool {
  #section;
  #explorer;
  #form;
  #fields;
  #say;
  #fault;
  /** @type {Kind} */
  #kind = "box";
  /** @type {Position[]} */
  #points = [];

  /**
   * Fills the page's section for it; the button that opens it refers to it.
   * @param {HTMLElement} section
   * @param {Explorer} explorer
   */
  constructor(section, explorer) {
    this.#section = section;
    this.#explorer = explorer;
    this.#say = element("output", { "aria-live": "polite" });
    this.#fields = element("div", { class: "fields" });
    this.#fault = element("p", { class: "fault", role: "alert", hidden: true });
    const acts = {
      add: () => this.#add(explorer.engine.view().center),
      undo: () => this.#undo(),
      remove: () => this.#remove(),
    };
    const act = (/** @type {keyof typeof acts} */ name, /** @type {string} */ text) =>
      element("button", { type: "button", "data-act": name, text, onclick: acts[name] });
    this.#form = element(
      "form",
      { novalidate: true },
      // where there is little room, the map needs it
      element("details", { open: !sheet.matches }, element("summary", { text: say("In numbers") }), this.#fields),
      this.#fault,
      element("div", { class: "acts" },
        element("button", { class: "primary", type: "submit", text: say("Show") }),
        act("add", say("Point at the middle")), act("undo", say("Undo")), act("remove", say("Remove"))),
    );
    section.replaceChildren(this.#modes(), this.#say, this.#form);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    toolBox(section, () => this.#open(), () => this.#leave());
    find("#map").addEventListener("keydown", (event) => {
      if (section.hidden) return;
      if (event.key === "Escape") find("[data-act=close]", section).click();
      else if (event.key === "Enter") acts.add();
      else if (event.key === "Backspace") acts.undo();
      else return;
      event.preventDefault();
    });
    explorer.addEventListener("query", () => section.hidden || this.#form.contains(document.activeElement) || this.#fill());
  }

  #modes() {
    const modes = /** @type {Kind[]} */ (Object.keys(LABELS)).map((kind) => {
      const input = element("input", { type: "radio", name: "area", value: kind, onchange: () => this.#choose(kind) });
      return element("label", {}, input, ` ${LABELS[kind]}`);
    });
    const close = { class: "close", type: "button", "data-act": "close", "aria-label": say("Stop selecting"), text: "×" };
    return element("div", { class: "modes" }, ...modes, element("button", close));
  }

  #open() {
    document.body.classList.add("measuring");
    const { engine, area } = this.#explorer;
    engine.capture((position) => this.#add(position), (position) => this.#preview(position));
    this.#choose(area?.kind ?? this.#kind);
    find("input:checked", this.#section).focus();
  }

  #leave() {
    document.body.classList.remove("measuring");
    this.#points = [];
    this.#explorer.engine.capture(null);
    this.#explorer.engine.sketch(null);
  }

  /** @param {Kind} kind */
  #choose(kind) {
    this.#kind = kind;
    this.#points = [];
    find(`input[value=${kind}]`, this.#section, HTMLInputElement).checked = true;
    this.#fields.replaceChildren(...fieldsOf(kind));
    this.#fill();
    this.#show();
  }

  /** The fields say the area that is shown, where it is of their kind. */
  #fill() {
    const { area } = this.#explorer;
    find("[data-act=remove]", this.#form, HTMLButtonElement).disabled = area === null;
    this.#setFault(null);
    if (area?.kind === this.#kind) valuesOf(area).forEach((value, at) => (this.#inputs()[at].value = value));
  }

  /** @returns {(HTMLInputElement | HTMLTextAreaElement)[]} */
  #inputs() {
    return [...this.#fields.querySelectorAll("input, textarea")].map((each) => /** @type {HTMLInputElement} */ (each));
  }

  /** @param {Position} position */
  #add(position) {
    const last = this.#points.at(-1);
    // a double click ends a polygon
    const again = last !== undefined && Math.hypot(last[0] - position[0], last[1] - position[1]) < this.#near();
    if (!again) this.#points.push(position);
    const area = this.#drawn(this.#points);
    const isDone = this.#kind === "polygon" ? again : this.#points.length === POINTS[this.#kind];
    if (this.#kind === "polygon") this.#inputs()[0].value = cornersText(this.#points);
    if (isDone && !area && !again) this.#points.pop();
    if (area && isDone) this.#apply(area);
    // it reports what is wrong with the area
    else if (again && this.#points.length >= POINTS.polygon) this.#submit();
    else this.#show();
  }

  /** How many degrees a hand moves between the clicks of a double click. */
  #near() {
    return (NEAR_PIXELS * 360) / (512 * 2 ** this.#explorer.engine.view().zoom);
  }

  #undo() {
    this.#points.pop();
    this.#show();
  }

  #remove() {
    this.#explorer.setArea(null);
    this.#choose(this.#kind);
    find("input:checked", this.#section).focus();
  }

  /** @param {Position[]} points */
  #drawn(points) {
    return drawnArea(this.#kind, points, this.#explorer.engine.within().crs !== undefined);
  }

  /** @param {Position} position of the pointer */
  #preview(position) {
    if (this.#points.length) this.#sketch([...this.#points, position]);
  }

  /** @param {Position[]} points */
  #sketch(points) {
    const area = this.#drawn(points);
    const line = area ? areaOutline(area) : points.length > 1 ? points : [];
    this.#explorer.engine.sketch(points.length ? { line, points: this.#points, closed: area !== null } : null);
  }

  #show() {
    this.#sketch(this.#points);
    find("[data-act=undo]", this.#form, HTMLButtonElement).disabled = !this.#points.length;
    const enough = this.#kind === "polygon" && this.#points.length >= POINTS.polygon;
    const next = NEXT[this.#kind][Math.min(this.#points.length, NEXT[this.#kind].length - 1)];
    this.#say.textContent = enough
      ? say("Click to add corners, or move the map and press Enter. Double-click, or press Show, to finish.")
      : next;
  }

  async #submit() {
    this.#form.setAttribute("aria-busy", "true");
    try {
      const area = await typedArea(this.#kind, this.#inputs().map(({ value }) => value), this.#explorer.area);
      this.#apply(area);
      fitArea(this.#explorer);
    } catch (error) {
      this.#setFault(messageOf(error));
    } finally {
      this.#form.removeAttribute("aria-busy");
    }
  }

  /** @param {Area} area */
  #apply(area) {
    this.#points = [];
    this.#explorer.setArea(area);
    this.#fill();
    this.#show();
    this.#say.textContent = say("Showing features {where}.", { where: areaWords(area) });
  }

  /** @param {string | null} message */
  #setFault(message) {
    this.#fault.hidden = message === null;
    this.#fault.textContent = message ?? "";
  }
}

/** @param {Kind} kind */
function fieldsOf(kind) {
  const number = { type: "text", inputmode: "decimal", autocomplete: "off" };
  if (kind === "box") return EDGES.map(([name, label]) => element("label", {}, label, element("input", { ...number, name })));
  if (kind === "polygon") {
    const text = { name: "corners", rows: 3, spellcheck: "false", placeholder: "118 21, 123 21, 123 26", dir: "ltr" };
    return [element("label", { class: "wide" }, say("Corners, longitude before latitude"), element("textarea", text))];
  }
  return [
    element("label", { class: "wide" }, say("Around a place, or coordinates"),
      element("input", { type: "text", name: "place", autocomplete: "off", spellcheck: "false", placeholder: "Taipei" })),
    element("label", {}, say("Kilometres"), element("input", { ...number, name: "kilometres" })),
  ];
}

/** @param {Position[]} points */
const cornersText = (points) => points.map((point) => point.map((value) => Number(value.toFixed(4))).join(" ")).join(", ");

/**
 * The values of the form's fields for an area of this kind.
 * @param {Area} area
 */
function valuesOf(area) {
  if (area.kind === "box") return area.box.map(String);
  if (area.kind === "polygon") return [cornersText(area.ring)];
  return [area.name || formatPosition(area.center), String(area.kilometres)];
}

/**
 * The area that the user typed. Throws an error whose message says in one sentence what is wrong.
 * @param {Kind} kind
 * @param {string[]} values
 * @param {Area | null} shown its centre stays if the user types no other
 */
async function typedArea(kind, values, shown) {
  if (kind === "polygon") return polygonOf(numbersOf(values[0].split(/[\s,;]+/).filter(Boolean)));
  if (kind === "box") return boxOf(numbersOf(values));
  const [place, distance] = values;
  const [kilometres] = numbersOf([distance]);
  if (shown?.kind === "circle" && place === valuesOf(shown)[0]) return circleOf([...shown.center, kilometres], shown.name);
  const position = parseCoordinates(place);
  if (position) return circleOf([...position, kilometres]);
  if (!place.trim()) throw new Error(say("A circle has a place or coordinates in its middle"));
  const [found] = await findPlaces(place, 1);
  if (!found) throw new Error(say("No place named {name}", { name: place }));
  return circleOf([...found.geometry.coordinates, kilometres], fullName(found.properties));
}

/** @param {string[]} texts */
function numbersOf(texts) {
  return texts.map((text) => {
    const value = text.trim() === "" ? NaN : Number(text);
    if (!Number.isFinite(value)) throw new Error(text.trim() ? say("{text} is not a number", { text }) : say("A number is missing"));
    return value;
  });
}
