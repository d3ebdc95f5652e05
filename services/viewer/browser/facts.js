// How much data the subject has, how recent they are, and whether they are observed.

import { count } from "./api.js";
import { element, find } from "./dom.js";
import { formatDay, formatInstant, formatNumber } from "./format.js";
import { announce, announceError } from "./status.js";

/** Keeps the facts below the title about the subject of the explorer. */
export function describeSubject(explorer) {
  let told = null;
  const update = () => {
    const { datetime, "datetime-column": column, ...chosen } = explorer.subject ? explorer.parameters(explorer.subject) : {};
    // while time plays, nothing here changes
    const wanted = JSON.stringify([explorer.subject, chosen]);
    if (wanted === told) return;
    told = wanted;
    describe(explorer, chosen);
  };
  explorer.addEventListener("subject", update);
  explorer.addEventListener("query", update);
  explorer.addEventListener("data", () => {
    told = null;
    update();
  });
}

async function describe(explorer, chosen) {
  const collection = explorer.collections.get(explorer.subject);
  const line = find("#facts");
  const note = find("#simulated");
  if (!collection) {
    line.replaceChildren();
    note.hidden = true;
    return;
  }
  const narrowed = Object.values(chosen).some((value) => value !== null);
  const asked = (line.asked = Symbol("asked"));
  const stale = () => line.asked !== asked;
  const facts = [];
  try {
    const [total, matched] = await Promise.all([count(collection.id), narrowed ? count(collection.id, chosen) : null]);
    if (stale()) return;
    if (total === 0) announce("This collection has no features yet.");
    if (total !== null) facts.push(`${matched !== null ? `${formatNumber(matched)} of ` : ""}${formatNumber(total)} ${total === 1 ? "feature" : "features"}`);
  } catch (error) {
    announceError(error.message);
  }
  const { end } = collection.time ?? {};
  line.replaceChildren(facts.join(""));
  if (end) {
    const words = element("time", { datetime: end, title: `The newest data are of ${formatInstant(end)}`, text: `as of ${formatDay(end)}` });
    line.append(facts.length ? " · " : "", words);
  }
  const simulated = collection.columns.some((column) => column.name === "source")
    ? await count(collection.id, { source: "simulated" }).catch(() => 0)
    : 0;
  if (stale()) return;
  note.hidden = !simulated;
  note.textContent = simulated ? `${formatNumber(simulated)} simulated, not observed` : "";
}
