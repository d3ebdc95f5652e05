// News in the view: the address of its feed, and notifications of the system while the page is open.

import { find } from "../page/dom.js";
import { address, collectionPath, getJson, messageOf } from "../service/api.js";
import { areaWords } from "../words/area.js";
import { formatNumber, inARow, say } from "../words/say.js";
import { featureTitle } from "./feature-badge.js";

/** @import { Explorer } from "../model/explorer.js" */
/** @import { Collection, Items, Parameters } from "../types.d.ts" */

const PERIOD = 60_000; // milliseconds; a page in the background has its timers slowed down to this
const READ = 20; // newest features of a request
const MOST = 3; // notifications at a time

/**
 * Keeps link and button of the box up to date.
 * @param {HTMLElement} box
 * @param {Explorer} explorer
 */
export function follow(box, explorer) {
  const link = /** @type {HTMLAnchorElement} */ (find("[data-act=feed]", box));
  const button = find("[data-act=notify]", box);
  const about = find(".followed", box);
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  button.hidden = !("Notification" in globalThis);
  const update = () => {
    const collection = explorer.subjectCollection();
    link.hidden = !collection?.time;
    if (collection) link.href = address(`${collectionPath(collection.id)}/feed`, { ...selection(explorer, collection), f: "atom" });
  };
  const end = () => {
    clearInterval(timer);
    timer = undefined;
    about.textContent = "";
    button.setAttribute("aria-pressed", "false");
  };
  button.addEventListener("click", async () => {
    const collection = explorer.subjectCollection();
    if (timer || !collection) return end();
    if ((await Notification.requestPermission()) !== "granted") {
      about.textContent = say("The browser does not allow notifications for this page.");
      return;
    }
    const url = address(`${collectionPath(collection.id)}/feed`, { ...selection(explorer, collection), limit: READ, f: "geojson" });
    try {
      const known = new Set((await newest(url)).map(({ id }) => id));
      button.setAttribute("aria-pressed", "true");
      const where = explorer.area ? areaWords(explorer.area) : say("this view");
      const promise = say("You are notified of new features: {what}", { what: inARow([collection.label, where, explorer.filters.get(collection.id)]) });
      about.textContent = promise;
      // while requests fail the box must not promise notifications
      const check = () => notify(url, collection, known).then(() => promise, messageOf);
      const mine = (timer = setInterval(() => check().then((said) => timer === mine && (about.textContent = said)), PERIOD));
    } catch (error) {
      about.textContent = messageOf(error);
    }
  });
  return update;
}

/**
 * The parameters of a feed: area or view, filter and search. A feed has the newest of all times.
 * @param {Explorer} explorer
 * @param {Collection} collection
 * @returns {Parameters}
 */
function selection(explorer, { id }) {
  const { asOf: _, datetime: __, "datetime-column": ___, ...others } = explorer.parameters(id);
  return { ...others, ...(explorer.area ? {} : { bbox: explorer.engine.bbox().map((edge) => edge.toFixed(4)).join() }) };
}

/**
 * @param {string} url
 * @returns {Promise<Items["features"]>}
 */
const newest = async (url) => (await getJson(url)).features;

/**
 * Notifies of features that are not known yet, and remembers them.
 * @param {string} url
 * @param {Collection} collection
 * @param {Set<string | number | undefined>} known
 */
async function notify(url, collection, known) {
  const features = (await newest(url)).filter(({ id }) => !known.has(id));
  for (const { id } of features) known.add(id);
  const left = features.length - MOST;
  for (const [at, feature] of features.slice(0, MOST).entries()) {
    const tag = `${collection.id}/${feature.id}`;
    const more = at === MOST - 1 && left > 0 ? say("and at least {number} more", { number: formatNumber(left) }) : "";
    const shown = new Notification(featureTitle(collection, feature), { body: inARow([collection.label, more]), tag });
    shown.addEventListener("click", () => globalThis.focus());
  }
}
