// Sharing: the address of this view, the code that embeds it, and a picture of it.

import { isCopied } from "../page/clipboard.js";
import { writeState } from "../page/state.js";
import { find } from "../page/dom.js";
import { formatView } from "../page/link.js";
import { announceError, sayToScreenReaders } from "../page/status.js";
import { messageOf } from "../service/api.js";
import { say } from "../words/say.js";
import { follow } from "./follow.js";
import { mapSheet } from "./map-sheet.js";
import { toolBox } from "./tool-box.js";

/** @import { Explorer } from "../model/explorer.js" */

const JPEG_QUALITY = 0.92;

/**
 * Lets the page's box share what the map shows.
 * @param {HTMLElement} box
 * @param {Explorer} explorer
 */
export function share(box, explorer) {
  const link = find("[name=link]", box, HTMLInputElement);
  const code = box.querySelector("[name=embed]");
  const hand = find("[data-act=hand]", box);
  // shown only if the system can share links itself
  hand.hidden = !("share" in navigator);
  const updateFeed = follow(box, explorer);
  const update = () => {
    updateFeed();
    writeState({ map: formatView(explorer.engine.view()) });
    link.value = withoutLanguage(location.href);
    if (code instanceof HTMLTextAreaElement) code.value = embedCode(location.href, document.title);
  };
  toolBox(box, () => {
    update();
    link.focus();
    link.select();
  });
  // the map may change while the box is open
  for (const event of ["shown", "query", "move", "subject"]) {
    explorer.addEventListener(event, () => setTimeout(() => !box.hidden && update()));
  }
  /** @type {Record<string, () => Promise<unknown>>} */
  const acts = {
    copy: () => copy(link),
    hand: () => navigator.share({ title: document.title, url: link.value }),
    code: () => copy(/** @type {HTMLTextAreaElement} */ (code)),
    png: async () => save(await blobOf(await mapSheet(explorer), "image/png"), "map.png"),
    pdf: async () => save(await pdf(explorer), "map.pdf"),
  };
  for (const button of box.querySelectorAll("button")) {
    const act = acts[button.dataset.act ?? ""];
    button.addEventListener("click", () => {
      act?.().catch((error) => {
        // closing the system's box is not an error
        if (error.name !== "AbortError") announceError(messageOf(error));
      });
    });
  }
}

/**
 * The address of a view for another user, without the language: that user's browser chooses it.
 * @param {string} address
 */
export function withoutLanguage(address) {
  const url = new URL(address);
  url.searchParams.delete("lang");
  return url.href;
}

/** @param {Explorer} explorer */
async function pdf(explorer) {
  const [sheet, { pdfOf }] = await Promise.all([mapSheet(explorer), import("../page/pdf.js")]);
  const jpeg = await blobOf(sheet, "image/jpeg");
  return pdfOf(new Uint8Array(await jpeg.arrayBuffer()), sheet, document.title);
}

/**
 * The element that shows a map in another page.
 * @param {string} address
 * @param {string} title
 */
export function embedCode(address, title) {
  const [src, name] = [address, title].map((text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;"));
  return `<iframe src="${src}" title="${name}" width="800" height="500" loading="lazy" allow="fullscreen"></iframe>`;
}

/** @param {HTMLInputElement | HTMLTextAreaElement} field */
async function copy(field) {
  field.select();
  // the user can copy the selected text by hand
  const done = (await isCopied(field.value)) ? say("Copied") : say("Marked");
  sayToScreenReaders(done);
  const said = find(".copied", /** @type {HTMLElement} */ (field.closest("label")?.parentElement));
  said.textContent = done;
  setTimeout(() => (said.textContent = ""), 2000);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {string} type
 * @returns {Promise<Blob>}
 */
const blobOf = (canvas, type) =>
  new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(say("The picture could not be created.")))), type, JPEG_QUALITY);
  });

/**
 * @param {Blob} blob
 * @param {string} name
 */
function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // the browser has read it by then
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
