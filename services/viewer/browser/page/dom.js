// Building elements. Text is always set as text: values from the data never become markup.

/** The element with this selector; throws where the page lacks it. */
export function find(selector, root = document) {
  const found = root.querySelector(selector);
  if (!found) throw new Error(`no ${selector} on the page`);
  return found;
}

/**
 * An element. `properties`: `text`, `class`, `style` (object, set through CSSOM, which the CSP allows),
 * `on<event>` handlers, anything else is an attribute (true: empty, false or null: left out).
 */
export function element(name, properties = {}, ...children) {
  const made = name === "svg" || svgNames.has(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "text") made.textContent = value;
    else if (key === "class") made.setAttribute("class", value);
    else if (key === "style") for (const [property, text] of Object.entries(value)) made.style.setProperty(property, text);
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const svgNames = new Set(["path", "circle", "line", "rect", "g", "polyline", "polygon", "text"]);

/** Calls `action` once the calls have paused for `milliseconds`. */
export function debounced(action, milliseconds) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}
