/**
 * Layout of what is stored of API keys: payloads of frames (codec/frame.ts), each JSON in UTF-8.
 *
 *     keys/<id>/key      "API key": the members of `ApiKey`, put once, if absent
 *     keys/<id>/revoked  "key revocation": {"revokedAtMs"}; once it is there, the key is revoked
 *     keys/changes       "key changes": {"nonce"}, put anew after each change of the two above
 *     keys/uses          "key uses": {"lastUsedAtMs": {<id>: milliseconds since the epoch}}
 */

import { DatabaseError } from "../base/errors.ts";
import { FORMAT_VERSIONS } from "../base/format-versions.ts";
import { decodeFrame, encodeFrame, type FrameKind } from "../codec/frame.ts";
import { namespacePatternFault } from "../model/namespace-pattern.ts";
import {
  apiKeyKey,
  KEY_CHANGES_KEY,
  KEY_USES_KEY,
  keyRevocationKey,
} from "../storage/object-keys.ts";
import type { ObjectKey } from "../storage/object-store.ts";
import { type ApiKey, KEY_ACTIONS, type KeyAction, keyId } from "./api-key.ts";

type KeyFrameKind = Extract<FrameKind, "API key" | "key revocation" | "key changes" | "key uses">;

/** When keys were last used, in milliseconds since the epoch, by id. */
export type KeyUseTimes = ReadonlyMap<string, number>;

/** Encodes the object at `apiKeyKey(key.id)`. */
export function encodeApiKey(key: ApiKey): Promise<Uint8Array> {
  return encode("API key", apiKeyKey(key.id), key);
}

/** Decodes the object at `apiKeyKey(id)`. Throws `corrupt`, `too_new` or `too_old`. */
export async function decodeApiKey(object: Uint8Array, id: string): Promise<ApiKey> {
  const at = apiKeyKey(id);
  const stored = await decode("API key", at, object);
  const { name, hash, lastFour, actions, namespaces, createdAtMs } = stored;
  const check: Check = (holds, member) => {
    if (!holds) throw corrupt("API key", at, member);
  };
  check(typeof name === "string", "name");
  check(typeof lastFour === "string", "lastFour");
  check(typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash), "hash");
  check(keyId(hash) === id, "hash, which is of another id");
  check(isTexts(actions) && actions.every(isAction), "actions");
  check(isTexts(namespaces) && namespaces.every(isPattern), "namespaces");
  check(typeof createdAtMs === "number", "createdAtMs");
  return {
    id,
    hash,
    name,
    lastFour,
    actions: actions as KeyAction[],
    namespaces,
    createdAtMs,
    ...optionalNumber(stored, "expiresAtMs", check),
    ...optionalNumber(stored, "requestsPerSecond", check),
    ...optionalNumber(stored, "bytesPerSecond", check),
  };
}

/** Encodes the object at `keyRevocationKey(id)`. */
export function encodeRevocation(id: string, revokedAtMs: number): Promise<Uint8Array> {
  return encode("key revocation", keyRevocationKey(id), { revokedAtMs });
}

/** When a key was revoked. Throws as `decodeApiKey`; the key is revoked all the same. */
export async function decodeRevocation(object: Uint8Array, id: string): Promise<number> {
  const at = keyRevocationKey(id);
  const { revokedAtMs } = await decode("key revocation", at, object);
  if (typeof revokedAtMs === "number") return revokedAtMs;
  throw corrupt("key revocation", at, "revokedAtMs");
}

/** Encodes the object at `KEY_CHANGES_KEY`. */
export function encodeChanges(nonce: string): Promise<Uint8Array> {
  return encode("key changes", KEY_CHANGES_KEY, { nonce });
}

/** What tells one change from another. Throws as `decodeApiKey`. */
export async function decodeChanges(object: Uint8Array): Promise<string> {
  const { nonce } = await decode("key changes", KEY_CHANGES_KEY, object);
  if (typeof nonce === "string") return nonce;
  throw corrupt("key changes", KEY_CHANGES_KEY, "nonce");
}

/** Encodes the object at `KEY_USES_KEY`. */
export function encodeKeyUses(times: KeyUseTimes): Promise<Uint8Array> {
  return encode("key uses", KEY_USES_KEY, { lastUsedAtMs: Object.fromEntries(times) });
}

/** Decodes it. Throws as `decodeApiKey`. */
export async function decodeKeyUses(object: Uint8Array): Promise<Map<string, number>> {
  const { lastUsedAtMs } = await decode("key uses", KEY_USES_KEY, object);
  const isMap = typeof lastUsedAtMs === "object" && lastUsedAtMs !== null;
  const pairs = Object.entries(isMap ? lastUsedAtMs : {});
  if (isMap && pairs.every(([, time]) => typeof time === "number")) return new Map(pairs);
  throw corrupt("key uses", KEY_USES_KEY, "lastUsedAtMs");
}

type Check = (holds: boolean, member: string) => asserts holds;

function encode(kind: KeyFrameKind, object: ObjectKey, content: object): Promise<Uint8Array> {
  return encodeFrame({
    kind,
    object,
    version: FORMAT_VERSIONS[kind].newest,
    parts: [new TextEncoder().encode(JSON.stringify(content))],
    compression: "if smaller",
  });
}

async function decode(
  kind: KeyFrameKind,
  object: ObjectKey,
  bytes: Uint8Array,
): Promise<Readonly<Record<string, unknown>>> {
  const { payload } = await decodeFrame(bytes, { kind, object, ...FORMAT_VERSIONS[kind] });
  try {
    const content: unknown = JSON.parse(Buffer.from(payload).toString());
    if (typeof content === "object" && content !== null) return content as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw corrupt(kind, object, "JSON");
}

function corrupt(kind: KeyFrameKind, object: ObjectKey, what: string): DatabaseError {
  return new DatabaseError("corrupt", `cannot read ${kind} ${object}: it has no valid ${what}`);
}

function optionalNumber<Name extends string>(
  stored: Readonly<Record<string, unknown>>,
  name: Name,
  check: Check,
): { readonly [name in Name]?: number } {
  const value = stored[name];
  if (value === undefined) return {};
  check(typeof value === "number" && Number.isFinite(value), name);
  return { [name]: value } as { readonly [name in Name]?: number };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}

function isAction(text: string): boolean {
  return (KEY_ACTIONS as readonly string[]).includes(text);
}

function isPattern(text: string): boolean {
  return namespacePatternFault(text) === undefined;
}
