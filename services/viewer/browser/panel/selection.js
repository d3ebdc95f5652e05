// The selected feature: its popup, its mark on the map, its place in the address, its relatives.

import { address, getJson, itemPath } from "../service/api.js";
import { element } from "../page/dom.js";
import { featureCard, featureColor } from "./feature-card.js";
import { sheet } from "../page/layout.js";
import { writeState } from "../page/state.js";

export class Selection {
  #explorer;
  #hits = [];
  #at = 0;
  #position = null;
  #loading = null;
  #returnFocus = null;

  constructor(explorer) {
    this.#explorer = explorer;
    explorer.addEventListener("shown", () => {
      if (this.#hits.length && !explorer.shown.has(this.#hits[this.#at].collection)) this.clear();
    });
  }

  /** Selects among what lies under a click; nothing there closes the popup. */
  async pick(hits, position) {
    if (!hits.length) return this.clear();
    this.#returnFocus = null;
    this.#hits = hits;
    this.#at = 0;
    this.#position = position;
    return this.#open();
  }

  /** Selects one feature, as from the list or a link. `focus()` brings the keyboard back to where it was chosen. */
  async choose(collection, id, { position = null, fly = true, focus = null } = {}) {
    this.#returnFocus = focus;
    this.#hits = [{ collection, id, properties: {} }];
    this.#at = 0;
    this.#position = position;
    return this.#open({ fly, focus: focus !== null });
  }

  clear() {
    this.#loading?.abort();
    this.#hits = [];
    this.#explorer.engine.closePopup();
    this.#explorer.engine.highlight(null);
    writeState({ id: null });
    this.#returnFocus?.();
    this.#returnFocus = null;
  }

  async #open({ fly = false, focus = false } = {}) {
    const hit = this.#hits[this.#at];
    const explorer = this.#explorer;
    const collection = explorer.collections.get(hit.collection);
    const style = await explorer.style(hit.collection);
    this.#loading?.abort();
    this.#loading = new AbortController();
    let feature = { type: "Feature", id: hit.id, properties: hit.properties, geometry: hit.geometry };
    if (hit.id !== null && hit.id !== undefined) {
      try {
        // a tile carries shortened geometry and no links: the item is what counts
        feature = await getJson(address(itemPath(hit.collection, hit.id), { f: "geojson" }), this.#loading);
      } catch (error) {
        if (error.name === "AbortError") return;
        explorer.emit("fault", error.message);
        if (!hit.geometry) return;
      }
    }
    this.#position ??= anchor(feature.geometry);
    if (fly && feature.geometry) explorer.engine.fit(bboxOf(feature.geometry), selectionPadding());
    explorer.engine.highlight(feature, featureColor(style, feature.properties ?? {}));
    const card = featureCard(collection, style, feature, this.#actions(collection, feature));
    explorer.engine.showPopup(this.#position, card, () => this.clear());
    writeState({ id: hit.id === undefined ? null : `${hit.collection}/${hit.id}` });
    if (focus) card.querySelector("a, button")?.focus({ preventScroll: true });
  }

  #actions(collection, feature) {
    const actions = [];
    const event = feature.properties?.[collection.eventKey];
    const siblings = this.#explorer.siblings(collection.id).filter((other) => other.geometryType);
    if (event && siblings.length) {
      actions.push(element("button", { type: "button", text: "Only this event", onclick: () => this.#showEvent(collection, siblings, event) }));
    }
    if (this.#hits.length > 1) {
      const text = `${this.#at + 1} of ${this.#hits.length} here`;
      const next = () => {
        this.#at = (this.#at + 1) % this.#hits.length;
        this.#open({ focus: true });
      };
      actions.push(element("button", { type: "button", text, title: "Show the next feature at this place", onclick: next }));
    }
    return actions;
  }

  /** Shows what this and the sibling collections know about the event, and no other event of theirs. */
  async #showEvent(collection, siblings, event) {
    const explorer = this.#explorer;
    explorer.setEvent(collection.id, event);
    for (const member of [collection, ...siblings]) {
      try {
        await explorer.show(member.id);
      } catch (error) {
        explorer.emit("fault", `${member.label}: ${error.message}`);
      }
    }
  }
}

/** Room for the panel at the left and for the popup above; on a narrow screen for the time above. */
export function selectionPadding() {
  if (sheet.matches) return { left: 30, right: 30, top: 90, bottom: Math.round(innerHeight * 0.18) };
  return { left: 400, right: 80, top: Math.min(330, Math.round(innerHeight * 0.36)), bottom: 120 };
}

/** West, south, east, north of a GeoJSON geometry. */
export function bboxOf(geometry) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  const visit = (coordinates) => {
    if (typeof coordinates[0] !== "number") return coordinates.forEach(visit);
    const [x, y] = coordinates;
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  };
  if (geometry.type === "GeometryCollection") geometry.geometries.forEach((part) => visit(part.coordinates));
  else visit(geometry.coordinates);
  return box;
}

/** A position on the geometry (not its middle, which may lie outside) for the popup's tip. */
function anchor(geometry) {
  if (!geometry) return null;
  if (geometry.type === "GeometryCollection") return anchor(geometry.geometries[0]);
  if (geometry.type.endsWith("Polygon")) {
    const [west, south, east, north] = bboxOf(geometry);
    return [(west + east) / 2, (south + north) / 2];
  }
  let coordinates = geometry.coordinates;
  while (typeof coordinates[0] !== "number") coordinates = coordinates[Math.floor(coordinates.length / 2)];
  return coordinates.slice(0, 2);
}
