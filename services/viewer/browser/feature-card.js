// What is known about one feature: class, title, properties, links.

import { address, itemPath } from "./api.js";
import { element } from "./dom.js";
import { formatInstant, formatValue, isWebAddress, propertyTitle } from "./format.js";
import { classOf, inkOn } from "./legend.js";
import { seriesChart } from "./series-chart.js";

const TITLES = ["title", "name", "place"];
const IN_HEADER = new Set(["title"]);
const BASINS = {
  NA: "North Atlantic", SA: "South Atlantic", EP: "East Pacific", WP: "West Pacific", SP: "South Pacific",
  NI: "North Indian Ocean", SI: "South Indian Ocean",
};

/** The text that names a feature: its own, else what and where it is, for identifiers tell people little. */
export function featureTitle(collection, feature) {
  const properties = feature.properties ?? {};
  const texts = TITLES.map((name) => String(properties[name] ?? "").trim());
  // the badge says the magnitude already
  if (typeof properties.magnitude === "number") texts[0] = texts[0].replace(/^M\s*-?[\d.]+\s*[-–]?\s*/, "");
  return texts.find((text) => text !== "") ?? describedTitle(collection, feature);
}

function describedTitle(collection, { id, properties }) {
  const kind = collection.label.replace(/([^s])s$/, "$1");
  const place = properties?.country ?? BASINS[properties?.basin] ?? properties?.basin;
  return place ? `${kind}, ${place}` : `${kind} ${id ?? ""}`.trim();
}

/** The coloured word for its class: `M 6.1`, `C5`, `Orange`; null where the collection has none. */
export function featureBadge(style, properties) {
  const found = classOf(style, properties);
  const magnitude = properties.magnitude;
  const text = typeof magnitude === "number" ? `M ${magnitude.toFixed(1)}` : found?.label;
  if (text === undefined) return null;
  const color = found?.color ?? "#5b6b7b";
  const title = typeof magnitude === "number" ? "Magnitude, coloured by depth" : found.title;
  return element("span", { class: "badge", text, title, style: { "background-color": color, color: inkOn(color) } });
}

/** The colour of a feature's class, or null. */
export const featureColor = (style, properties) => classOf(style, properties)?.color ?? null;

/** When it happened, as an ISO text, or null. */
export function featureTime(collection, properties) {
  return collection.time ? (properties[collection.time.column] ?? null) : null;
}

/** The card of a feature with all properties (an item, not a tile's feature). */
export function featureCard(collection, style, feature, actions = []) {
  const properties = feature.properties ?? {};
  const columns = new Map(collection.columns.map((column) => [column.name, column]));
  const rows = element("dl");
  const products = element("ul", { class: "products" });
  const charts = element("div");
  for (const [name, value] of Object.entries(properties)) {
    const column = columns.get(name);
    if (IN_HEADER.has(name) || value === null || value === "") continue;
    if (isWebAddress(value)) {
      products.append(element("li", {}, productLink(propertyTitle(name, column), value)));
      continue;
    }
    const chart = typeof value === "object" ? seriesChart(propertyTitle(name, column), value) : null;
    if (chart) {
      charts.append(chart);
      continue;
    }
    const node = formatValue(name, value, column);
    if (node) rows.append(element("dt", { text: propertyTitle(name, column) }), element("dd", {}, node));
  }
  const time = featureTime(collection, properties);
  return element(
    "article",
    { class: "card" },
    element(
      "header",
      {},
      featureBadge(style, properties),
      element("h2", { text: featureTitle(collection, feature) }),
      element("p", { text: [collection.label, time && formatInstant(time)].filter(Boolean).join(" · ") }),
      properties.source === "simulated" && element("p", { class: "simulated", text: "Simulated, not observed" }),
    ),
    element("div", { class: "card-body", tabindex: "0", role: "group", "aria-label": "Properties" }, charts, rows),
    products.childElementCount ? products : null,
    element("nav", { "aria-label": "This feature" }, ...links(collection, feature), ...actions),
  );
}

function productLink(title, value) {
  return element("a", { href: value, target: "_blank", rel: "noopener noreferrer", text: title });
}

function links(collection, feature) {
  if (feature.id === null || feature.id === undefined) return [];
  const path = itemPath(collection.id, feature.id);
  return [
    element("a", { href: address(path, { f: "html" }), text: "Feature page" }),
    element("a", { href: address(path, { f: "geojson" }), text: "GeoJSON" }),
  ];
}
