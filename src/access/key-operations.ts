/** What requests about keys and tokens do. */

import type { Clock } from "../base/clock.ts";
import { formatTime } from "../base/clock.ts";
import { DatabaseError, type ErrorCode, invalid } from "../base/errors.ts";
import type { Random } from "../base/random.ts";
import { withinTime } from "../base/within-time.ts";
import { type ApiKey, keyHash, keyId, newKeyText } from "./api-key.ts";
import { authorize, type Caller } from "./caller.ts";
import { keyJson, parseKeyRequest, parseTokenRequest } from "./key-requests.ts";
import type { KeyRing } from "./key-ring.ts";
import { signTokenByHash } from "./query-token.ts";

/** Longest wait of a request about keys for the object store. */
export const KEY_REQUEST_MS_MAX = 120_000;

/** A finished operation. */
export interface KeyOutcome {
  /** To be answered as JSON. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The key that was made, ended or used, as the audit names it. */
  readonly target?: string;
}

/** What operations work with. */
export interface KeyOperationsOptions {
  readonly ring: KeyRing;
  readonly clock: Clock;
  readonly random: Random;
}

/** See the file's head. */
export class KeyOperations {
  readonly #options: KeyOperationsOptions;

  constructor(options: KeyOperationsOptions) {
    this.#options = options;
  }

  /** Makes a key. Its text is in the answer, and nowhere else. */
  async create(body: Uint8Array): Promise<KeyOutcome> {
    const { ring, clock, random } = this.#options;
    const request = parseKeyRequest(body, clock.nowMs());
    const text = newKeyText(random);
    const hash = keyHash(text);
    const key: ApiKey = { ...request, id: keyId(hash), hash, lastFour: text.slice(-4) };
    const unknown = `whether the key ${key.id} was made is unknown; list the keys, and revoke it`;
    await this.#inTime(ring.add(key), "unavailable", unknown);
    return { json: { key: text, ...keyJson({ key }) }, target: key.id };
  }

  /** Shows all keys of the store, the newest first. */
  async list(): Promise<KeyOutcome> {
    const all = await this.#inTime(this.#options.ring.list(), "timed_out", "retry later");
    all.sort((a, b) => b.stored.key.createdAtMs - a.stored.key.createdAtMs);
    return { json: { keys: all.map(({ stored, lastUsedAtMs }) => keyJson(stored, lastUsedAtMs)) } };
  }

  /** Ends a key, and with it its tokens. */
  async revoke(id: string): Promise<KeyOutcome> {
    const unknown = "whether the key was revoked is unknown; list the keys, and revoke it again";
    const key = await this.#inTime(this.#options.ring.revoke(id), "unavailable", unknown);
    return { json: { status: "OK", id: key.id, name: key.name }, target: key.id };
  }

  #inTime<T>(work: Promise<T>, code: ErrorCode, advice: string): Promise<T> {
    const seconds = KEY_REQUEST_MS_MAX / 1_000;
    const message = `💔 the object store has not answered for ${seconds} seconds: ${advice}`;
    const late = () => new DatabaseError(code, message);
    return withinTime(this.#options.clock, work, { ms: KEY_REQUEST_MS_MAX, late });
  }

  /** Signs a token under the key of the request. */
  issueToken(body: Uint8Array, caller: Caller): KeyOutcome {
    if (caller.kind === "anyone") {
      throw invalid(
        "💔 tokens are signed with the key of the request, and this server has no keys: create " +
          "one with POST /trawl/keys",
      );
    }
    if (caller.kind === "token") {
      throw new DatabaseError("forbidden", "a token may only query; tokens are signed with keys");
    }
    const request = parseTokenRequest(body, this.#options.clock.nowMs());
    authorize(caller, {
      actions: ["read"],
      namespaces: { kind: "one", name: request.namespace },
      what: "to sign tokens for it",
      isQuery: false,
    });
    const expires_at = formatTime(Math.floor(request.expiresAtMs / 1000) * 1000);
    const token = signTokenByHash(caller.key.hash, request);
    return { json: { token, namespace: request.namespace, expires_at }, target: request.namespace };
  }
}
