// What is known about one feature: class, title, properties, links.

import { address, itemPath } from "../service/api.js";
import { element } from "../page/dom.js";
import { featureName } from "../words/feature-name.js";
import { formatInstant, formatValue, isWebAddress, propertyTitle } from "../words/format.js";
import { classOf, inkOn } from "./legend.js";
import { seriesChart } from "./series-chart.js";

/** The text that names a feature beside its badge, which says the magnitude already. */
export function featureTitle(collection, feature) {
  const name = featureName(collection, feature);
  if (typeof feature.properties?.magnitude !== "number") return name;
  return name.replace(/^M\s*-?[\d.]+\s*[-–]?\s*/, "") || String(feature.properties.place ?? name);
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
  const title = featureTitle(collection, feature);
  const rows = element("dl");
  const products = element("ul", { class: "products" });
  const charts = element("div");
  for (const [name, value] of Object.entries(properties)) {
    const column = columns.get(name);
    if (value === null || value === "" || (name === "title" && String(value).endsWith(title))) continue;
    if (isWebAddress(value)) {
      products.append(element("li", {}, productLink(propertyTitle(name, column), value)));
      continue;
    }
    const chart = typeof value === "object" ? seriesChart(name, value, properties, columns) : null;
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
      element("h2", { text: title }),
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
