// The location of the reader, and the map in full screen.

import { announceError, clearError, sayToScreenReaders } from "../page/status.js";
import { lengthText } from "../words/measures.js";
import { say } from "../words/say.js";

/** @import { Engine, Position } from "../types.d.ts" */

const NEAR = 9; // zoom level that shows a town and its surroundings
const PATIENCE = 15_000; // milliseconds
/** @type {Record<number, string>} */
const FAULTS = { 1: say("Location access is blocked."), 3: say("Your location could not be found in time.") };

/**
 * Lets a button bring the map to where the reader is, which the browser asks for; the place goes nowhere else.
 * @param {HTMLElement} button
 * @param {Engine} engine
 */
export function ownPlace(button, engine) {
  // browsers tell it to secure pages only
  button.hidden = !isSecureContext || !("geolocation" in navigator);
  button.addEventListener("click", () => {
    button.setAttribute("aria-busy", "true");
    const done = () => button.removeAttribute("aria-busy");
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        done();
        clearError();
        /** @type {Position} */
        const center = [coords.longitude, coords.latitude];
        engine.setView({ center, zoom: Math.max(NEAR, engine.view().zoom) });
        engine.sketch({ line: [], points: [center], closed: false });
        sayToScreenReaders(say("The map shows your location, within {distance}.", { distance: lengthText(coords.accuracy) }));
      },
      ({ code }) => {
        done();
        announceError(FAULTS[code] ?? say("Your location is unavailable."));
      },
      { timeout: PATIENCE, maximumAge: 60_000 },
    );
  });
}

/**
 * Lets a button switch full screen on and off.
 * @param {HTMLElement} button
 */
export function wholeScreen(button) {
  button.hidden = !document.fullscreenEnabled;
  button.addEventListener("click", () => {
    const change = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    change.catch(() => announceError(say("This browser cannot show the map in full screen.")));
  });
  document.addEventListener("fullscreenchange", () => {
    button.setAttribute("aria-pressed", String(document.fullscreenElement !== null));
  });
}

/**
 * Makes the links to the map in other projections or languages keep the current state.
 * @param {HTMLElement} list
 */
export function otherPages(list) {
  for (const link of list.querySelectorAll("a")) {
    const { href } = link;
    const follow = () => (link.href = href + location.hash);
    for (const event of ["pointerdown", "focus", "click"]) link.addEventListener(event, follow);
  }
}
