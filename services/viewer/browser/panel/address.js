// Keeps the address and the map in step: the address follows the map, and the map follows pasted links.

import { collectionsState, restore, withQuery } from "../model/deep-link.js";
import { linkFaults } from "../model/link-faults.js";
import { debounced } from "../page/debounced.js";
import { formatView, parseView } from "../page/link.js";
import { onState, readState, replaceState, writeState } from "../page/state.js";
import { announceError, currentError } from "../page/status.js";
import { setTheme } from "../page/theme.js";

/** @import { Restoring } from "../model/deep-link.js" */
/** @import { Explorer } from "../model/explorer.js" */
/** @import { Story } from "../model/story.js" */
/** @import { State } from "../page/link.js" */
/** @import { Engine } from "../types.d.ts" */

/**
 * Keeps the address up to date; `usual` are the collections that need no mention.
 * @param {Explorer} explorer
 * @param {Engine} engine
 * @param {string[]} usual
 * @param {Story} story
 */
export function rememberInAddress(explorer, engine, usual, story) {
  const view = debounced(() => writeState({ map: formatView(engine.view()) }), 250);
  explorer.addEventListener("move", view);
  engine.onProjection?.(() => writeState({ p: engine.globe ? "globe" : null }));
  const query = () => replaceState({ ...withQuery(readState(), explorer), ...story.state() });
  const followed = () => writeState(story.state());
  story.addEventListener("life", followed);
  story.addEventListener("other", followed);
  // browsers refuse more than some changes a second
  story.addEventListener("look", debounced(followed, 200));
  explorer.addEventListener("query", query);
  const collections = () => {
    writeState(collectionsState(explorer, usual));
    query();
  };
  explorer.addEventListener("shown", collections);
  explorer.addEventListener("subject", collections);
}

/**
 * Announces the faults of a link, together with what was refused while it was applied.
 * @param {State} state
 * @param {Explorer} explorer
 */
export function sayFaults(state, explorer) {
  const faults = linkFaults(state, explorer.collections);
  if (faults.length) announceError([currentError(), ...faults].filter(Boolean).join(" "));
}

/**
 * Follows links that are pasted into the address, and the back button.
 * @param {Explorer} explorer
 * @param {Engine} engine
 * @param {Restoring & { deselect: () => void }} restoring
 */
export function followAddress(explorer, engine, restoring) {
  onState((state) => {
    const view = parseView(state.map);
    if (view) engine.setView(view);
    engine.setGlobe?.(state.p === "globe");
    if (state.theme) setTheme(state.theme);
    if (!state.id) restoring.deselect();
    restore(state, explorer, restoring).then(() => {
      replaceState({ ...readState(), ...state });
      sayFaults(state, explorer);
    });
  });
}
