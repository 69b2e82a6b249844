/** Bodies of requests about keys and tokens, and answers. What a body has beside them is refused. */

import { hasMoreCodePoints } from "../base/bounded-text.ts";
import { formatTime } from "../base/clock.ts";
import { DURATION_FORM, parseDuration } from "../base/duration.ts";
import { invalid, malformed } from "../base/errors.ts";
import { namespaceNameFault } from "../base/ids.ts";
import type { JsonObject, JsonValue } from "../model/json-value.ts";
import { fitEverything, namespacePatternFault } from "../model/namespace-pattern.ts";
import { parseJson } from "../wire/json/json-reader.ts";
import {
  describeJson,
  didYouMean,
  isNumber,
  missingMember,
  objectAt,
  present,
  stringAt,
  stringsAt,
  variantAt,
} from "../wire/json/json-shape.ts";
import { jsonText } from "../wire/json/json-text.ts";
import { parseForcedFilter } from "../wire/query/force-filter.ts";
import { type ApiKey, KEY_ACTIONS, type KeyLimits } from "./api-key.ts";
import type { StoredKey } from "./key-store.ts";
import { TOKEN_MS_MAX } from "./query-token.ts";

/** Longest name of a key, in characters; our choice. */
export const KEY_NAME_CHARS_MAX = 128;
/** Patterns of one key: each is a listing of its own where the key lists; our choice. */
export const PATTERNS_MAX = 32;
/** Greatest limit of a key: beyond what a server can do, and exact as a number. */
export const LIMIT_MAX = 1e12;
/** Smallest one: about one request or byte in a quarter of an hour. */
export const LIMIT_MIN = 0.001;
/** Longest life of a key that ends by itself. */
const KEY_MS_MAX = 3650 * 86_400_000;
/** How long a token is good for if nothing is said. */
const TOKEN_MS_DEFAULT = 3_600_000;

/** Members of a request for a key. */
export const CREATE_MEMBERS = [
  "name",
  "actions",
  "namespaces",
  "expires_in",
  "requests_per_second",
  "bytes_per_second",
] as const;
/** Members of a request for a token. */
export const TOKEN_MEMBERS = ["namespace", "filter", "expires_in"] as const;

/** What a new key is to be. */
export type KeyRequest = Omit<ApiKey, "id" | "hash" | "lastFour">;

/** What a token is to be. */
export interface TokenRequest {
  readonly namespace: string;
  /** JSON. */
  readonly filter: string;
  readonly expiresAtMs: number;
}

/** Reads `{name, actions, namespaces, expires_in?, requests_per_second?, bytes_per_second?}`. */
export function parseKeyRequest(body: Uint8Array, nowMs: number): KeyRequest {
  const root = rootOf(body, CREATE_MEMBERS);
  const name = stringAt("name", required(root, "name"));
  if (name === "" || hasMoreCodePoints(name, KEY_NAME_CHARS_MAX) || /\p{Cc}/u.test(name)) {
    throw invalid(
      `💔 name must have 1 to ${KEY_NAME_CHARS_MAX} characters and no control characters`,
    );
  }
  const actions = parseActions(required(root, "actions"));
  const namespaces = parsePatterns(required(root, "namespaces"));
  if (actions.includes("admin") && !fitEverything(namespaces)) {
    throw invalid(
      '💔 keys with the action admin create keys for all namespaces: namespaces must be ["*"]; ' +
        "leave admin out for a key of some namespaces",
    );
  }
  const lifetimeMs = parseLifetime(root, KEY_MS_MAX);
  return {
    name,
    actions,
    namespaces,
    createdAtMs: nowMs,
    ...(lifetimeMs !== undefined && { expiresAtMs: nowMs + lifetimeMs }),
    ...parseLimits(root),
  };
}

