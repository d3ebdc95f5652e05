// A page of happy-dom in the global scope, as scripts find it in a browser.

import { createRequire } from "node:module";

const { Window } = createRequire(new URL("../../../../services/viewer/package.json", import.meta.url))("happy-dom");
// no timers, no requests: those stay Node.js' own, which tests hold and answer
const OF_A_PAGE = [
  "document", "location", "history", "CSS", "Event", "EventTarget", "ResizeObserver", "devicePixelRatio", "innerHeight",
  "Node", "Text", "Element", "HTMLElement", "SVGElement", "HTMLInputElement", "HTMLTextAreaElement", "HTMLSelectElement",
  "HTMLOptionElement", "HTMLButtonElement", "HTMLFormElement", "HTMLDetailsElement",
];
const KINDS = { key: "KeyboardEvent", pointer: "PointerEvent", click: "MouseEvent" };
const UNHEARD_AROUND = new Set(["blur", "focus", "pointerleave", "toggle"]);

let opened = null;

/**
 * Opens a page with this hash in its address and this markup, and closes the one before; `media` are the queries that hold.
 * @returns its document
 */
export function openPage({ hash = "", media = [], markup = "" } = {}) {
  opened?.close();
  // a fault in a listener is the test's; links lead nowhere
  const settings = { errorCapture: "disabled", navigation: { disableMainFrameNavigation: true, disableFallbackToSetURL: true } };
  const window = (opened = new Window({ url: `https://example.org/map${hash}`, settings }));
  window.happyDOM.setViewport({ width: 1200, height: 800, devicePixelRatio: 2 });
  addWhatIsMissing(window);
  window.document.body.innerHTML = markup;
  const given = {
    ...Object.fromEntries(OF_A_PAGE.map((name) => [name, window[name]])),
    addEventListener: window.addEventListener.bind(window),
    // the library takes a comma between queries for "and", and has no size to be changed by hand
    matchMedia: (query) => Object.assign(new window.EventTarget(), { media: query, matches: media.includes(query) }),
  };
  for (const [name, value] of Object.entries(given)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return window.document;
}

/** Adds what browsers have and the library lacks or does wrong. */
function addWhatIsMissing({ Element, HTMLFormElement, HTMLSelectElement }) {
  Element.prototype.setPointerCapture = () => {};
  for (const [name, attribute] of [["ariaLabel", "aria-label"], ["ariaLevel", "aria-level"]]) {
    Object.defineProperty(Element.prototype, name, {
      get() { return this.getAttribute(attribute); },
      set(value) { this.setAttribute(attribute, value); },
      configurable: true,
    });
  }
  // these two are different objects if reached from their child elements (issue 1876 of the library)
  for (const { prototype } of [HTMLFormElement, HTMLSelectElement]) {
    prototype.contains = function (other) {
      for (let at = other; at; at = at.parentNode) if (at.attributes === this.attributes) return true;
      return false;
    };
  }
}

/** An event that something happened to an element, or to the window; `fields` are what it tells. Returns it. */
export function fire(target, type, fields = {}) {
  const [, kind = "Event"] = Object.entries(KINDS).find(([start]) => type.startsWith(start)) ?? [];
  const event = new opened[kind](type, { bubbles: !UNHEARD_AROUND.has(type), cancelable: true, ...fields });
  target.dispatchEvent(event);
  return event;
}

/** Has an element say what only a browser knows that lays it out, as its size. Returns it. */
export function withValues(element, values) {
  for (const [name, value] of Object.entries(values)) Object.defineProperty(element, name, { value, configurable: true, writable: true });
  return element;
}
