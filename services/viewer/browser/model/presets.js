// Times that people ask for by name.

import { say } from "../words/say.js";
import { agoWords } from "../words/time.js";
import { DAY, HOUR, MINUTE } from "./calendar.js";
import { instantText, parseInterval } from "./interval.js";

/**
 * @import { Collection } from "../types.d.ts"
 * @typedef {{ name: string, label: string, datetime: string | null }} Preset
 */

/** @type {[string, number, string, string][]} name, length, what it is called: of data of today, and of older ones */
const LATEST = [
  ["24h", DAY, say("Last 24 hours"), say("Last 24 hours of the data")],
  ["7d", 7 * DAY, say("Last 7 days"), say("Last 7 days of the data")],
  ["30d", 30 * DAY, say("Last 30 days"), say("Last 30 days of the data")],
];

/** How long ago the past times are, in milliseconds. */
const AGO = [HOUR, DAY, 7 * DAY];

/**
 * The present and the past times to choose from, as far back as states are recorded; empty if they are not recorded.
 * @param {number | null} since start of the record, milliseconds since 1970
 * @param {number} now milliseconds since 1970
 * @returns {{ label: string, asOf: string | null }[]}
 */
export function pastPresets(since, now) {
  if (since === null) return [];
  const past = AGO.map((ago) => Math.floor((now - ago) / MINUTE) * MINUTE).filter((moment) => moment >= since);
  return [{ label: say("Now"), asOf: null }, ...past.map((moment) => ({ label: agoWords(moment, Math.floor(now / MINUTE) * MINUTE), asOf: instantText(moment) }))];
}

/**
 * The times to choose from. The last hours and days end now and stay open, so that new data appear. If the data are
 * older than a day, they end with the data, and their labels say so.
 * @param {Collection | null} collection
 * @param {number} now milliseconds since 1970
 * @returns {Preset[]}
 */
export function presets(collection, now) {
  const whole = collection?.time ? parseInterval(`${collection.time.start}/${collection.time.end}`) : null;
  const last = whole?.to ?? now;
  const isLive = last > now - DAY;
  const hour = (/** @type {number} */ moment) => Math.floor(moment / HOUR) * HOUR;
  const latest = LATEST.map(([name, length, live, older]) => ({
    name,
    label: isLive ? live : older,
    datetime: isLive ? `${instantText(hour(now - length))}/..` : `${instantText(hour(last - length))}/${instantText(hour(last) + HOUR)}`,
  }));
  const season = new Date(Math.min(last, now)).getUTCFullYear();
  const hasSeasons = collection?.columns.some(({ name }) => name === "season");
  return [
    { name: "all", label: say("All time"), datetime: null },
    ...latest,
    ...(hasSeasons ? [{ name: "season", label: say("Season {year}", { year: String(season) }), datetime: `${season}-01-01/${season}-12-31` }] : []),
    // of what has an end alone it can be said
    ...(collection?.time?.lasts ? [{ name: "now", label: say("Active now"), datetime: instantText(Math.floor(now / MINUTE) * MINUTE) }] : []),
  ];
}
