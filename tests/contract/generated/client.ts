// Reads the service by the types that openapi-typescript makes of its document; prints what it got as JSON.

import createClient from "openapi-fetch";
import type { components, paths } from "./api";

declare const process: { argv: string[] };

const [base, collectionId] = process.argv.slice(2);
const client = createClient<paths, "application/json" | "application/geo+json" | "application/vnd.mapbox-vector-tile">({
  baseUrl: base,
});

/** What a client gets that must get something. */
function got<Data>({ data, error, response }: { data?: Data; error?: unknown; response: Response }): Data {
  if (data === undefined) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data;
}

const { collections } = got(await client.GET("/collections", { params: { query: { bbox: [-180, -90, 180, 90] } } }));
const ids: string[] = collections.map(({ id }) => id);

// as it comes: a list is written as a parameter for each of its members
const query = { bbox: [-180, 0, 180, 90], network: "us", limit: 5 };
const items = "/collections/{collectionId}/items";
const page = got(await client.GET(items, { params: { path: { collectionId }, query: { ...query, sortby: ["-magnitude"] } } }));
if (!("features" in page)) throw new Error("GeoJSON is what is given where nothing is said");
const features: components["schemas"]["Item"][] = page.features;

const { error } = await client.GET(items, { params: { path: { collectionId }, query: { filter: "(" } } });
const loc = error && typeof error.detail !== "string" ? error.detail[0].loc : null;

const place = { collectionId, tileMatrixSetId: "WebMercatorQuad", z: 0, x: 0, y: 0 } as const;
const tile = "/collections/{collectionId}/tiles/{tileMatrixSetId}/{z}/{x}/{y}";
const bytes = got(await client.GET(tile, { params: { path: place, query }, parseAs: "arrayBuffer" }));

console.log(JSON.stringify({ ids, features, matched: page.numberMatched, loc, bytes: bytes.byteLength }));
