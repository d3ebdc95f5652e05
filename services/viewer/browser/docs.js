// The API explorer: Swagger UI on the service's own OpenAPI document, nothing fetched from elsewhere.

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const root = document.querySelector("#swagger-ui");

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
