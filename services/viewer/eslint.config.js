// Rules for JavaScript. Run from the top of the repository, as `make check` does.
// .dependency-cruiser.cjs has the rule for imports.

import js from "@eslint/js";
import esX from "eslint-plugin-es-x";
import globals from "globals";

// The features of Debian's Node.js 18, as package.json requires. The rule knows methods only by name. Iterator methods,
// which Node.js 20 does not support either, would therefore be reported for every array.
const NODE_18 = Object.fromEntries(
  Object.entries(esX.configs["flat/restrict-to-es2022"].rules).filter(([name]) => !name.includes("no-iterator-prototype")),
);

export default [
  { ignores: ["services/viewer/dist*/"] },
  js.configs.recommended,
  {
    files: ["**/*.js", "**/*.mjs"],
    languageOptions: { ecmaVersion: "latest", sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: "error",
      "no-implicit-coercion": "error",
      "no-duplicate-imports": "error",
      "no-shadow": "error",
      "no-throw-literal": "error",
      "object-shorthand": "error",
      "prefer-template": "error",
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", 80],
    },
  },
  {
    files: ["services/viewer/build/**"],
    plugins: { "es-x": esX },
    rules: NODE_18,
    settings: { "es-x": { aggressive: true } },
  },
  { files: ["services/viewer/browser/**"], languageOptions: { globals: globals.browser } },
  { files: ["services/viewer/build/**", "services/viewer/*.config.js", "tests/**"], languageOptions: { globals: globals.node } },
];
