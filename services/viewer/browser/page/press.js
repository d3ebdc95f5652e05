// Whether a button of the mouse, or a finger, is down.

let pressed = false;
for (const name of ["pointerdown", "pointerup", "pointercancel"]) {
  addEventListener(name, () => (pressed = name === "pointerdown"), { capture: true });
}

/**
 * Calls `action` after the button is released and the click that follows has reached its element.
 * @param {() => void} action
 */
export function afterPress(action) {
  if (!pressed) {
    setTimeout(action);
    return;
  }
  const done = new AbortController();
  const later = () => {
    done.abort();
    setTimeout(action);
  };
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, later, { signal: done.signal, capture: true });
}
