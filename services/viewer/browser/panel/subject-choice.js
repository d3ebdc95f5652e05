// Which collection the list, the timeline and the filter are about, where more than one is shown.

import { element, find, findAround } from "../page/dom.js";

/** @import { Explorer } from "../model/explorer.js" */

/** @param {Explorer} explorer */
export function subjectChoice(explorer) {
  const select = find("#subject", document, HTMLSelectElement);
  select.addEventListener("change", () => explorer.setSubject(select.value));
  const update = () => {
    select.replaceChildren(
      ...[...explorer.shown.keys()].map((id) =>
        element("option", { value: id, text: explorer.collection(id).label, selected: id === explorer.subject }),
      ),
    );
    findAround(select, "label").hidden = explorer.shown.size < 2;
  };
  explorer.addEventListener("shown", update);
  explorer.addEventListener("subject", update);
}
