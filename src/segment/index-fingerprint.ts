/**
 * Which indexes a schema asks for, as one short text: two schemas with one index fingerprint ask
 * for the same. Stored segments carry that of the schema that they were made by, so that nobody has
 * to read them to learn that they are up to date.
 */

import { createHash } from "node:crypto";
import { formatAttributeType } from "../model/attribute-type.ts";
import type { Schema } from "../model/schema.ts";
import { columnOwners } from "../model/stored-columns.ts";
import { ATTRIBUTE_INDEXES } from "./attribute-indexes.ts";

const fingerprints = new WeakMap<Schema, string>();

/** The index fingerprint of a schema: 16 hexadecimal digits, in manifests as they are here. */
export function indexFingerprint(schema: Schema): string {
  let fingerprint = fingerprints.get(schema);
  if (fingerprint === undefined) {
    fingerprint = createHash("sha256")
      .update(JSON.stringify(indexesOf(schema)))
      .digest("hex")
      .slice(0, 16);
    fingerprints.set(schema, fingerprint);
  }
  return fingerprint;
}

function indexesOf(schema: Schema): unknown[] {
  return [...columnOwners(schema)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([column, { schema: attribute }]) => {
      const parts = ATTRIBUTE_INDEXES.flatMap((index) => index.madeBy?.(attribute) ?? []);
      return [column, formatAttributeType(attribute.type), ...parts];
    });
}
