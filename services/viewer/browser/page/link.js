// The hash of a link as text; model/deep-link.js says what the names mean.

import { wrapped } from "../cartography/view-box.js";

/** @import { View } from "../types.d.ts" */
/** @typedef {Record<string, string>} State */

/**
 * The state in a hash: texts by name.
 * @param {string} hash
 * @returns {State}
 */
export const parseHash = (hash) => Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));

/**
 * The hash of a state, with `#`; empty if the state is empty. Slash, comma and colon stay readable.
 * @param {Record<string, string | null | undefined>} state
 */
export function formatHash(state) {
  const text = Object.entries(state)
    .flatMap(([name, value]) => (value === null || value === undefined || value === "" ? [] : [`${name}=${encoded(value)}`]))
    .join("&");
  return text ? `#${text}` : "";
}

/** @param {string} value */
const encoded = (value) => encodeURIComponent(value).replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%3A", ":");

/**
 * `zoom/latitude/longitude` as a view, or null where it is none.
 * @param {string | undefined} text
 * @returns {View | null}
 */
export function parseView(text) {
  const [zoom, latitude, longitude] = (text ?? "").split("/").map(Number);
  if (![zoom, latitude, longitude].every(Number.isFinite) || Math.abs(latitude) > 90) return null;
  return { zoom, center: [longitude, latitude] };
}

/**
 * The inverse of parseView.
 * @param {View} view
 */
export function formatView({ zoom, center: [longitude, latitude] }) {
  const digits = Math.max(2, Math.ceil(zoom / 2));
  return `${zoom.toFixed(2)}/${latitude.toFixed(digits)}/${wrapped(longitude).toFixed(digits)}`;
}
