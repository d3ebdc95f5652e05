// The explorer in the language of the page: what Swagger UI says, which speaks English alone, is replaced once it is drawn. The
// document that it shows is English, and says so.

import { LANGUAGE, say } from "../words/say.js";

/** Where Swagger UI itself speaks. */
const OWN =
  ".servers-title, :is(h4, h5, th, td.col_header, button, small, i), :is(h4, h5, button) span, .parameter__in, .download-contents, .loading";
/** Where the document does. */
const DOCUMENT = ".markdown, .renderedMarkdown, .info .title, .opblock-tag > a, .opblock-tag > small, .opblock-summary-description, .model-box";
/** Addresses and programs, which are of no language. */
const CODE = "pre, code, textarea, .opblock-summary-path, .parameter__name, .parameter__type, .model-box, .url";

/**
 * Translates what Swagger UI draws below this element into the language of the page.
 * @param {HTMLElement} root
 */
export function inLanguage(root) {
  if (LANGUAGE === "en") return;
  for (const part of root.querySelectorAll(OWN)) {
    if (part.closest(`${DOCUMENT}, ${CODE}`)) continue;
    for (const node of part.childNodes) if (node instanceof Text) translate(node);
  }
  for (const part of root.querySelectorAll("[title], [aria-label]")) {
    for (const name of ["title", "aria-label"]) {
      const text = part.getAttribute(name);
      if (text && say(text) !== text) part.setAttribute(name, say(text));
    }
  }
  for (const part of root.querySelectorAll(DOCUMENT)) part.setAttribute("lang", "en");
  // which a style sheet says
  root.style.setProperty("--required", JSON.stringify(say("required")));
}

/**
 * Changes the text within the node, which stays: Swagger UI holds on to it.
 * @param {Text} node
 */
function translate(node) {
  const text = node.data.trim();
  const said = say(text);
  if (text && said !== text) node.data = node.data.replace(text, said);
}
