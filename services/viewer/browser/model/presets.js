// Times that people ask for by name.

import { DAY, HOUR } from "./calendar.js";
import { instantText, parseInterval } from "./interval.js";

/**
 * @import { Collection } from "../types.d.ts"
 * @typedef {{ name: string, label: string, datetime: string | null }} Preset
 */

const LATEST = [
  ["24h", "24 hours", DAY],
  ["7d", "7 days", 7 * DAY],
  ["30d", "30 days", 30 * DAY],
];

/**
 * The times to choose from. The last hours and days end now and stay open, so that what comes is seen; of data that are
 * older than a day they end with the data, and say so.
 * @param {Collection | null} collection
 * @param {number} now milliseconds since 1970
 * @returns {Preset[]}
 */
export function presets(collection, now) {
  const whole = collection?.time ? parseInterval(`${collection.time.start}/${collection.time.end}`) : null;
  const last = whole?.to ?? now;
  const isLive = last > now - DAY;
  const hour = (/** @type {number} */ moment) => Math.floor(moment / HOUR) * HOUR;
  const latest = LATEST.map(([name, words, length]) => ({
    name: String(name),
    label: isLive ? `Last ${words}` : `Last ${words} of the data`,
    datetime: isLive ? `${instantText(hour(now - Number(length)))}/..` : `${instantText(hour(last - Number(length)))}/${instantText(hour(last) + HOUR)}`,
  }));
  const season = new Date(Math.min(last, now)).getUTCFullYear();
  const hasSeasons = collection?.columns.some(({ name }) => name === "season");
  return [
    { name: "all", label: "All time", datetime: null },
    ...latest,
    ...(hasSeasons ? [{ name: "season", label: `Season ${season}`, datetime: `${season}-01-01/${season}-12-31` }] : []),
    // of what has an end alone it can be said
    ...(collection?.time?.lasts ? [{ name: "now", label: "In force now", datetime: instantText(Math.floor(now / 60e3) * 60e3) }] : []),
  ];
}
