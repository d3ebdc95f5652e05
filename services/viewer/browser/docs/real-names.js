// Names of collections and items that this service has, so that the example requests work unchanged. The examples of
// the OpenAPI document may name others.

/**
 * @typedef {{ examples: Record<string, string>, choices: Record<string, string[]> }} RealNames by path parameter: one
 *   that there is; all that there are, where these are not too many to choose from
 */

const MOST = 200;

/**
 * A collection with an extent, and a feature of it; the collections. Throws where the service fails.
 * @param {string} api base address
 * @returns {Promise<RealNames>}
 */
export async function realNames(api) {
  /** @param {string} path */
  const get = async (path) => (await fetch(`${api}${path}`, { headers: { Accept: "application/json" } })).json();
  /** @type {{ collections: { id: string, extent?: { spatial?: unknown } }[], numberMatched?: number }} */
  const { collections, numberMatched = 0 } = await get(`/collections?limit=${MOST}&f=json`);
  const chosen = collections.find(({ extent }) => extent?.spatial) ?? collections[0];
  if (!chosen) return { examples: {}, choices: {} };
  const { features } = await get(`/collections/${encodeURIComponent(chosen.id)}/items?limit=1&geom-column=none&f=geojson`);
  const id = features[0]?.id;
  return {
    examples: { collectionId: chosen.id, ...(id === undefined || id === null ? {} : { itemId: String(id) }) },
    choices: numberMatched > collections.length ? {} : { collectionId: collections.map((collection) => collection.id) },
  };
}
