// Says whether the map shows the present or the archive, until when older data reach, and leads from one to the other.

import { element } from "../page/dom.js";
import { formatDay } from "../words/format.js";
import { inARow, say } from "../words/say.js";

/**
 * @import { Explorer } from "../model/explorer.js"
 * @import { Present } from "../types.d.ts"
 */

/**
 * Keeps the note up to date.
 * @param {HTMLElement} note
 * @param {Explorer} explorer
 * @param {Present} present
 * @param {{ archive: () => unknown, now: () => unknown }} go
 */
export function presentNote(note, explorer, present, go) {
  const hasData = present.shown.length > 0;
  const ended = present.ended.map((id) => {
    const { label, time } = explorer.collection(id);
    return time?.asOf ? say("{collection} until {day}", { collection: label, day: formatDay(time.asOf) }) : label;
  });
  const limits = ended.length ? say("No current data: {list}.", { list: inARow(ended, ", ") }) : "";
  const update = () => {
    const isPresent = hasData && explorer.datetime === present.datetime;
    const isArchive = explorer.datetime === null && !explorer.events.size;
    note.hidden = !isPresent && !isArchive;
    const words = isPresent ? say("The last 30 days.") : say("The archive.");
    const action = isPresent ? { text: say("Show the archive"), onclick: go.archive } : { text: say("Show the present"), onclick: go.now };
    note.replaceChildren(
      `${words} `,
      ...(limits && (isPresent || !hasData) ? [`${limits} `] : []),
      ...(hasData ? [element("button", { type: "button", ...action })] : []),
    );
  };
  for (const event of ["query", "shown"]) explorer.addEventListener(event, update);
  update();
}

/**
 * Shows the present again, or leaves it.
 * @param {Explorer} explorer
 * @param {Present} present
 */
export function leavePresent(explorer, present) {
  if (explorer.datetime !== present.datetime) return;
  explorer.setDatetime(null);
  for (const [id, text] of Object.entries(present.filters)) if (explorer.filters.get(id) === text) explorer.setFilter(id, null);
}
