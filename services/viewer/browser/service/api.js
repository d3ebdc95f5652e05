// Requests to the service. Responses are read as JSON, regardless of the browser's Accept header.

import { say } from "../words/say.js";

/** @import { Items, Parameters } from "../types.d.ts" */

/** A failed request; the message is a sentence for users. */
export class ApiError extends Error {}

let base = "";

/**
 * Sets the service's base address, without a trailing slash.
 * @param {string} url
 */
export function setBase(url) {
  base = url;
}

/** @type {(id: string) => string | null} */
let past = () => null;

/**
 * Makes requests for a collection's features ask for the past time that `timeOf` returns (RFC 3339); null is the present.
 * @param {(id: string) => string | null} timeOf
 */
export function setPast(timeOf) {
  past = timeOf;
}

/** The language that was chosen by the address of this page; links to pages carry it on. */
const chosenLanguage = () => new URLSearchParams(globalThis.location?.search).get("lang");

/**
 * Address of a resource, `/collections/...`, with query parameters; empty ones are left out.
 * @param {string} path
 * @param {Parameters} [parameters]
 */
export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const language = parameters.f === "html" ? chosenLanguage() : null;
  if (language) query.set("lang", language);
  const text = query.toString();
  return base + path + (text ? `?${text}` : "");
}

/** @param {string} id */
export const collectionPath = (id) => `/collections/${encodeURIComponent(id)}`;

/**
 * Fetches JSON. Throws ApiError, and SyntaxError if the body is not JSON.
 * @param {string} url
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<any>} the content that the service's OpenAPI document describes for the address
 */
export async function getJson(url, { signal } = {}) {
  const headers = { Accept: "application/geo+json, application/json;q=0.9, */*;q=0.1" };
  const request = () => fetch(url, { signal, headers });
  // a map without its style would stay empty, so that a broken connection is tried once more
  const response = await request()
    .catch((error) => {
      if (isAbort(error)) throw error;
      return request();
    })
    .catch(failed(say("The service cannot be reached.")));
  if (!response.ok) throw new ApiError(await sentence(response));
  return response.json().catch(failed(say("The service's answer cannot be read.")));
}

/**
 * Throws an ApiError with this sentence. An aborted request is not an error and is thrown on unchanged.
 * @param {string} text
 * @returns {(error: unknown) => never}
 */
const failed = (text) => (error) => {
  throw isAbort(error) ? error : new ApiError(text);
};

/** @param {Response} response */
async function sentence(response) {
  try {
    const { detail } = await response.json();
    if (typeof detail === "string") return detail;
    return detail.map((/** @type {{ msg: string }} */ fault) => fault.msg).join("; ");
  } catch {
    return say("The service answered with status {status}.", { status: response.status });
  }
}

/**
 * A page of a collection's items as GeoJSON. Throws ApiError.
 * @param {string} id
 * @param {Parameters} parameters
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<Items>}
 */
export const getItems = (id, parameters, options) =>
  getJson(address(`${collectionPath(id)}/items`, { asOf: past(id), ...parameters, f: "geojson" }), options);

/**
 * Address of a feature, at the past time that is shown.
 * @param {string} id
 * @param {string | number} item
 * @param {"html" | "geojson"} f
 */
export const itemAddress = (id, item, f) => address(`${collectionPath(id)}/items/${encodeURIComponent(item)}`, { asOf: past(id), f });

/**
 * How many features match; null where the service does not say. Throws ApiError.
 * @param {string} id
 * @param {Parameters} [parameters]
 * @param {{ signal?: AbortSignal }} [options]
 */
export async function count(id, parameters = {}, options = {}) {
  return (await getItems(id, { limit: 0, ...parameters }, options)).numberMatched ?? null;
}

/**
 * @typedef {object} Facet
 * @property {{ value?: unknown, min?: number, count: number }[]} buckets
 * @property {boolean} more whether there are buckets beside these
 * @property {number} nulls features without a value
 */

/**
 * How many features there are by facets, `property:way` as the service's OpenAPI document says. Throws ApiError.
 * @param {string} id
 * @param {string[]} wanted
 * @param {Parameters} [parameters]
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<{ numberMatched: number, facets: Record<string, Facet> }>}
 */
export const facets = (id, wanted, parameters = {}, options = {}) =>
  getJson(address(`${collectionPath(id)}/facets`, { asOf: past(id), ...parameters, facets: wanted.join(), f: "json" }), options);

/**
 * Whether a request ended because it was no longer wanted.
 * @param {unknown} error
 */
export const isAbort = (error) => error instanceof Error && error.name === "AbortError";

/**
 * The message of an error as text.
 * @param {unknown} error
 */
export const messageOf = (error) => (error instanceof Error && error.message) || String(error);
