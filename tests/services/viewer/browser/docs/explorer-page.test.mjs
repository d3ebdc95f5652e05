// The additions of the API explorer's page to Swagger UI: names and regions, examples of the collection, its language.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { fire, openPage } from "../open-page.mjs";

globalThis.damsWords = { language: "fr", fromRight: false, plural: () => 0, texts: { Server: "Serveur", required: "requis", Execute: "Exécuter", "Try it": "Essayer", Name: "Nom" } };
openPage();
const { makeAccessible } = await import("../../../../../services/viewer/browser/docs/accessibility.js");
const { followCollection } = await import("../../../../../services/viewer/browser/docs/field-examples.js");
const { inLanguage } = await import("../../../../../services/viewer/browser/docs/in-language.js");

let page, root, observers, frames;

/** The page with this drawn by Swagger UI. */
function draw(markup) {
  page = openPage({ markup: `<div id="ui">${markup}</div>` });
  observers = [];
  frames = [];
  globalThis.MutationObserver = class {
    constructor(changed) { this.changed = changed; }
    observe(element, how) { observers.push({ element, how, changed: this.changed }); }
  };
  globalThis.requestAnimationFrame = (drawn) => frames.push(drawn);
  root = page.querySelector("#ui");
}
const changed = () => observers.forEach((each) => each.changed());
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

beforeEach(() => draw(""));

test("names, regions and levels are there whenever Swagger UI has drawn anew", () => {
  draw(`<div class="information-container"><h3>A</h3></div><div class="scheme-container"><select id="servers"></select></div>
    <button><a href="#x">POST</a></button><a href="#y">other</a><table role="region"></table><div class="models"><h4>Schemas</h4><div><h4>B</h4></div></div>
    <table><tr data-param-name="limit"><td><input><select aria-label="own"></select></td></tr></table><pre class="microlight">x</pre><pre class="example">y</pre><pre>z</pre><h5>C</h5>`);
  makeAccessible(root);
  assert.deepEqual(observers.map(({ element, how }) => [element === root, how]), [[true, { childList: true, subtree: true }]]);
  changed();
  changed();
  assert.equal(frames.length, 1, "once for all that has changed");
  frames[0]();
  const attributes = (selector, name) => [...root.querySelectorAll(selector)].map((each) => each.getAttribute(name));
  assert.deepEqual([attributes("a", "href"), attributes("table", "role")], [[null, "#y"], [null, null]]);
  assert.deepEqual([attributes("#servers", "aria-label"), attributes("tr input", "aria-label"), attributes("tr select", "aria-label")], [["Serveur"], ["limit"], ["own"]]);
  assert.deepEqual(attributes("pre", "tabindex"), ["0", "0", null]);
  assert.deepEqual([attributes(".information-container", "role"), attributes(".information-container", "aria-label"), attributes(".scheme-container", "aria-label")], [["region"], ["About this API"], ["Serveur"]]);
  assert.deepEqual([attributes("h3", "aria-level"), attributes("h4", "aria-level"), attributes("h5", "aria-level")], [["2"], ["2", "3"], ["4"]]);
  changed();
  assert.equal(frames.length, 2, "and again after that");
});

test("what Swagger UI says is in the language of the page; the document's words and programs are not", () => {
  draw(`<button> Execute </button><button><span>Try it</span></button><h4 title="Name" aria-label="Name">Name</h4><p title="Other">Name</p>
    <div class="markdown"><h4>Name</h4></div><pre><small>Name</small></pre><div class="opblock-summary-path"><small>Name</small></div>`);
  inLanguage(root);
  assert.deepEqual([...root.querySelectorAll("button")].map((each) => each.textContent), [" Exécuter ", "Essayer"]);
  const [heading] = root.querySelectorAll("h4");
  assert.deepEqual([heading.textContent, heading.title, heading.getAttribute("aria-label")], ["Nom", "Nom", "Nom"]);
  const [paragraph] = root.querySelectorAll("p");
  assert.deepEqual([paragraph.textContent, paragraph.title], ["Name", "Other"]);
  assert.deepEqual([".markdown h4", "pre small", ".opblock-summary-path small"].map((selector) => root.querySelector(selector).textContent), ["Name", "Name", "Name"]);
  assert.deepEqual([root.querySelector(".markdown").lang, root.querySelector("pre").lang, root.style.getPropertyValue("--required")], ["en", "", '"requis"']);
});

const OPERATION = (id, open = "is-open") => `<div class="opblock ${open}"><table><tr data-param-name="collectionId"><td><input value="${id}"></td></tr>
  <tr data-param-name="itemId"><td><input></td></tr><tr data-param-name="properties"><td><textarea></textarea></td></tr></table></div>`;

/** Answers with a feature whose id and properties are those of the collection; `held` waits for it to be let go. */
function answer(held = {}) {
  const asked = [];
  globalThis.fetch = async (url) => {
    const [, id, name] = /collections\/(\w+)\/(\w+)/.exec(url);
    asked.push(`${id} ${name}`);
    await held[id];
    if (id === "lost") return new Response("", { status: 503 });
    const properties = { [`of_${id}`]: { type: "string" } };
    return new Response(JSON.stringify(name === "items" ? { features: [{ id: `${id}-1` }] } : { properties }));
  };
  return asked;
}
const field = (name, at = 0) => root.querySelectorAll(`tr[data-param-name=${name}] :is(input, textarea)`)[at];

test("the fields of an operation that is open have examples of its collection, asked for once", async () => {
  draw(OPERATION("a") + OPERATION("a") + OPERATION("b", ""));
  const asked = answer();
  followCollection(root, "/api");
  changed();
  changed();
  await turn();
  assert.deepEqual(asked, ["a queryables", "a schema", "a items"]);
  assert.deepEqual([field("itemId").placeholder, field("properties", 1).placeholder, field("itemId", 2).placeholder], ["For example a-1", "For example of_a", ""]);
  assert.equal(field("itemId").value, "", "what nobody chose is not written");
});

test("a collection that somebody chooses brings an item of its own", async () => {
  draw(OPERATION("a"));
  answer();
  followCollection(root, "/api");
  // as React learns of typed text
  let heard = 0;
  field("itemId").addEventListener("input", () => (heard += 1));
  field("collectionId").value = "b";
  fire(field("collectionId"), "change");
  await turn();
  assert.deepEqual([field("itemId").value, field("itemId").placeholder, heard], ["b-1", "For example b-1", 1]);
  field("itemId").value = "own";
  fire(field("properties"), "change");
  await turn();
  assert.equal(field("itemId").value, "own");
  field("collectionId").value = "lost";
  fire(field("collectionId"), "change");
  await turn();
  assert.equal(field("itemId").placeholder, "For example b-1", "the explorer works without examples");
});

test("examples that come late are not those of another collection", async () => {
  draw(OPERATION("a"));
  let release;
  answer({ b: new Promise((resolve) => (release = resolve)) });
  followCollection(root, "/api");
  for (const id of ["b", "c"]) {
    field("collectionId").value = id;
    fire(field("collectionId"), "change");
  }
  await turn();
  release();
  await turn();
  assert.deepEqual([field("itemId").value, field("itemId").placeholder], ["c-1", "For example c-1"]);
});
