/**
 * Tokens for queries of one namespace under a forced filter, for browsers and tenants. A key's
 * holder makes them without a server:
 *
 *     tput_<payload>.<signature>
 *
 *     payload    base64url of JSON, in UTF-8: {"v":1,"k":…,"n":…,"f":…,"e":…}
 *                  v  the version of this layout: 1
 *                  k  id of the key: the first 16 hex digits of
 *                     SHA-256("trawl key id " + hash), where hash is SHA-256(key) in hex
 *                  n  the namespace
 *                  f  the filter as a string of JSON
 *                  e  when the token expires, in seconds since the epoch
 *     signature  base64url of HMAC-SHA256(secret, "tput_" + payload as it stands), where secret is
 *                  the bytes of HMAC-SHA256(hash in hex, "trawl query token 1")
 *
 * Base64url is without padding. The secret follows from the hash, which is all that a server has of
 * a key; who can read the objects under `keys/` can therefore sign, but make no key of it.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import { DatabaseError } from "../base/errors.ts";
import { namespaceNameFault } from "../base/ids.ts";
import { isKeyId, keyHash, keyId } from "./api-key.ts";

/** What a token says. */
export interface QueryToken {
  readonly keyId: string;
  readonly namespace: string;
  /** JSON. */
  readonly filter: string;
  readonly expiresAtMs: number;
}

/** How tokens begin, and no key does. */
export const TOKEN_START = "tput_";
/** Longest token, in characters: headers have 16 KiB together. */
export const TOKEN_CHARS_MAX = 8192;
/** How far ahead a token may expire: nothing else ends one but its key's revocation. */
export const TOKEN_MS_MAX = 31 * 86_400_000;

const VERSION = 1;
const MEMBERS: ReadonlySet<string> = new Set(["v", "k", "n", "f", "e"]);
const TOKEN = /^tput_([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/;

/** Makes a token; `key` is the text of the key that it stands under. */
export function signToken(
  key: string,
  { namespace, filter, expiresAtMs }: Omit<QueryToken, "keyId">,
): string {
  return signTokenByHash(keyHash(key), { namespace, filter, expiresAtMs });
}

/** Makes a token of the key with this hash. Throws `invalid` for one that is too long. */
export function signTokenByHash(
  hash: string,
  { namespace, filter, expiresAtMs }: Omit<QueryToken, "keyId">,
): string {
  const e = Math.floor(expiresAtMs / 1000);
  const payload = { v: VERSION, k: keyId(hash), n: namespace, f: filter, e };
  const head = TOKEN_START + Buffer.from(JSON.stringify(payload)).toString("base64url");
  const token = `${head}.${signatureOf(hash, head)}`;
  if (token.length <= TOKEN_CHARS_MAX) return token;
  throw new DatabaseError(
    "invalid",
    `💔 the token would have ${token.length} characters, at most ${TOKEN_CHARS_MAX} are read; ` +
      "shorten its filter",
  );
}

/**
 * Reads a token and checks its signature and its time. `hashOf` finds the hash of the key with an
 * id. Throws `unauthorized` for anything that is not just as it was signed.
 */
export function verifyToken(
  text: string,
  nowMs: number,
  hashOf: (keyId: string) => string | undefined,
): QueryToken {
  const parts = text.length > TOKEN_CHARS_MAX ? null : TOKEN.exec(text);
  if (parts === null) throw refused("it is not of the form tput_<payload>.<signature>");
  const [, payload, signature] = parts;
  const token = readPayload(payload);
  const hash = token && hashOf(token.keyId);
  // Of a key that is not known nothing is told apart from a wrong signature.
  if (token === undefined || hash === undefined) throw unknownSignature();
  const expected = signatureOf(hash, TOKEN_START + payload);
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) throw unknownSignature();
  checkTokenTime(token, nowMs);
  return token;
}

/** Throws `unauthorized` unless a token is good at this time. */
export function checkTokenTime({ expiresAtMs }: QueryToken, nowMs: number): void {
  if (expiresAtMs <= nowMs) throw refused("it has expired; ask for a new one");
  if (expiresAtMs <= nowMs + TOKEN_MS_MAX) return;
  throw refused(`it expires more than ${TOKEN_MS_MAX / 86_400_000} days ahead`);
}

/** The error for a token that no key has signed which counts now. */
export function unknownSignature(): DatabaseError {
  return refused("its signature is none of a key");
}

function signatureOf(hash: string, head: string): string {
  const secret = createHmac("sha256", hash).update("trawl query token 1").digest();
  return createHmac("sha256", secret).update(head).digest("base64url");
}

/** What a payload says; undefined unless it has all members, of the right kind, and no other. */
function readPayload(payload: string): QueryToken | undefined {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(payload, "base64url").toString());
  } catch {
    return undefined;
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) return undefined;
  const { v, k, n, f, e } = read as Readonly<Record<string, unknown>>;
  if (Object.keys(read).some((name) => !MEMBERS.has(name)) || v !== VERSION) return undefined;
  if (typeof k !== "string" || !isKeyId(k) || typeof f !== "string") return undefined;
  if (typeof n !== "string" || namespaceNameFault(n) !== undefined) return undefined;
  if (typeof e !== "number" || !Number.isFinite(e)) return undefined;
  return { keyId: k, namespace: n, filter: f, expiresAtMs: e * 1000 };
}

function refused(why: string): DatabaseError {
  return new DatabaseError("unauthorized", `the query token is not valid: ${why}`);
}
