// MapLibre from its sources, of which our maps need a part: what they never draw stays outside (docs/decisions/0072-keep-maps-light.md).

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const LIBRARY = fileURLToPath(new URL("library.js", import.meta.url));

// kinds of layers, sources and tiles that no style of the service has, terrain, and what draws for MapLibre's own developers
const ABSENT = new RegExp(
  [
    "maplibre-gl/src/(?:",
    "style/style_layer/(?:heatmap|hillshade|color_relief|fill_extrusion|custom)_style_layer(?:_properties\\.g)?",
    "|data/bucket/(?:heatmap|fill_extrusion)_(?:bucket|attributes)",
    "|data/dem_data",
    "|source/(?:raster_dem_tile(?:_worker)?|image|video|canvas)_source",
    "|source/vector_tile_mlt",
    "|tile/terrain_tile_manager|render/terrain|webgl/render_to_texture",
    "|webgl/program/(?:heatmap|hillshade|color_relief|fill_extrusion|terrain|debug)_program",
    "|webgl/draw/draw_(?:heatmap|hillshade|color_relief|fill_extrusion|terrain|debug|collision_debug|custom)",
    "|shaders/glsl/(?:heatmap|hillshade|color_relief|fill_extrusion|terrain|debug|collision|depth)\\w*\\.\\w+\\.glsl\\.g",
    ")\\.ts$",
  ].join(""),
);
// a validator that reports no faults: tests check the styles where they are made
const CHECKS = /maplibre-gl-style-spec\/dist\/validate\/\w+\.mjs$/;
// our maps never show the horizon; what draws the sky above it would be compiled before the first frame
const SKY = /^export function drawSky\([^]*?^\}$/m;
const EXPORTED = /^export (?:default |abstract |async )*(?:class|function|const|let|var)\s+(\w+)|^export \{([^}]*)\}/gm;
const VECTORS = /^import \{([^}]*)\} from 'gl-matrix';$/gm;

/**
 * A module that has the names of another one, and nothing behind them: functions that do nothing, and have no instances.
 * @param {string} source
 * @param {string} [answer] of each function
 */
function hollow(source, answer = "") {
  const names = [...source.matchAll(EXPORTED)].flatMap(([, name, list]) => (name ? [name] : list.split(",").map(exportedAs).filter(Boolean)));
  const lines = names.map((name) => `export function ${name}() {${answer}}`);
  return [...lines, /^export default /m.test(source) ? 'export default "";' : ""].join("\n");
}

/** @param {string} entry `name`, `name as other` or `type name` */
const exportedAs = (entry) => (/^\s*type\s/.test(entry) ? "" : (entry.trim().split(/\s+as\s+/).at(-1) ?? ""));

/**
 * gl-matrix collects its functions in objects, all of which would be kept; imported as modules, those in use are.
 * @param {string} source
 */
const withVectorsApart = (source) =>
  source.replaceAll(VECTORS, (_, names) =>
    names
      .split(",")
      .map((/** @type {string} */ name) => name.trim())
      .filter((/** @type {string} */ name) => name && !name.startsWith("type "))
      .map((/** @type {string} */ name) => `import * as ${name} from "gl-matrix/esm/${name}.js";`)
      .join("\n"),
  );

/** @type {import("esbuild").Plugin} */
export const maplibre = {
  name: "maplibre",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^maplibre-gl$/ }, () => ({ path: LIBRARY }));
    onLoad({ filter: ABSENT }, async ({ path }) => ({ contents: hollow(await readFile(path, "utf8")), loader: "js" }));
    onLoad({ filter: /maplibre-gl\/src\/webgl\/draw\/draw_sky\.ts$/ }, async ({ path }) => ({ contents: withVectorsApart((await readFile(path, "utf8")).replace(SKY, "export function drawSky() {}")), loader: "ts" }));
    onLoad({ filter: CHECKS }, async ({ path }) => ({ contents: hollow(await readFile(path, "utf8"), "return [];"), loader: "js" }));
    onLoad({ filter: /maplibre-gl\/src\/.*\.ts$/ }, async ({ path }) => ({ contents: withVectorsApart(await readFile(path, "utf8")), loader: "ts" }));
    // of all that the package says of itself, its version is used
    onLoad({ filter: /maplibre-gl\/package\.json$/ }, async ({ path }) => ({ contents: JSON.stringify({ version: JSON.parse(await readFile(path, "utf8")).version }), loader: "json" }));
  },
};
