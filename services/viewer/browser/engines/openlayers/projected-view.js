// The view of a map in any projection, in longitudes and latitudes, and in the zoom levels of Web Mercator.

import { boxAround, gridOver, isPosition, NEAREST, shared } from "../../cartography/view-box.js";
import { reducedMotion } from "../../page/layout.js";

/**
 * @import { default as Projection } from "ol/proj/Projection.js"
 * @import { MatrixGrid } from "../../cartography/matrix-grid.js"
 * @import { System } from "../../cartography/projections.js"
 * @import * as OpenLayers from "./openlayers.js"
 * @import { Box, FitOptions, Padding, Position, View } from "../../types.d.ts"
 */

const METRES_PER_PIXEL = 78271.517; // of a world 512 pixels wide
const SAMPLES = 12; // positions along a side, to find the box of a view

export class ProjectedView {
  #library;
  #system;
  #projection;
  #grid;

  /**
   * @param {typeof OpenLayers} library
   * @param {System & { code: string }} system
   * @param {Projection} projection
   * @param {MatrixGrid} grid
   */
  constructor(library, system, projection, grid) {
    this.#library = library;
    this.#system = system;
    this.#projection = projection;
    this.#grid = grid;
    const extent = grid.extent();
    this.view = new library.View({
      projection,
      center: library.getCenter(extent),
      resolution: grid.viewResolution(),
      maxResolution: grid.viewResolution(),
      minResolution: grid.minResolution(),
      extent,
      constrainOnlyCenter: true,
      smoothResolutionConstraint: false,
    });
  }

  /** Units of the projection per pixel. */
  resolution() {
    return this.view.getResolution() ?? this.view.getMaxResolution();
  }

  /**
   * Longitude and latitude of a place on the map.
   * @param {number[]} coordinate
   */
  degrees(coordinate) {
    return /** @type {Position} */ (this.#library.toLonLat(coordinate, this.#projection));
  }

  /**
   * The place on the map of a position.
   * @param {Position} position
   */
  place(position) {
    return this.#library.fromLonLat(position, this.#projection);
  }

  /** @returns {View} */
  get() {
    const zoom = Math.log2(METRES_PER_PIXEL / (this.resolution() * this.#metres()));
    return { zoom, center: this.degrees(this.view.getCenter() ?? [0, 0]) };
  }

  /** @param {View} view */
  set({ zoom, center }) {
    this.view.setCenter(this.place(center));
    this.view.setResolution(this.#resolutionOf(zoom));
  }

  /**
   * The bounding box of the visible part of the map, in longitude and latitude.
   * @returns {Box}
   */
  bbox() {
    const extent = this.view.calculateExtent();
    const positions = gridOver(extent, SAMPLES)
      .map((coordinate) => this.degrees(coordinate))
      .filter((position) => position.every(Number.isFinite))
      .map(([x, y]) => /** @type {Position} */ ([x, Math.max(-90, Math.min(90, y))]));
    const pole = this.#system.polar ? [90, -90].find((latitude) => this.#isInside([0, latitude], extent)) : undefined;
    return boxAround(positions, pole);
  }

  /**
   * The visible part of the map. If the projection has other axes than longitude and latitude, the box is in the
   * projection's own CRS. A longitude/latitude box around such a view would contain much that is not visible.
   * @returns {{ bbox: number[], crs?: string }}
   */
  within() {
    const { code } = this.#system;
    if (code === "CRS:84" || code === "EPSG:4326") return { bbox: this.bbox() };
    const extent = this.view.calculateExtent();
    const [left, bottom, right, top] = this.#grid.extent().map((edge, at) => (at < 2 ? Math.max : Math.min)(edge, extent[at]));
    const bbox = this.#grid.swapped ? [bottom, left, top, right] : [left, bottom, right, top];
    return { bbox, crs: `http://www.opengis.net/def/crs/EPSG/0/${code.slice(5)}` };
  }

  /**
   * Shows a box within the padding, in pixels.
   * @param {Box} box
   * @param {Padding} padding
   * @param {FitOptions} options
   */
  fit(box, { left, right, top, bottom }, { animate = true, nearest = NEAREST, closer = false }) {
    const extent = this.#projected(box);
    if (closer && this.view.getResolutionForExtent(extent) > this.resolution()) {
      const seen = this.view.calculateExtent();
      const [x, y] = [(extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2];
      if (isPosition(box) || x < seen[0] || x > seen[2] || y < seen[1] || y > seen[3]) this.view.setCenter([x, y]);
      return;
    }
    this.view.fit(extent, {
      padding: [top, right, bottom, left],
      minResolution: closer ? Math.min(this.#resolutionOf(nearest), this.resolution()) : this.#resolutionOf(nearest),
      duration: animate ? movement() : 0,
    });
  }

  /** Resolutions of MapLibre's zoom levels in this projection: styles depend on them. */
  zooms() {
    return Array.from({ length: 25 }, (_, zoom) => this.#resolutionOf(zoom));
  }

  /** @param {number} zoom */
  #resolutionOf(zoom) {
    return METRES_PER_PIXEL / 2 ** zoom / this.#metres();
  }

  #metres() {
    return this.#projection.getMetersPerUnit() ?? 1;
  }

  /**
   * Whether a position lies in an extent of the projection.
   * @param {Position} position
   * @param {number[]} extent
   */
  #isInside(position, [left, bottom, right, top]) {
    const [x, y] = this.place(position);
    return Number.isFinite(x) && Number.isFinite(y) && x >= left && x <= right && y >= bottom && y <= top;
  }

  /**
   * Extent of a box of degrees, only as far as the projection reaches.
   * @param {Box} box
   */
  #projected(box) {
    const positions = gridOver(shared(box, this.#system.area) ?? this.#system.home, SAMPLES * 2);
    const places = positions.map((position) => this.place(position));
    return this.#library.boundingExtent(places.filter((place) => place.every(Number.isFinite)));
  }
}

/** How long a movement of the map takes, in milliseconds. */
export const movement = () => (reducedMotion.matches ? 0 : 400);
