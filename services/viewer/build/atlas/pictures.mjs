// A layer of a tile for pictures: areas and lines as SVG paths in units of the tile, labels as lists.

const AREAS = new Set(["land", "lakes"]);
const LINES = new Set(["coast", "borders", "rivers"]);

/**
 * @param {string} name of the layer
 * @param {{ geometry: any[], type: number, tags: Record<string, any> | null }[]} features as geojson-vt has them
 * @param {number} extent
 * @returns {Record<string, unknown>}
 */
export function pictured(name, features, extent) {
  if (AREAS.has(name)) return { [name]: features.map(({ geometry }) => path(geometry, "Z")).join("") };
  if (LINES.has(name)) {
    const main = features.filter(({ tags }) => tags?.basemap !== "province");
    const lesser = features.filter(({ tags }) => tags?.basemap === "province");
    return { [name]: lines(main), ...(lesser.length ? { provinces: lines(lesser) } : {}) };
  }
  if (name !== "towns" && name !== "labels") return {};
  return {
    [name]: features.flatMap(({ geometry: [[x, y]], tags }) => {
      const { basemap, name: label, zoom: from, rank, size, ...names } = tags;
      const inside = x >= 0 && x < extent && y >= 0 && y < extent;
      return inside ? [[x, y, basemap, label, from ?? rank, size ?? 0, names]] : [];
    }),
  };
}

/** @param {{ geometry: any[] }[]} features */
const lines = (features) => features.map(({ geometry }) => path(geometry, "")).join("");

/**
 * @param {number[][][]} parts
 * @param {string} end
 */
const path = (parts, end) => parts.map((line) => `M${line.map(([x, y]) => `${x} ${y}`).join(" ")}${end}`).join("");
