// The API explorer: Swagger UI on the service's own OpenAPI document, nothing fetched from elsewhere.

import { prepared } from "./docs/document.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const root = document.querySelector("#swagger-ui");

/** A collection that this service has, with a feature of it: what the contract names need not be there. */
async function realNames() {
  const api = root.dataset.openapi.replace(/\/openapi\.json$/, "");
  const get = async (path) => (await fetch(`${api}${path}`, { headers: { Accept: "application/json" } })).json();
  const { collections } = await get("/collections?limit=50&f=json");
  const chosen = collections.find(({ extent }) => extent?.spatial) ?? collections[0];
  if (!chosen) return {};
  const { features } = await get(`/collections/${encodeURIComponent(chosen.id)}/items?limit=1&geom-column=none&f=json`);
  const id = features[0]?.id;
  return { collectionId: chosen.id, ...(id === undefined || id === null ? {} : { itemId: String(id) }) };
}

// asked for once; without an answer the examples of the document stay
const real = await realNames().catch(() => ({}));

const prefilled = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateSpec: (update) => (text) => update(text ? JSON.stringify(prepared(JSON.parse(text), real)) : text),
      },
    },
  },
});

window.SwaggerUIBundle({
  url: root.dataset.openapi,
  domNode: root,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  presets: [window.SwaggerUIBundle.presets.apis],
  plugins: [prefilled],
  onComplete: () => {
    document.body.dataset.ready = "1";
  },
});

// What Swagger UI leaves out for those who do not see or do not use a mouse. Links within the operations' buttons
// remain: they are its own.
const LABELS = [
  ["#servers", () => "Server"],
  ["tr[data-param-name] select, tr[data-param-name] input, tr[data-param-name] textarea", (field) =>
    field.closest("tr").dataset.paramName],
];
const REGIONS = { ".information-container": "About this API", ".scheme-container": "Server" };

function mend() {
  for (const [selector, label] of LABELS) {
    for (const field of root.querySelectorAll(selector)) if (!field.ariaLabel) field.ariaLabel = label(field);
  }
  for (const text of root.querySelectorAll("pre.microlight, pre.example")) text.tabIndex = 0;
  for (const [selector, label] of Object.entries(REGIONS)) {
    const part = root.querySelector(selector);
    part?.setAttribute("role", "region");
    part?.setAttribute("aria-label", label);
  }
  // no level is left out below the title
  for (const heading of root.querySelectorAll("h3, h4, h5")) {
    heading.ariaLevel = heading.matches(".models > h4") ? "2" : String(Number(heading.tagName[1]) - 1);
  }
}

let waiting = false;
new MutationObserver(() => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    mend();
  });
}).observe(root, { childList: true, subtree: true });
