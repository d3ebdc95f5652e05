// Rules for JavaScript: mistakes, and the direction of imports between the rooms of the browser's scripts. Run from the
// top of the repository, as `make check` does.

import { fileURLToPath } from "node:url";

import js from "@eslint/js";
import { createNodeResolver, importX } from "eslint-plugin-import-x";
import globals from "globals";

// a room imports those below it; rooms of one floor do not know each other
const FLOORS = [["panel", "engines"], ["model"], ["page"], ["filters"], ["service"], ["cartography", "words"]];

const zones = FLOORS.flatMap((floor, at) =>
  floor.map((room) => ({
    target: `./browser/${room}`,
    from: [
      ...["map.js", "docs.js", "docs"],
      ...FLOORS.slice(0, at).flat(),
      ...floor.filter((other) => other !== room),
    ].map((other) => `./browser/${other}`),
    message: `${room} stands below it or beside it: see FLOORS in eslint.config.js.`,
  })),
);

export default [
  { ignores: ["services/viewer/dist*/"] },
  js.configs.recommended,
  {
    files: ["**/*.js", "**/*.mjs"],
    languageOptions: { ecmaVersion: "latest", sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { "import-x": importX },
    settings: { "import-x/resolver-next": [createNodeResolver()] },
    rules: {
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: "error",
      "no-implicit-coercion": "error",
      "no-shadow": "error",
      "no-throw-literal": "error",
      "object-shorthand": "error",
      "prefer-template": "error",
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", 80],
      "import-x/no-cycle": "error",
      "import-x/no-duplicates": "error",
      "import-x/no-restricted-paths": ["error", { basePath: fileURLToPath(new URL(".", import.meta.url)), zones }],
      "import-x/no-unresolved": "error",
      "import-x/order": ["error", { alphabetize: { order: "asc" }, groups: ["builtin", "external", "parent", "sibling"] }],
    },
  },
  { files: ["services/viewer/browser/**"], languageOptions: { globals: globals.browser } },
  { files: ["services/viewer/build/**", "services/viewer/*.config.js", "tests/**"], languageOptions: { globals: globals.node } },
];
