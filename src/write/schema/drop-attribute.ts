/** `{"drop": true}` in a schema: the attribute goes, with its values and indexes. */

import { clip } from "../../base/bounded-text.ts";
import { invalid } from "../../base/errors.ts";
import { similarName } from "../../base/nearest-name.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import type { AttributeSchema, Schema } from "../../model/schema.ts";
import { booleanAt, present } from "../../wire/json/json-shape.ts";
import { updateFault } from "./schema-faults.ts";

/** Tells whether a declaration at `path` drops its attribute. Throws where it does not say so. */
export function isDrop(declaration: JsonValue, path: string): boolean {
  if (!(declaration instanceof Map)) return false;
  const drop = present(declaration, "drop");
  if (drop === undefined) return false;
  if (!booleanAt(`${path}.drop`, drop)) {
    throw invalid(`💔 ${path}.drop must be true, was false: leave it out to keep the attribute`);
  }
  const other = [...declaration.keys()].find((name) => name !== "drop");
  if (other === undefined) return true;
  throw invalid(
    `💔 ${path}: \`drop\` cannot be combined with other settings, ` +
      `was sent with \`${clip(other)}\`; declare the attribute anew by a later request`,
  );
}

/**
 * A write's declarations without drops of what a schema has not, for whoever looks ahead: requests
 * that come first may yet declare it.
 */
export function withoutAbsentDrops(declared: JsonObject, { attributes }: Schema): JsonObject {
  const kept = [...declared].filter(
    ([name, value]) => attributes.has(name) || !isDrop(value, `schema.${name}`),
  );
  return kept.length === declared.size ? declared : new Map(kept);
}

/** Refuses (400) to drop `id`, and what a namespace has not. */
export function checkDrop(name: string, attributes: ReadonlyMap<string, AttributeSchema>): void {
  if (name === "id") throw updateFault(name, "`id` cannot be dropped: every document has one");
  if (attributes.has(name)) return;
  const similar = similarName(clip(name), [...attributes.keys()]);
  const hint = similar === undefined ? "" : `, did you mean '${similar}'?`;
  throw updateFault(clip(name), `there is no such attribute to drop${hint}`);
}
