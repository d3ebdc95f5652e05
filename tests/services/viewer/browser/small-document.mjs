// A document that is small, for scripts that build parts of a page: elements with attributes, children, events and a few
// selectors (`tag`, `#id`, `.class`, `[name=value]`, `:checked`, `:is(…)`, one within another, several with commas).

class Emitter {
  #listeners = new Map();

  addEventListener(type, listener, { signal } = {}) {
    const known = this.#listeners.get(type) ?? [];
    this.#listeners.set(type, [...known, listener]);
    signal?.addEventListener("abort", () => this.removeEventListener(type, listener));
  }

  removeEventListener(type, listener) {
    this.#listeners.set(type, (this.#listeners.get(type) ?? []).filter((each) => each !== listener));
  }

  /** Calls the listeners of this and, as most events do, of what it is in. */
  dispatchEvent(event) {
    if (event.target === null) Object.defineProperty(event, "target", { value: this });
    for (const listener of this.#listeners.get(event.type) ?? []) listener.call(this, event);
    if (!event.isStopped) (this.parentNode ?? this.beyond)?.dispatchEvent(event);
  }
}

class Node extends Emitter {
  parentNode = null;
  remove() {
    if (this.parentNode) this.parentNode.childNodes = this.parentNode.childNodes.filter((each) => each !== this);
    this.parentNode = null;
  }
}

class Text extends Node {
  constructor(data) {
    super();
    this.data = data;
  }
  get textContent() {
    return this.data;
  }
}

class Element extends Node {
  childNodes = [];
  #attributes = new Map();
  style = {
    setProperty: (name, value) => (this.style[name] = value),
    removeProperty: (name) => delete this.style[name],
  };
  classList = {
    toggle: (name, force = !this.matches(`.${name}`)) => this.classList[force ? "add" : "remove"](name),
    add: (name) => this.setAttribute("class", [...new Set([...this.classes, name])].join(" ")),
    remove: (name) => this.setAttribute("class", this.classes.filter((each) => each !== name).join(" ")),
  };
  dataset = new Proxy({}, {
    get: (_, name) => this.getAttribute(dataName(name)) ?? undefined,
    set: (_, name, value) => (this.setAttribute(dataName(name), value), true),
  });

  constructor(name) {
    super();
    this.localName = name;
  }

  get classes() {
    return (this.getAttribute("class") ?? "").split(" ").filter(Boolean);
  }
  getAttribute(name) {
    return this.#attributes.get(name) ?? null;
  }
  setAttribute(name, value) {
    this.#attributes.set(name, String(value));
  }
  removeAttribute(name) {
    this.#attributes.delete(name);
  }

  get children() {
    return this.childNodes.filter((each) => each instanceof Element);
  }
  get childElementCount() {
    return this.children.length;
  }
  get tagName() {
    return this.localName.toUpperCase();
  }
  get parentElement() {
    return this.parentNode instanceof Element ? this.parentNode : null;
  }
  get textContent() {
    return this.childNodes.map((each) => each.textContent).join("");
  }
  set textContent(text) {
    this.replaceChildren(...(text === "" ? [] : [String(text)]));
  }
  #taken(nodes) {
    return nodes.map((each) => {
      const node = each instanceof Node ? each : new Text(each);
      node.remove();
      node.parentNode = this;
      return node;
    });
  }
  append(...nodes) {
    const taken = this.#taken(nodes);
    this.childNodes.push(...taken);
  }
  prepend(...nodes) {
    const taken = this.#taken(nodes);
    this.childNodes.unshift(...taken);
  }
  replaceChildren(...nodes) {
    for (const each of this.childNodes) each.parentNode = null;
    this.childNodes = [];
    this.append(...nodes);
  }

