/** Members of a write's body that are not lists of documents. */

import { clip } from "../../base/bounded-text.ts";
import { invalid, malformed } from "../../base/errors.ts";
import { namespaceNameFault } from "../../base/ids.ts";
import { similarName } from "../../base/nearest-name.ts";
import { SHARDS_MAX } from "../../model/contract-limits.ts";
import {
  ENCRYPTION_CONTEXT_BYTES_MAX,
  type EncryptionContext,
  encryptionContextText,
} from "../../model/encryption-context.ts";
import type { Filter } from "../../model/filter.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import type { CopySource, EncryptionRequest } from "../../model/write-request.ts";
import {
  countAt,
  memberPath,
  missingMember,
  objectAt,
  present,
  stringAt,
} from "../json/json-shape.ts";
import { parseFilter } from "../query/parse-filter.ts";

/** Distance metrics of dense vectors. */
export const METRICS = ["cosine_distance", "euclidean_squared"] as const;
/** Names that the contract's message lists although they cannot be used. */
const METRICS_REFUSED: readonly string[] = ["Unknown", "euclidean", "Query"];

/** Reads `distance_metric`. */
export function parseDistanceMetric(value: JsonValue): (typeof METRICS)[number] {
  const name = stringAt("distance_metric", value);
  const metric = METRICS.find((known) => known === name);
  if (metric !== undefined) return metric;
  if (METRICS_REFUSED.includes(name)) {
    throw invalid(
      `💔 distance_metric ${name} is not supported, use cosine_distance or euclidean_squared`,
    );
  }
  const similar = similarName(clip(name), METRICS);
  throw malformed(
    "distance_metric",
    `unknown variant \`${clip(name)}\`, expected one of \`Unknown\`, \`euclidean_squared\`, ` +
      "`cosine_distance`, `euclidean`, `Query`",
    similar === undefined
      ? "use `cosine_distance` or `euclidean_squared`"
      : `did you mean \`${similar}\`?`,
  );
}

/** Reads the map from attribute names to declarations; what they say is checked when merged. */
export function parseSchemaMap(path: string, value: JsonValue): JsonObject {
  const schema = objectAt(path, value);
  for (const [name, declaration] of schema) {
    if (typeof declaration === "string" || declaration instanceof Map) continue;
    throw malformed(
      memberPath(path, name),
      "data did not match any variant of untagged enum AttributeSchemaInput",
    );
  }
  return schema;
}

/** Reads `patch_by_filter`. */
export function parsePatchByFilter(value: JsonValue): { filter: Filter; patch: JsonObject } {
  const path = "patch_by_filter";
  const members = objectAt(path, value, "a map with `filters` and `patch`");
  const filters = members.get("filters") ?? undefined;
  const patch = members.get("patch") ?? undefined;
  if (filters === undefined) throw missingMember(path, "filters");
  if (patch === undefined) throw missingMember(path, "patch");
  const changes = objectAt(`${path}.patch`, patch);
  if (changes.has("id")) throw invalid(`💔 ${path}.patch: \`id\` cannot be patched`);
  return { filter: parseFilter(`${path}.filters`, filters), patch: changes };
}

/** Reads `copy_from_namespace`, and the encryption that may be asked for inside it. */
export function parseCopy(value: JsonValue): {
  source: CopySource;
  encryption?: EncryptionRequest;
} {
  const path = "copy_from_namespace";
  if (typeof value === "string") {
    return { source: { kind: "copy", namespace: namespaceAt(path, value) } };
  }
  const members = objectAt(path, value, "a namespace's name or a map with `source_namespace`");
  // No source here has a key of its own: only the kind of the value is checked.
  const key = members.get("source_api_key") ?? undefined;
  if (key !== undefined && typeof key !== "string") {
    throw malformed(`${path}.source_api_key`, "invalid type: a secret value, expected a string");
  }
  const region = optionalString(path, members, "source_region");
  const encryption = members.get("dest_encryption") ?? undefined;
  return {
    source: {
      kind: "copy",
      namespace: sourceNamespace(path, members),
      ...(region !== undefined && { region }),
    },
    ...(encryption !== undefined && {
      encryption: parseEncryption(`${path}.dest_encryption`, encryption),
    }),
  };
}

