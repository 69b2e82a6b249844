import { clipName } from "../base/bounded-text.ts";
import { nearestName } from "../base/nearest-name.ts";
import type { ArgumentSchema } from "./tools/mcp-tool.ts";

/**
 * Why arguments do not fit their schema, in words that name the fix; undefined if no name is wrong
 * or missing. Types and bounds are left to the validator.
 */
export function nameFault(given: unknown, schema: ArgumentSchema): string | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return "arguments must be an object";
  }
  const known = Object.keys(schema.properties);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    return (
      `unknown argument "${clipName(unknown)}"; did you mean "${nearestName(unknown, known)}"? ` +
      `There are ${known.join(", ")}`
    );
  }
  const missing = schema.required?.find((name) => !Object.hasOwn(given, name));
  if (missing === undefined) return undefined;
  const { description, examples } = schema.properties[missing];
  const example = Array.isArray(examples) ? `, such as ${JSON.stringify(examples[0])}` : "";
  return `the argument "${missing}" is missing${example}: ${String(description)}`;
}
