// Pages work without this; it adds a button to copy each example, one to print, and date pickers to forms, and leaves
// empty fields out of addresses.
const SHOWN_MS = 1600;
// in the language of the page
const words = document.body.dataset;

async function copied(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // without TLS there is no clipboard object
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("the browser does not let it be copied");
}

for (const example of document.querySelectorAll(".copy")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy-button";
  button.textContent = words.copy;
  button.setAttribute("aria-label", words.copyWhat.replace("{what}", example.dataset.what ?? ""));
  const said = document.createElement("span");
  said.className = "unseen";
  said.setAttribute("role", "status");
  button.addEventListener("click", async () => {
    try {
      await copied(example.querySelector("code").textContent);
      button.textContent = words.copied;
    } catch {
      button.textContent = words.notCopied;
    }
    said.textContent = button.textContent;
    setTimeout(() => {
      button.textContent = words.copy;
      said.textContent = "";
    }, SHOWN_MS);
  });
  example.append(button, said);
}

for (const form of document.querySelectorAll("form.filter")) {
  form.addEventListener("submit", () => {
    const empty = [...form.elements].filter(({ name, value }) => name && value === "");
    for (const field of empty) field.disabled = true;
    // the browser's back button shows them unchanged
    setTimeout(() => empty.forEach((field) => { field.disabled = false; }));
  });
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.addEventListener("click", () => print());
  button.hidden = false;
}

for (const days of document.querySelectorAll("form.filter .days")) {
  const time = days.form.elements.datetime;
  const [from, to] = days.querySelectorAll("input");
  const show = () => {
    const parts = time.value.split("/").map((part) => /^\d{4}-\d\d-\d\d/.exec(part)?.[0] ?? "");
    [from.value, to.value] = [parts[0], parts.at(-1)];
  };
  const write = () => {
    time.value = from.value === to.value ? from.value : `${from.value || ".."}/${to.value || ".."}`;
  };
  for (const picker of [from, to]) picker.addEventListener("change", write);
  time.addEventListener("input", show);
  show();
  days.hidden = false;
}