/** Reads `branch_from_namespace`. */
export function parseBranch(value: JsonValue): CopySource {
  const path = "branch_from_namespace";
  if (typeof value === "string") return { kind: "branch", namespace: namespaceAt(path, value) };
  const members = objectAt(path, value, "a namespace's name or a map with `source_namespace`");
  return { kind: "branch", namespace: sourceNamespace(path, members) };
}

/** Reads either spelling: `{mode, key_name?}`, or the older `{cmek: {key_name}}`. */
export function parseEncryption(path: string, value: JsonValue): EncryptionRequest {
  const members = objectAt(path, value);
  const older = members.get("cmek") ?? undefined;
  const mode = members.get("mode") ?? undefined;
  if (older !== undefined) {
    if (mode !== undefined) throw invalid(`💔 ${path}: cannot specify both \`mode\` and \`cmek\``);
    return customerManaged(`${path}.cmek`, objectAt(`${path}.cmek`, older));
  }
  if (mode === undefined) throw missingMember(path, "mode");
  if (mode === "default" && present(members, "encryption_context") !== undefined) {
    throw invalid(`💔 ${path}.encryption_context needs \`mode\` to be \`customer-managed\``);
  }
  if (mode === "default") return { kind: "default" };
  if (mode === "customer-managed") return customerManaged(path, members);
  const name = stringAt(`${path}.mode`, mode);
  throw malformed(
    `${path}.mode`,
    `unknown variant \`${clip(name)}\`, expected \`default\` or \`customer-managed\``,
  );
}

/** Reads `sharding`, the number of shards. */
export function parseSharding(value: JsonValue): number {
  const count = objectAt("sharding", value).get("num_shards") ?? undefined;
  if (count === undefined) throw missingMember("sharding", "num_shards");
  const shards = countAt("sharding.num_shards", count);
  if (shards >= 1 && shards <= SHARDS_MAX) return shards;
  throw invalid(`💔 sharding.num_shards must be between 1 and ${SHARDS_MAX}, got ${shards}`);
}

function customerManaged(path: string, members: JsonObject): EncryptionRequest {
  const name = members.get("key_name") ?? undefined;
  if (name === undefined) throw missingMember(path, "key_name");
  const keyName = stringAt(`${path}.key_name`, name);
  const pairs = present(members, "encryption_context");
  const context = pairs && contextAt(`${path}.encryption_context`, pairs);
  return { kind: "customer_managed", keyName, ...(context && { context }) };
}

/** Beginnings of keys that the public service keeps for itself and for its key service. */
const CONTEXT_KEYS_RESERVED = ["tpuf:", "aws:"];

/** Reads an encryption context; undefined if it is empty. */
function contextAt(path: string, value: JsonValue): EncryptionContext | undefined {
  const pairs = [...objectAt(path, value, "a map of strings")].map(([key, text]) => {
    const reserved = CONTEXT_KEYS_RESERVED.find((beginning) => key.startsWith(beginning));
    if (reserved !== undefined) {
      throw invalid(`💔 ${memberPath(path, key)}: keys must not begin with \`${reserved}\``);
    }
    return [key, stringAt(memberPath(path, key), text)] as const;
  });
  if (pairs.length === 0) return undefined;
  const context = Object.fromEntries(pairs);
  const bytes = Buffer.byteLength(encryptionContextText(context));
  if (bytes <= ENCRYPTION_CONTEXT_BYTES_MAX) return context;
  throw invalid(
    `💔 ${path} takes ${bytes} bytes as JSON, at most ${ENCRYPTION_CONTEXT_BYTES_MAX} are allowed`,
  );
}

function sourceNamespace(path: string, members: JsonObject): string {
  const name = members.get("source_namespace") ?? undefined;
  if (name === undefined) throw missingMember(path, "source_namespace");
  return namespaceAt(`${path}.source_namespace`, stringAt(`${path}.source_namespace`, name));
}

function namespaceAt(path: string, name: string): string {
  const fault = namespaceNameFault(name);
  if (fault !== undefined) throw invalid(`💔 ${path}: ${fault}`);
  return name;
}

function optionalString(path: string, members: JsonObject, name: string): string | undefined {
  const value = members.get(name) ?? undefined;
  return value === undefined ? undefined : stringAt(memberPath(path, name), value);
}
