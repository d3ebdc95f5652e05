// Requests to the service. Data are read as they come, whatever the browser's Accept header says.

export class ApiError extends Error {}

let base = "";

/** Sets the service's base address, without a trailing slash. */
export function setBase(url) {
  base = url;
}

/** Address of a resource: `/collections/...` with query parameters; empty ones are left out. */
export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return base + path + (text ? `?${text}` : "");
}

export const collectionPath = (id) => `/collections/${encodeURIComponent(id)}`;
export const itemPath = (id, item) => `${collectionPath(id)}/items/${encodeURIComponent(item)}`;

/** The JSON at an address. Throws ApiError with a sentence for people. */
export async function getJson(url, { signal } = {}) {
  let response;
  try {
    response = await fetch(url, { signal, headers: { Accept: "application/geo+json, application/json;q=0.9, */*;q=0.1" } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The service cannot be reached.");
  }
  if (!response.ok) throw new ApiError(await sentence(response));
  return response.json();
}

async function sentence(response) {
  try {
    const { detail } = await response.json();
    if (typeof detail === "string") return detail;
    return detail.map((fault) => fault.msg).join("; ");
  } catch {
    return `The service answered with status ${response.status}.`;
  }
}

/** How many features match; null where the service does not say. */
export async function count(id, parameters = {}, options = {}) {
  const page = await getJson(address(`${collectionPath(id)}/items`, { limit: 0, ...parameters, f: "geojson" }), options);
  return page.numberMatched ?? null;
}
