/**
 * Arguments that are JSON of the API. A model may give each as a value or as its text: many write
 * text anyway, and only text keeps integers beyond 2^53, which ids may be, whole on the way.
 */

import { clip } from "../../base/bounded-text.ts";
import { type ToolArguments, ToolFault } from "./mcp-tool.ts";

/**
 * The argument as JSON's text; undefined if it is not given. Throws `ToolFault`, also for a list of
 * more than `itemsMax`: the schema's `maxItems` holds for values alone.
 */
export function jsonArgument(
  given: ToolArguments,
  name: string,
  { itemsMax = Number.POSITIVE_INFINITY }: { readonly itemsMax?: number | undefined } = {},
): string | undefined {
  const value = given[name];
  if (value === undefined) return undefined;
  const parsed = typeof value === "string" ? parseText(name, value) : value;
  if (Array.isArray(parsed) && parsed.length > itemsMax) {
    throw new ToolFault(
      `${name} has ${parsed.length} items, at most ${itemsMax} are allowed in one call; give ` +
        "them in several calls",
    );
  }
  if (typeof value === "string") return value;
  const rounded = roundedInteger(value);
  if (rounded === undefined) return JSON.stringify(value);
  throw new ToolFault(
    `${name}: the integer ${rounded} is beyond 2^53 and was rounded on the way here; give ` +
      `${name} as JSON text instead of a value, such as "[\\"id\\", \\"Eq\\", 9007199254740993]"`,
  );
}

/** The members of a request's body that are given, as text. */
export function bodyText(members: readonly (readonly [string, string | undefined])[]): string {
  const given = members.filter(([, json]) => json !== undefined);
  return `{${given.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}

function parseText(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ToolFault(
      `${name}: "${clip(text)}" is no JSON (${(error as Error).message}); give ${name} as JSON, ` +
        "as a value or as text",
    );
  }
}

/** The first integer that a number cannot hold; undefined if there is none. */
function roundedInteger(value: unknown): number | undefined {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "number" && Number.isInteger(next) && !Number.isSafeInteger(next)) {
      return next;
    }
    if (typeof next !== "object" || next === null) continue;
    // One by one: a vector has more elements than a call may have arguments.
    for (const inner of Object.values(next)) waiting.push(inner);
  }
  return undefined;
}
