// Labels of towns and provinces, each with the zoom level from which it is drawn.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const WORLD = 512; // pixels at zoom 0
const LAST = 9;
// how many people a town has at least to be drawn at a zoom level, from 2 on; and a tenth of these where no other is near
const PEOPLE = [5_000_000, 1_500_000, 300_000, 60_000, 15_000, 4_000, 1_000, 1];
const FIRST = 2;
const ROOM = [80, 30]; // pixels around a town in which there is no lesser one
const LONELY = 2.5; // times as much
const PROVINCE_PIXELS = 110; // how wide a province is seen before it is named
const CAPITAL = 3; // how much larger a capital counts than it is
const FEWEST = 4; // places that say where a province is

const NEAR = 0.3; // degrees within which two entries of the same name are the same town

/** @typedef {Record<string, [number, number, Record<string, string>]>} Names of towns by language, with their position, by country code and name */

/**
 * The towns and provinces of GeoNames, as `reverse-geocode` packages them, as GeoJSON points.
 * @param {string} path
 * @param {Names} names
 */
export function placeLabels(path, names) {
  const places = JSON.parse(gunzipSync(readFileSync(path)).toString("utf8"));
  const capitals = JSON.parse(readFileSync(new URL("capitals.json", import.meta.url), "utf8"));
  return { towns: towns(places, capitals, names), provinces: provinces(places) };
}

/**
 * The largest towns first; of those near each other the lesser one is drawn from a nearer view on.
 * @param {{ city: string, country_code: string, latitude: number, longitude: number, population: number }[]} places
 * @param {Record<string, string>} capitals country code to name, as the places have it
 * @param {Names} [names]
 */
export function towns(places, capitals, names = {}) {
  const waiting = places
    .filter(({ city, population, latitude }) => city && population > 0 && Math.abs(latitude) < 85)
    .map((place) => ({
      place,
      people: place.population * (capitals[place.country_code] === place.city ? CAPITAL : 1),
      at: mercator(place.longitude, place.latitude),
      zoom: 0,
    }))
    .sort((a, b) => b.people - a.people);
  for (let zoom = FIRST; zoom <= LAST; zoom++) {
    const least = PEOPLE[zoom - FIRST];
    const size = WORLD * 2 ** zoom;
    for (const [room, people] of least > 1 ? [[1, least], [LONELY, least / 10]] : [[1, least]]) {
      const taken = new Room((ROOM[0] * room) / size, (ROOM[1] * room) / size);
      for (const town of waiting) if (town.zoom) taken.take(town.at);
      for (const town of waiting) {
        if (town.people < people) break;
        if (town.zoom || !taken.isFree(town.at)) continue;
        town.zoom = zoom;
        taken.take(town.at);
      }
    }
  }
  return waiting
    .filter(({ zoom }) => zoom)
    .map(({ place, people, zoom }) =>
      point([place.longitude, place.latitude], {
        basemap: "town",
        name: place.city,
        zoom,
        size: sizeOf(people),
        ...namesOf(place, names),
      }),
    );
}

/**
 * The names of a town by language, where they differ from its usual one.
 * @param {{ city: string, country_code: string, latitude: number, longitude: number }} place
 * @param {Names} names
 */
function namesOf({ city, country_code, latitude, longitude }, names) {
  const [x, y, found] = names[`${country_code} ${city}`] ?? [];
  return Math.abs(x - longitude) <= NEAR && Math.abs(y - latitude) <= NEAR ? found : {};
}

/**
 * Provinces in the middle of their places: no package has their areas.
 * @param {{ state?: string, country_code: string, latitude: number, longitude: number, population: number }[]} places
 */
export function provinces(places) {
  const members = new Map();
  for (const place of places) {
    if (!place.state) continue;
    const key = `${place.country_code} ${place.state}`;
    members.get(key)?.push(place) ?? members.set(key, [place]);
  }
  return [...members.values()].filter((each) => each.length >= FEWEST).flatMap((each) => {
    const [west, middle, east] = quantiles(each.map(({ longitude }) => longitude));
    const [south, centre, north] = quantiles(each.map(({ latitude }) => latitude));
    if (east - west > 90) return []; // across the antimeridian, or islands of an empire
    const degrees = Math.max((east - west) * Math.cos((centre * Math.PI) / 180), north - south, 0.05);
    const zoom = Math.ceil(Math.log2((PROVINCE_PIXELS * 360) / WORLD / degrees));
    if (zoom > LAST) return [];
    return [point([middle, centre], { basemap: "province", name: each[0].state, zoom: Math.max(3, zoom) })];
  });
}

/** @param {number[]} values */
function quantiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return [0.05, 0.5, 0.95].map((part) => sorted[Math.round(part * (sorted.length - 1))]);
}

/** 1 for villages to 5 for cities of millions. @param {number} people */
const sizeOf = (people) => 1 + [10_000, 100_000, 1_000_000, 5_000_000].filter((least) => people >= least).length;

/**
 * @param {[number, number]} coordinates
 * @param {Record<string, unknown>} properties
 */
const point = (coordinates, properties) => ({ type: "Feature", properties, geometry: { type: "Point", coordinates } });

/**
 * A place in the square of Web Mercator, from 0 to 1.
 * @param {number} longitude
 * @param {number} latitude
 */
function mercator(longitude, latitude) {
  const sine = Math.sin((latitude * Math.PI) / 180);
  return [longitude / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

/** Which places have something within `width` and `height` of them. */
class Room {
  #cells = new Map();
  #width;
  #height;

  /**
   * @param {number} width
   * @param {number} height
   */
  constructor(width, height) {
    this.#width = width;
    this.#height = height;
  }

  /** @param {number[]} at */
  take(at) {
    const key = this.#key(Math.floor(at[0] / this.#width), Math.floor(at[1] / this.#height));
    this.#cells.get(key)?.push(at) ?? this.#cells.set(key, [at]);
  }

  /** @param {number[]} at */
  isFree([x, y]) {
    const [column, row] = [Math.floor(x / this.#width), Math.floor(y / this.#height)];
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        for (const other of this.#cells.get(this.#key(column + dx, row + dy)) ?? []) {
          if (Math.abs(other[0] - x) < this.#width && Math.abs(other[1] - y) < this.#height) return false;
        }
      }
    }
    return true;
  }

  /**
   * @param {number} column
   * @param {number} row
   */
  #key(column, row) {
    return row * 1e6 + column;
  }
}
