/**
 * Calls `action` once the calls have paused for `milliseconds`.
 * @template {unknown[]} V
 * @param {(...values: V) => unknown} action
 * @param {number} milliseconds
 * @returns {(...values: V) => void}
 */
export function debounced(action, milliseconds) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
}
