// Building elements. Text is always set as text: values from the data never become markup.

/**
 * @typedef {HTMLElement | SVGElement} MadeElement
 * @typedef {Node | string | number | null | undefined | false} Child
 */

/**
 * The element with this selector; throws if the page has none. `kind` is the class that it must have.
 * @template {Element} [T=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [root]
 * @param {{ new (): T }} [kind]
 * @returns {T}
 */
export function find(selector, root = document, kind) {
  const found = root.querySelector(selector);
  if (!found || (kind && !(found instanceof kind))) throw new Error(`no ${selector} on the page`);
  return /** @type {T} */ (found);
}

/**
 * The nearest ancestor with this selector, or the element itself; throws where there is none.
 * @param {Element} start
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function findAround(start, selector) {
  const found = start.closest(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`no ${selector} around an element of the page`);
  return found;
}

const SVG = "http://www.w3.org/2000/svg";
const SVG_NAMES = new Set(["svg", "path", "circle", "line", "rect", "g", "polyline", "polygon", "text"]);

/**
 * An element. `properties`: `text`, `class`, `style` (object, set through CSSOM, which the CSP allows),
 * `on<event>` handlers, anything else is an attribute (true: empty, false or null: left out).
 * @template {string} K
 * @param {K} name
 * @param {Record<string, any>} [properties]
 * @param {...Child} children
 * @returns {K extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[K] : MadeElement}
 */
export function element(name, properties = {}, ...children) {
  const made = SVG_NAMES.has(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "text") made.textContent = value;
    else if (key === "style") setStyle(/** @type {MadeElement} */ (made), value);
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) made.append(typeof child === "number" ? String(child) : child);
  }
  return /** @type {any} */ (made);
}

/**
 * @param {MadeElement} made
 * @param {Record<string, string>} style
 */
function setStyle(made, style) {
  for (const [property, value] of Object.entries(style)) made.style.setProperty(property, value);
}
