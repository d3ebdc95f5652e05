// The API explorer: Swagger UI on the service's own OpenAPI document, nothing fetched from elsewhere.

import { makeAccessible } from "./docs/accessibility.js";
import { prepared } from "./docs/document.js";
import { followCollection } from "./docs/field-examples.js";
import { realNames } from "./docs/real-names.js";

/** @typedef {{ (options: object): void, presets: { apis: unknown } }} SwaggerUI */

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const root = document.querySelector("#swagger-ui");
if (!(root instanceof HTMLElement)) throw new Error("no #swagger-ui on the page");
const url = root.dataset.openapi ?? "";

const api = url.replace(/\/openapi\.json$/, "");
// asked for once; without an answer the examples of the document stay
const real = await realNames(api).catch(() => undefined);

const prefilled = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateSpec: (/** @type {(text: string) => unknown} */ update) => (/** @type {string} */ text) =>
          update(text ? JSON.stringify(prepared(JSON.parse(text), real)) : text),
      },
    },
  },
});

makeAccessible(root);
followCollection(root, api);
const { SwaggerUIBundle } = /** @type {typeof window & { SwaggerUIBundle: SwaggerUI }} */ (window);
SwaggerUIBundle({
  url,
  domNode: root,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [prefilled],
  onComplete: () => {
    document.body.dataset.ready = "1";
  },
});
