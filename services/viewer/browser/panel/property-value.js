// A property's value on the page: text or link, never markup.

import { element } from "../page/dom.js";
import { formatText, isWebAddress } from "../words/format.js";

/** @import { Column } from "../types.d.ts" */

/**
 * The value as a node, or null where there is nothing to show.
 * @param {string} name
 * @param {unknown} value
 * @param {Column} [column]
 */
export function valueNode(name, value, column) {
  if (isWebAddress(value)) {
    const { hostname, pathname } = new URL(value);
    const file = pathname.split("/").filter(Boolean).pop() ?? hostname;
    return webLink(file.slice(0, 40), value);
  }
  const text = formatText(name, value, column);
  return text === null ? null : document.createTextNode(text);
}

/**
 * A link to another site. The site does not get the address of this page.
 * @param {string} text
 * @param {string} href
 */
export const webLink = (text, href) => element("a", { href, target: "_blank", rel: "noopener noreferrer", text });
