/**
 * Calls `action` once the calls have paused for `milliseconds`; `cancel` calls off what waits for that.
 * @template {unknown[]} V
 * @param {(...values: V) => unknown} action
 * @param {number} milliseconds
 * @returns {((...values: V) => void) & { cancel: () => void }}
 */
export function debounced(action, milliseconds) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const cancel = () => clearTimeout(timer);
  /** @param {V} values */
  const soon = (...values) => {
    cancel();
    timer = setTimeout(() => action(...values), milliseconds);
  };
  return Object.assign(soon, { cancel });
}