  matches(selector) {
    return expanded(selector).some((each) => isFound(this, each.split(/\s+/)));
  }
  querySelectorAll(selector) {
    return this.children.flatMap((each) => [...(each.matches(selector) ? [each] : []), ...each.querySelectorAll(selector)]);
  }
  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }
  closest(selector) {
    return this.matches(selector) ? this : (this.parentElement?.closest(selector) ?? null);
  }
  contains(other) {
    return other === this || (other?.parentNode ? this.contains(other.parentNode) : false);
  }

  focus() {
    globalThis.document.activeElement = this;
  }
  click() {
    if (!this.disabled) fire(this, "click");
  }
  scrollIntoView() {}
  getBoundingClientRect() {
    return { left: 0, top: 0, width: 0, height: 0 };
  }
}

const dataName = (name) => `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The selectors that one stands for: those with commas between them, and each of `:is(…)`. */
function expanded(selector) {
  const choice = /^(.*?):is\(([^)]*)\)(.*)$/s.exec(selector);
  if (!choice) return selector.split(",").map((each) => each.trim());
  const [, before, chosen, after] = choice;
  const [start, end] = [before.lastIndexOf(",") + 1, after.indexOf(",")];
  const rest = end < 0 ? "" : after.slice(end + 1);
  const own = chosen.split(",").flatMap((each) => expanded(before.slice(start) + each.trim() + (end < 0 ? after : after.slice(0, end))));
  return [...(start ? expanded(before.slice(0, start - 1)) : []), ...own, ...(rest.trim() ? expanded(rest) : [])];
}

/** Whether an element is what the last of the parts says, within what those before say; right within after `>`. */
function isFound(element, parts) {
  const around = parts.slice(0, -1);
  if (!isOne(element, parts[parts.length - 1])) return false;
  if (!around.length) return true;
  const parent = element.parentElement;
  if (around[around.length - 1] === ">") return parent !== null && isFound(parent, around.slice(0, -1));
  for (let at = parent; at; at = at.parentElement) if (isFound(at, around)) return true;
  return false;
}

const PART = /#([\w-]+)|\.([\w-]+)|\[([\w-]+)(?:=(["']?)([^\]"']*)\4)?\]|(:checked)|([\w-]+)/g;

function isOne(element, compound) {
  return [...compound.matchAll(PART)].every(([, id, name, attribute, , value, checked, tag]) => {
    if (id) return element.getAttribute("id") === id;
    if (name) return element.classes.includes(name);
    if (attribute) return value === undefined ? element.getAttribute(attribute) !== null : element.getAttribute(attribute) === value;
    return checked ? element.checked === true : element.localName === tag;
  });
}

class SVGElement extends Element {
  setPointerCapture() {}
}
class HTMLElement extends Element {}
for (const name of ["id", "title", "type", "name", "href", "download", "placeholder", "step", "max", "autocomplete", "role", "lang"]) {
  Object.defineProperty(Element.prototype, name, {
    get() { return this.getAttribute(name) ?? ""; },
    set(value) { this.setAttribute(name, value); },
  });
}
for (const name of ["hidden", "disabled", "open", "selected"]) {
  Object.defineProperty(Element.prototype, name, {
    get() { return this.getAttribute(name) !== null; },
    set(value) { if (value) this.setAttribute(name, ""); else this.removeAttribute(name); },
  });
}
for (const [name, attribute] of [["ariaLabel", "aria-label"], ["ariaLevel", "aria-level"]]) {
  Object.defineProperty(Element.prototype, name, {
    get() { return this.getAttribute(attribute); },
    set(value) { this.setAttribute(attribute, value); },
  });
}
Object.defineProperty(Element.prototype, "tabIndex", {
  get() { return Number(this.getAttribute("tabindex") ?? 0); },
  set(value) { this.setAttribute("tabindex", value); },
});

class HTMLInputElement extends HTMLElement {
  #value = null;
  checked = false;
  validity = { badInput: false };
  get value() { return this.#value ?? this.getAttribute("value") ?? ""; }
  set value(value) { this.#value = String(value); }
  select() {}
}
class HTMLTextAreaElement extends HTMLInputElement {}
class HTMLSelectElement extends HTMLElement {
  #chosen = null;
  get options() { return this.querySelectorAll("option"); }
  /** The option that was chosen, as long as there is it; else the one that is marked, or the first. */
  get #option() {
    const { options } = this;
    return options.includes(this.#chosen) ? this.#chosen : (options.find(({ selected }) => selected) ?? options[0]);
  }
  get selectedIndex() { return this.options.indexOf(this.#option); }
  set selectedIndex(at) { this.#chosen = this.options[at]; }
  get value() { return this.#option?.value ?? ""; }
  set value(value) { this.#chosen = this.options.find((each) => each.value === String(value)) ?? null; }
}
class HTMLOptionElement extends HTMLElement {
  get value() { return this.getAttribute("value") ?? this.textContent; }
}
class HTMLButtonElement extends HTMLElement {}
class HTMLFormElement extends HTMLElement {}
class HTMLDetailsElement extends HTMLElement {}

const KINDS = {
  svg: SVGElement,
  input: HTMLInputElement, textarea: HTMLTextAreaElement, select: HTMLSelectElement, option: HTMLOptionElement,
  button: HTMLButtonElement, form: HTMLFormElement, details: HTMLDetailsElement,
};

/**
 * An event that something happened to an element; `fields` are what it tells. Returns it.
 */
export function fire(target, type, fields = {}) {
  const event = { type, target: null, isPrevented: false, isStopped: false, ...fields };
  event.preventDefault = () => (event.isPrevented = true);
  event.stopPropagation = () => (event.isStopped = true);
  target.dispatchEvent(event);
  return event;
}

const MARK = /<(\/)?(\w+)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*(\/)?>|([^<]+)/g;
const EMPTY = new Set(["input", "path", "circle", "rect", "line", "link", "meta"]);

/** Elements of markup as the templates have it: no comments, double quotes around values. */
function elementsOf(page, markup) {
  const root = page.createElement("div");
  let open = root;
  for (const [, end, name, attributes, closed, text] of markup.matchAll(MARK)) {
    if (text !== undefined) {
      open.append(text.replace(/\s+/g, " "));
    } else if (end) {
      open = open.parentNode;
    } else {
      const made = page.createElement(name);
      for (const [, key, value = ""] of attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)) made.setAttribute(key, value);
      if ("checked" in made) made.checked = made.getAttribute("checked") !== null;
      open.append(made);
      if (!closed && !EMPTY.has(name)) open = made;
    }
  }
  return root.childNodes;
}

/** Media queries by their text, which `matches` answers. */
class Media extends Emitter {
  constructor(matches) {
    super();
    this.matches = matches;
  }
}

/**
 * Puts a page into the global scope, as scripts find it; `media` are the queries that hold, `markup` is what is on it.
 * @returns the document; `document.beyond` is the window
 */
export function openPage({ hash = "", media = [], markup = "" } = {}) {
  const page = new Element("#document");
  page.beyond = new Emitter();
  page.createElement = (name) => new (KINDS[name] ?? HTMLElement)(name);
  page.createElementNS = (_, name) => new SVGElement(name);
  page.createTextNode = (text) => new Text(text);
  page.documentElement = page.createElement("html");
  page.body = page.createElement("body");
  page.append(page.documentElement);
  page.documentElement.append(page.body);
  page.body.append(...elementsOf(page, markup));
  page.activeElement = page.body;
  page.hidden = false;
  const location = { hash, pathname: "/map", search: "", origin: "https://example.org" };
  const move = (_state, _title, address) => (location.hash = address.includes("#") ? address.slice(address.indexOf("#")) : "");
  const own = {
    document: page, location, Element, HTMLElement, SVGElement, Node, Text,
    HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement, HTMLOptionElement, HTMLButtonElement, HTMLFormElement, HTMLDetailsElement,
    history: { state: null, replaceState: move, pushState: move },
    addEventListener: (...values) => page.beyond.addEventListener(...values),
    matchMedia: (text) => new Media(media.includes(text)),
    ResizeObserver: class { observe() {} },
    devicePixelRatio: 2,
    innerHeight: 800,
  };
  for (const [name, value] of Object.entries(own)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return page;
}
