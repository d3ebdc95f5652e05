// What a link to this page carries, in the hash; deep-link.js says what the names mean.

const listeners = new Set();
let written = null;

/** The state in the address: strings by name. */
export function readState() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** Changes parts of the state (null removes one) without adding to the browser's history. */
export function writeState(changes) {
  replaceState({ ...readState(), ...changes });
}

/** Makes this the whole state. */
export function replaceState(state) {
  const text = Object.entries(state)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":")}`)
    .join("&");
  written = text ? `#${text}` : "";
  if (written !== location.hash) history.replaceState(history.state, "", location.pathname + location.search + written);
}

/** Calls `listener` when somebody else changes the hash (a pasted link, the back button). */
export function onState(listener) {
  listeners.add(listener);
}

addEventListener("hashchange", () => {
  if (location.hash === written) return;
  for (const listener of listeners) listener(readState());
});

/** `zoom/latitude/longitude` as a view, or null where it is none. */
export function parseView(text) {
  const [zoom, latitude, longitude] = (text ?? "").split("/").map(Number);
  if (![zoom, latitude, longitude].every(Number.isFinite) || Math.abs(latitude) > 90) return null;
  return { zoom, center: [longitude, latitude] };
}

/** The inverse of parseView. */
export function formatView({ zoom, center }) {
  const digits = Math.max(2, Math.ceil(zoom / 2));
  const longitude = ((((center[0] + 180) % 360) + 360) % 360) - 180;
  return `${zoom.toFixed(2)}/${center[1].toFixed(digits)}/${longitude.toFixed(digits)}`;
}