/** Reads `{namespace, filter, expires_in?}`. The filter's operands are checked by queries. */
export function parseTokenRequest(body: Uint8Array, nowMs: number): TokenRequest {
  const root = rootOf(body, TOKEN_MEMBERS);
  const namespace = stringAt("namespace", required(root, "namespace"));
  const fault = namespaceNameFault(namespace);
  if (fault !== undefined) throw invalid(`💔 namespace: ${fault}`);
  const filter = jsonText(required(root, "filter"));
  parseForcedFilter(filter);
  const lifetimeMs = parseLifetime(root, TOKEN_MS_MAX) ?? TOKEN_MS_DEFAULT;
  return { namespace, filter, expiresAtMs: nowMs + lifetimeMs };
}

/** A key as answers show it; never its text or its hash. */
export function keyJson(
  { key, revocation }: StoredKey,
  lastUsedAtMs?: number,
): Readonly<Record<string, unknown>> {
  const time = (ms: number | undefined) => (ms === undefined ? null : formatTime(ms));
  return {
    id: key.id,
    name: key.name,
    last_four: key.lastFour,
    actions: key.actions,
    namespaces: key.namespaces,
    created_at: formatTime(key.createdAtMs),
    last_used_at: time(lastUsedAtMs),
    expires_at: time(key.expiresAtMs),
    ...(revocation !== undefined && { revoked_at: time(revocation.atMs) ?? "unknown" }),
    ...(key.requestsPerSecond !== undefined && { requests_per_second: key.requestsPerSecond }),
    ...(key.bytesPerSecond !== undefined && { bytes_per_second: key.bytesPerSecond }),
  };
}

function rootOf(body: Uint8Array, members: readonly string[]): JsonObject {
  const root = objectAt("", parseJson(body));
  for (const name of root.keys()) {
    if (!members.includes(name)) {
      throw malformed("", `unknown field ${JSON.stringify(name)}${didYouMean(name, members)}`);
    }
  }
  return root;
}

function required(root: JsonObject, name: string): JsonValue {
  const value = present(root, name);
  if (value === undefined) throw missingMember("", name);
  return value;
}

function parseActions(value: JsonValue): ApiKey["actions"] {
  const actions = stringsAt("actions", value).map((action, i) =>
    variantAt(`actions[${i}]`, action, KEY_ACTIONS),
  );
  if (actions.length > 0) return KEY_ACTIONS.filter((action) => actions.includes(action));
  throw invalid(`💔 actions must name at least one of ${KEY_ACTIONS.join(", ")}`);
}

function parsePatterns(value: JsonValue): readonly string[] {
  const patterns = stringsAt("namespaces", value);
  if (patterns.length === 0 || patterns.length > PATTERNS_MAX) {
    throw invalid(
      `💔 namespaces must have 1 to ${PATTERNS_MAX} names or patterns, got ${patterns.length}; ` +
        'for all namespaces say ["*"]',
    );
  }
  for (const [i, pattern] of patterns.entries()) {
    const fault = namespacePatternFault(pattern);
    if (fault !== undefined) throw invalid(`💔 namespaces[${i}]: ${fault}`);
  }
  return [...new Set(patterns)];
}

function parseLifetime(root: JsonObject, msMax: number): number | undefined {
  const value = present(root, "expires_in");
  if (value === undefined) return undefined;
  const ms = parseDuration(stringAt("expires_in", value));
  if (ms !== undefined && ms > 0 && ms <= msMax) return ms;
  throw invalid(
    `💔 expires_in must be ${DURATION_FORM}, and at most ${msMax / 86_400_000}d, got ` +
      describeJson(value),
  );
}

function parseLimits(root: JsonObject): KeyLimits {
  const requestsPerSecond = parseLimit(root, "requests_per_second");
  const bytesPerSecond = parseLimit(root, "bytes_per_second");
  return {
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
    ...(bytesPerSecond !== undefined && { bytesPerSecond }),
  };
}

function parseLimit(root: JsonObject, name: string): number | undefined {
  const value = present(root, name);
  if (value === undefined) return undefined;
  const limit = isNumber(value) ? Number(value) : 0;
  if (limit >= LIMIT_MIN && limit <= LIMIT_MAX) return limit;
  throw invalid(
    `💔 ${name} must be a number from ${LIMIT_MIN} to ${LIMIT_MAX}, got ${describeJson(value)}`,
  );
}
