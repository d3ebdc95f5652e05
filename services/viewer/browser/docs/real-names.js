// What this service has, for requests that work as they are: what the contract names need not be there.

/**
 * A collection with an extent, and a feature of it, as examples of path parameters. Throws where the service fails.
 * @param {string} api base address
 * @returns {Promise<Record<string, string>>}
 */
export async function realNames(api) {
  /** @param {string} path */
  const get = async (path) => (await fetch(`${api}${path}`, { headers: { Accept: "application/json" } })).json();
  /** @type {{ collections: { id: string, extent?: { spatial?: unknown } }[] }} */
  const { collections } = await get("/collections?limit=50&f=json");
  const chosen = collections.find(({ extent }) => extent?.spatial) ?? collections[0];
  if (!chosen) return {};
  const { features } = await get(`/collections/${encodeURIComponent(chosen.id)}/items?limit=1&geom-column=none&f=geojson`);
  const id = features[0]?.id;
  return { collectionId: chosen.id, ...(id === undefined || id === null ? {} : { itemId: String(id) }) };
}
