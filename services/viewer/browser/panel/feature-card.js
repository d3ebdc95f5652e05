// The card of one feature: class, title, properties, links.

import { element } from "../page/dom.js";
import { itemAddress } from "../service/api.js";
import { formatInstant, isWebAddress, propertyTitle } from "../words/format.js";
import { NEARBY, nearbyWords } from "../words/nearby.js";
import { inARow, say } from "../words/say.js";
import { featureAge, featureBadge, featureTime, featureTitle } from "./feature-badge.js";
import { valueNode, webLink } from "./property-value.js";
import { seriesChart } from "./series-chart.js";

/** @import { Collection, Item, Properties, Style } from "../types.d.ts" */

/** Properties that say how strong, where and until when, in the order of the card. */
const FIRST = ["magnitude", "category", "max_wind_kt", "wind_kt", "alert_level", "severity", "depth", "nearest_place", "country", "start_date", "end_date"];
const IDENTIFIER = /^(id|.*_id)$/;

/**
 * The properties with the most important ones first and identifiers last.
 * @param {Properties} properties
 */
function inOrderOfImportance(properties) {
  /** @param {string} name */
  const rank = (name) => (IDENTIFIER.test(name) ? FIRST.length + 1 : FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return Object.entries(properties).sort(([a], [b]) => rank(a) - rank(b));
}

/**
 * Whether the header of a card says a property already.
 * @param {Collection} collection
 * @param {string} name
 * @param {unknown} value
 * @param {string} title
 */
const isInHeader = ({ time }, name, value, title) =>
  (name === "title" && String(value).endsWith(title)) ||
  (name === "name" && title.includes(String(value))) ||
  name === time?.column ||
  (name === "source" && value === "simulated");

/**
 * The card of a feature with all properties (an item, not a tile's feature).
 * @param {Collection} collection
 * @param {Style} style
 * @param {Item} feature
 * @param {HTMLElement[]} [actions]
 */
export function featureCard(collection, style, feature, actions = []) {
  const properties = feature.properties ?? {};
  const title = featureTitle(collection, feature);
  const time = featureTime(collection, properties);
  const age = featureAge(collection, properties);
  const { charts, rows, products } = parts(collection, properties, title);
  return element(
    "article",
    { class: "card" },
    element(
      "header",
      {},
      featureBadge(style, properties),
      element("h2", { text: title }),
      element("p", { text: inARow([collection.label, time && formatInstant(time), age.words]) }),
      age.over && element("p", { class: "ended", text: say("No longer active") }),
      properties.source === "simulated" && element("p", { class: "simulated", text: say("Simulated, not observed") }),
    ),
    element("div", { class: "card-body", tabindex: "0", role: "group", "aria-label": say("Properties") }, charts, rows),
    products.childElementCount ? products : null,
    element("nav", { "aria-label": say("This feature") }, ...links(collection, feature), ...actions),
  );
}

/**
 * The properties: series as charts, addresses as links to products, others as rows.
 * @param {Collection} collection
 * @param {Properties} properties
 * @param {string} title of the card, which need not be said twice
 */
function parts(collection, properties, title) {
  const columns = new Map(collection.columns.map((column) => [column.name, column]));
  const rows = element("dl");
  const products = element("ul", { class: "products" });
  const charts = element("div");
  for (const [name, value] of inOrderOfImportance(properties)) {
    const column = columns.get(name);
    if (name === "nearest_place" && value) rows.append(element("dt", { text: say("Nearest place") }), element("dd", { text: nearbyWords(properties) }));
    // the place in words of the source repeats the nearest one
    const isKnown = NEARBY.has(name) || (name === "place" && Boolean(properties.nearest_place));
    if (value === null || value === "" || isKnown || isInHeader(collection, name, value, title)) continue;
    const chart = typeof value === "object" ? seriesChart(name, value, properties, columns) : null;
    const node = valueNode(name, value, column);
    if (isWebAddress(value)) products.append(element("li", {}, webLink(propertyTitle(name, column), value)));
    else if (chart) charts.append(chart);
    else if (node) rows.append(element("dt", { text: propertyTitle(name, column) }), element("dd", {}, node));
  }
  return { charts, rows, products };
}

/**
 * @param {Collection} collection
 * @param {Item} feature
 */
function links(collection, { id }) {
  if (id === null || id === undefined) return [];
  return [
    element("a", { href: itemAddress(collection.id, id, "html"), text: say("Feature page") }),
    element("a", { href: itemAddress(collection.id, id, "geojson"), text: "GeoJSON" }),
  ];
}
