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
