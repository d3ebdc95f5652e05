// Bundles scripts and style sheets: `node bundle.mjs <folder of assets> <folder of fonts>`, run in browser/.
// Standard output says which file each page, style sheet and library has become, and which others a page begins with, and which packages are in them, as JSON.

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build } from "esbuild";

import { maplibre } from "./maplibre.mjs";

const PAGES = ["map.js", "docs.js", "styles/map.css", "styles/from-right.css", "styles/docs.css"];
// each is one file, even if it shares code with the other, as a page fetches at most one of them
const LIBRARIES = ["engines/maplibre/library.js", "engines/openlayers/openlayers.js"];

const [outdir, fonts] = process.argv.slice(2);
/** @type {Record<string, string>} */
const names = {};
/** @type {Record<string, string[]>} */
const parts = {};
/** npm packages in the bundles @type {Set<string>} */
const packages = new Set();

/** @type {import("esbuild").Plugin} */
const subsets = {
  name: "fonts",
  setup: ({ onResolve }) => onResolve({ filter: /\.woff2$/ }, ({ path }) => ({ path: join(fonts, basename(path)) })),
};

/** @type {import("esbuild").Plugin} */
const libraries = {
  name: "libraries",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\// }, ({ path }) => {
      const built = LIBRARIES.find((library) => basename(library) === basename(path));
      return built && names[built] ? { path: `./${names[built]}`, external: true } : undefined;
    });
  },
};

// of controls that the map does not have, with their pictures
const UNUSED = /maplibregl-(ctrl-(geolocate|compass|terrain|fullscreen|logo)|ctrl button\.maplibregl-ctrl-(geolocate|compass|terrain|fullscreen)|user-location|cooperative|marker)/;

/** @type {import("esbuild").Plugin} */
const trimmed = {
  name: "trimmed",
  setup({ onLoad }) {
    onLoad({ filter: /maplibre-gl\.css$/ }, async ({ path }) => {
      const rules = (await readFile(path, "utf8")).replace(/([^{}]+)\{[^{}]*\}/g, (rule, selectors) =>
        selectors.split(",").every((selector) => UNUSED.test(selector)) ? "" : rule,
      );
      return { contents: rules, loader: "css" };
    });
  },
};

for (const library of LIBRARIES) await bundle(library, [maplibre]);
for (const page of PAGES) await bundle(page, [subsets, libraries, trimmed]);
process.stdout.write(JSON.stringify({ names, parts, packages: [...packages] }));

/**
 * @param {string} entry
 * @param {import("esbuild").Plugin[]} plugins
 */
async function bundle(entry, plugins) {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    // code that is imported later forms separate files
    splitting: true,
    format: "esm",
    minify: true,
    target: "es2022",
    charset: "utf8",
    legalComments: "eof",
    logLevel: "warning",
    loader: { ".woff2": "file" },
    outbase: ".",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    outdir,
    metafile: true,
    // as MapLibre's own build has it: a field without a value is none
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
    nodePaths: [new URL("../../node_modules", import.meta.url).pathname],
    plugins,
  });
  for (const input of Object.keys(metafile.inputs)) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1];
    if (name) packages.add(name);
  }
  for (const [path, { entryPoint, imports }] of Object.entries(metafile.outputs)) {
    if (!entryPoint) continue;
    names[entryPoint] = basename(path);
    const first = imports.filter(({ kind, external }) => kind === "import-statement" && !external);
    if (first.length) parts[entryPoint] = first.map((each) => basename(each.path));
  }
}
