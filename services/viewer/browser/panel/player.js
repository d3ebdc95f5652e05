// The button that plays and pauses. It advances one step at a time until the user stops it or the steps end.

import { say } from "../words/say.js";

/**
 * @typedef {object} Plays
 * @property {() => () => boolean} begin gives what takes a step each time, and says whether there may be another
 * @property {() => void} [end] called when it is stopped
 */

export class Player {
  #button;
  #milliseconds;
  #plays;
  /** @type {ReturnType<typeof setInterval> | null} */
  #timer = null;

  /**
   * @param {HTMLElement} button
   * @param {number} milliseconds between two steps
   * @param {Plays} plays
   */
  constructor(button, milliseconds, plays) {
    this.#button = button;
    this.#milliseconds = milliseconds;
    this.#plays = plays;
    button.addEventListener("click", () => (this.#timer ? this.stop() : this.#start()));
  }

  /** Stops where it plays. */
  stop() {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#plays.end?.();
    this.#show(false);
  }

  #start() {
    this.#show(true);
    const step = this.#plays.begin();
    this.#timer = setInterval(() => {
      if (!step()) this.stop();
    }, this.#milliseconds);
  }

  /** @param {boolean} playing */
  #show(playing) {
    this.#button.setAttribute("aria-pressed", String(playing));
    this.#button.setAttribute("aria-label", playing ? say("Pause") : say("Play"));
  }
}
