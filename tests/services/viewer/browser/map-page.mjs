// The page of the map as in its template, with an engine that records its calls.

import { readFileSync } from "node:fs";

import { openPage } from "./open-page.mjs";

const TEMPLATE = readFileSync(new URL("../../../../services/viewer/templates/map.html", import.meta.url), "utf8");

// Node.js 20 lacks this function; browsers have it
Map.groupBy ??= (values, keyOf) => {
  const groups = new Map();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
};

/** The body of the template in English, without what only some pages have. */
const markup = () =>
  TEMPLATE.slice(TEMPLATE.indexOf("<main>"), TEMPLATE.indexOf("</body>"))
    .replace(/\{\{ _\("([^"]*)"\) \}\}/g, "$1")
    .replace(/\{\{[^}]*\}\}|\{%[^%]*%\}/g, "");

/** Opens the page; `media` are the queries that hold. */
export const openMap = (options = {}) => openPage({ ...options, markup: markup() });

/**
 * An engine of the map; `calls` has what it was asked to do, `own` what it answers.
 */
export function engineOf(calls, own = {}) {
  const answers = {
    asked: undefined, addTogether: undefined, onTogetherFault: undefined, onMove: () => {}, onIdle: () => {},
    view: () => ({ zoom: 5, center: [121, 24] }), within: () => ({ bbox: [1, 2, 3, 4] }), bbox: () => [1, 2, 3, 4], omitted: () => [], ...own,
  };
  return new Proxy(answers, { get: (_, name) => (name in answers ? answers[name] : (...values) => void calls.push([name, ...values])) });
}

/** Waits until pending work has ended, except timers. */
export async function settled() {
  for (let turn = 0; turn < 60; turn++) await Promise.resolve();
}

/** An answer at once, without time that has to pass. */
export const answered = (body, status = 200) => ({ ok: status < 400, status, headers: new Headers(), json: async () => body });
