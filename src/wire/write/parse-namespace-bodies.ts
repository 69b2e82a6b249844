/** Bodies of requests about a namespace as a whole. */

import { invalid, malformed } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import type { MetadataPatch } from "../../model/write-request.ts";
import { readJsonBody } from "../json/json-body.ts";
import { booleanAt, describeJson, objectAt, present } from "../json/json-shape.ts";
import { UnknownMembers } from "../json/unknown-members.ts";
import { parseSchemaMap } from "./parse-write-members.ts";
import { METADATA_FORM, SCHEMA_FORM } from "./write-forms.ts";

/** Replicas of a pinning that names no number (wire contract). */
export const PINNED_REPLICAS_DEFAULT = 1;

/**
 * Reads the body of a schema update, in steps: the bare map from attribute names to declarations.
 * Unknown options are ignored and noted in `unknown`.
 */
export function parseSchemaBody(
  body: Uint8Array,
  unknown = new UnknownMembers(),
): Steps<JsonObject> {
  return readJsonBody(body, { form: SCHEMA_FORM, unknown }, schemaOf);
}

/** Reads the body of a metadata update, in steps; notes members that are not known in `unknown`. */
export function parseMetadataPatch(
  body: Uint8Array,
  unknown = new UnknownMembers(),
): Steps<MetadataPatch> {
  return readJsonBody(body, { form: METADATA_FORM, unknown }, metadataPatchOf);
}

function schemaOf(root: JsonValue): JsonObject {
  const wrapped = root instanceof Map && root.size === 1 ? root.get("schema") : undefined;
  if (wrapped instanceof Map && !wrapped.has("type") && !wrapped.has("drop")) {
    throw malformed(
      "schema",
      "missing field `type`: the body is the map of attributes itself, not inside `schema`",
    );
  }
  return parseSchemaMap("", root);
}

function metadataPatchOf(body: JsonValue): MetadataPatch {
  const root = objectAt("", body);
  const readOnly = present(root, "read_only");
  const pinning = root.get("pinning");
  return {
    ...(pinning !== undefined && { pinning: parsePinning(pinning) }),
    ...(readOnly !== undefined && { readOnly: booleanAt("read_only", readOnly) }),
  };
}

/** `null` and `false` remove the pinning, which is why null does not mean absent here. */
function parsePinning(value: JsonValue): { replicas: number } | null {
  if (value === null || value === false) return null;
  if (value === true) return { replicas: PINNED_REPLICAS_DEFAULT };
  const replicas = value instanceof Map ? (value.get("replicas") ?? undefined) : null;
  if (replicas === undefined) return { replicas: PINNED_REPLICAS_DEFAULT };
  if (typeof replicas !== "bigint" || replicas < 0n || replicas > 0xffff_ffffn) {
    throw malformed(
      "pinning",
      "data did not match any variant of untagged enum UpdatePinningInput",
      `expected true, false, null or {"replicas": 2}, got ${describeJson(replicas ?? value)}`,
    );
  }
  if (replicas === 0n) throw invalid("💔 replicas must be greater than 0", { hint: "it was 0" });
  return { replicas: Number(replicas) };
}
