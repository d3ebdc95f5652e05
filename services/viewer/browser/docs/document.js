// The OpenAPI document as the explorer shows it: a request works as it is filled in, which is with what it needs alone.
// The published document stays as it is.

/** @import { RealNames } from "./real-names.js" */

/**
 * @typedef {{
 *   name: string, in: string, required?: boolean, description?: string, example?: unknown, "x-queryable"?: boolean,
 *   schema?: { type?: string, default?: unknown, enum?: string[] },
 * }} Parameter
 * @typedef {{ parameters?: Parameter[] } & Record<string, any>} Holder a path or an operation
 * @typedef {{ paths?: Record<string, Holder>, components?: { parameters?: Record<string, Parameter> } }} OpenApiDocument
 */

/**
 * Takes examples and defaults of optional parameters of query and header out of their fields and into their
 * descriptions, leaves out the parameters that are properties, and gives path parameters the examples and the values to
 * choose from that there are. Changes `document` and returns it.
 * @param {OpenApiDocument} document
 * @param {RealNames} [real]
 */
export function prepared(document, { examples, choices } = { examples: {}, choices: {} }) {
  const lists = Object.values(document.paths ?? {}).flatMap((path) => [path, ...Object.values(path)]);
  /** @type {Parameter[]} */
  const parameters = [
    ...Object.values(document.components?.parameters ?? {}),
    ...lists.flatMap((holder) => holder?.parameters ?? []),
  ];
  for (const holder of lists) {
    /** @type {Parameter[]} */
    const all = holder?.parameters ?? [];
    // one field for those of the collection, not one for each property of all collections
    const others = all.filter((parameter) => !parameter["x-queryable"]);
    if (others.length < all.length)
      holder.parameters = [...others, /** @type {any} */ ({ $ref: "#/components/parameters/propertyQueries" })];
  }
  for (const parameter of parameters) {
    if (parameter.in !== "path" && !parameter.required) empty(parameter);
    if (parameter.in !== "path") continue;
    if (parameter.name in examples) parameter.example = examples[parameter.name];
    if (parameter.name in choices) parameter.schema = { ...parameter.schema, enum: choices[parameter.name] };
  }
  return document;
}

/** @param {Parameter} parameter */
function empty(parameter) {
  const said = [parameter.description];
  const { example, schema } = parameter;
  if (schema?.default !== undefined) said.push(`Without it: \`${schema.default}\`.`);
  if (example !== undefined) said.push(`For example \`${parameter.name}${parameter.in === "header" ? ": " : "="}${example}\`.`);
  parameter.description = said.filter(Boolean).join(" ");
  delete parameter.example;
  delete schema?.default;
  // Swagger UI would make up members of a free-form one
  if (schema?.type === "object") parameter.example = {};
}
