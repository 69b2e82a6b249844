/**
 * The keys that this server knows: the keys of the store, and the bootstrap key. It identifies the
 * caller of a request without a request of its own. While requests arrive, a timer has the keys of
 * the store read again, so that no request waits for them. A request that arrives after a pause
 * waits until they are read. So an idle server sends no requests to the store.
 */

import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type Clock, formatTime } from "../base/clock.ts";
import { DatabaseError, invalid } from "../base/errors.ts";
import type { StructuredLog } from "../base/structured-log.ts";
import { TurnQueue } from "../base/turn-queue.ts";
import { waitAtMost } from "../base/within-time.ts";
import { EVERY_NAMESPACE } from "../model/namespace-pattern.ts";
import { type ApiKey, KEY_ACTIONS, keyHash, keyId, shownKey } from "./api-key.ts";
import type { Caller } from "./caller.ts";
import { type KeyTimes, pickDeadKeys, StoreTime } from "./dead-keys.ts";
import { type KeyListing, type KeyStore, NO_KEYS, type StoredKey } from "./key-store.ts";
import { KEY_USES_MS, KeyUses } from "./key-uses.ts";
import {
  checkTokenTime,
  type QueryToken,
  TOKEN_CHARS_MAX,
  TOKEN_START,
  unknownSignature,
  verifyToken,
} from "./query-token.ts";

/**
 * Interval at which a server that has requests reads the changes of other servers: one request to
 * the store, usually without news. The rest of `KEY_AGE_MS_MAX` is for the response.
 */
export const KEY_POLL_MS = 1500;
/** Greatest age of the keys by which a request is admitted, as long as the store answers. */
export const KEY_AGE_MS_MAX = 2000;
/**
 * Longest time that a request waits for the keys to be read: a store that hangs must not stop all
 * reads.
 */
export const KEY_WAIT_MS_MAX = 5000;
/** Keys of a store that count; our choice. */
const KEYS_MAX = 10_000;
/** Tokens whose signature need not be computed again; some 10 KB each at most. */
const VERIFIED_TOKENS_MAX = 1000;
/** Keys that are removed at the same time. */
const REMOVALS_AT_ONCE = 32;

/** What a `KeyRing` is made of. */
export interface KeyRingOptions {
  readonly store: KeyStore;
  readonly clock: Clock;
  readonly log: StructuredLog;
  /** The text of a key with all rights that no store has; absent: there is none. */
  readonly bootstrapKey?: string | undefined;
}

/** See the file's head. */
export class KeyRing {
  readonly #options: KeyRingOptions;
  readonly #uses: KeyUses;
  readonly #bootstrap: ApiKey | undefined;
  /** Changes and listings run one after another: none works on what the other replaces. */
  readonly #turns = new TurnQueue(1);
  #listing: KeyListing = NO_KEYS;
  #byHash: ReadonlyMap<string, StoredKey>;
  readonly #storeTime = new StoreTime();
  /** Keys that this server has changed since it started: their times are those of its own clock. */
  readonly #ownChanges = new Set<string>();
  /** By the hash of their text. */
  readonly #verified = new LRUCache<string, QueryToken>({ max: VERIFIED_TOKENS_MAX });
  #polling: Promise<void> | undefined;
  /** The read in progress; resolves to whether it succeeded. */
  #looking: Promise<boolean> | undefined;
  /** Resolves when the read ends, or when requests have waited long enough. */
  #waiting: Promise<void> | undefined;
  /** When the last successful read began, and when the last read failed. */
  #readMs = Number.NEGATIVE_INFINITY;
  #failedMs = Number.NEGATIVE_INFINITY;
  /** A request has arrived since the last read began. */
  #isUsed = false;
  #isFailing = false;
  /** The store has a change that is not announced to other servers yet. */
  #owesAnnouncement = false;
  #usesWrittenMs: number;

  constructor(options: KeyRingOptions) {
    this.#options = options;
    this.#uses = new KeyUses(options.store, options.clock);
    this.#bootstrap = bootstrapOf(options.bootstrapKey);
    this.#usesWrittenMs = options.clock.monotonicMs();
    this.#byHash = this.#indexed();
  }

  /** Reads the keys for the first time. Throws if the store does not answer. */
  async open(): Promise<void> {
    const begunMs = this.#options.clock.monotonicMs();
    await this.#turns.run(() => this.#reload());
    this.#readMs = begunMs;
  }

  /**
   * Resolves when the keys are at most `KEY_AGE_MS_MAX` old; undefined: they are. To be awaited
   * before a request is identified. Where the store does not answer, the known keys stay in use: it
   * resolves after `KEY_WAIT_MS_MAX`, and requests that follow a failed look do not wait.
   */
  whenRecent(): Promise<void> | undefined {
    this.#isUsed = true;
    const sinceMs = Math.max(this.#readMs, this.#failedMs);
    if (this.#options.clock.monotonicMs() - sinceMs <= KEY_AGE_MS_MAX) return undefined;
    const looking = this.#look();
    this.#waiting ??= waitAtMost(this.#options.clock, looking, KEY_WAIT_MS_MAX);
    return this.#waiting;
  }

  /** Whether requests need a key. */
  get isLocked(): boolean {
    return this.#bootstrap !== undefined || this.#listing.hasHadKeys;
  }

  /**
   * Who has sent a request with this header. Throws `unauthorized`. Keys are found by their hash,
   * and hashes compared in constant time, so that nothing of a key can be read off the time.
   */
  identify(authorization: string | undefined): Caller {
    if (!this.isLocked) return { kind: "anyone" };
    const text = bearerOf(authorization);
    if (text.startsWith(TOKEN_START)) return this.#identifyToken(text);
    const hash = keyHash(text);
    const stored = this.#byHash.get(hash);
    if (stored === undefined || !isEqual(stored.key.hash, hash)) {
      throw new DatabaseError("unauthorized", "unknown API key");
    }
    const fault = this.#faultOf(stored);
    if (fault !== undefined) throw new DatabaseError("unauthorized", fault);
    this.#uses.note(stored.key.id);
    return { kind: "key", key: stored.key };
  }

  /** All keys of the store, and when they were last used. */
  async list(): Promise<
    { readonly stored: StoredKey; readonly lastUsedAtMs: number | undefined }[]
  > {
    const times = await this.#uses.times();
    return [...this.#listing.keys.values()].map((stored) => {
      return { stored, lastUsedAtMs: times.get(stored.key.id) };
    });
  }

  /**
   * Adds a key. It is valid at this server at once, and at others within `KEY_AGE_MS_MAX`, or later
   * if the announcement fails: the new key's text must not be lost because of that.
   */
  async add(key: ApiKey): Promise<void> {
    await this.#turns.run(async () => {
      this.#checkRoom(key);
      await this.#options.store.create(key);
      this.#change({ key });
      await this.#announce().catch((error: Error) => {
        const reason = error.message;
        this.#options.log("warn", "other servers hear later of a new API key", { reason });
      });
    });
  }

  /** Ends a key, for this server at once and for others within `KEY_AGE_MS_MAX`. */
  async revoke(id: string): Promise<ApiKey> {
    if (id === this.#bootstrap?.id) {
      throw invalid("💔 this is the key of --api-key: take it out of the server's settings");
    }
    return this.#turns.run(async () => {
      if (!this.#listing.keys.has(id)) await this.#reload();
      const stored = this.#listing.keys.get(id);
      if (stored === undefined) {
        throw new DatabaseError("not_found", `🤷 there is no key ${id}; list them for their ids`);
      }
      const { key, revocation = { atMs: this.#options.clock.nowMs() } } = stored;
      if (stored.revocation === undefined) {
        await this.#options.store.revoke(id, this.#options.clock.nowMs());
      }
      this.#change({ key, revocation });
      await this.#announce();
      return key;
    });
  }

  /**
   * Does what is due; to be called every `KEY_POLL_MS`. Costs no request to the store where no
   * request has arrived since the last call. Never throws.
   */
  async tick(): Promise<void> {
    if (this.#isUsed || this.#owesAnnouncement || this.#areUsesDue) await this.poll();
  }

  /** Reads the changes of other servers and announces its own. Never throws. */
  poll(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #poll(): Promise<void> {
    // After the read: a store that refuses puts must not delay revocations by other servers.
    if (!(await this.#look())) return;
    try {
      if (this.#owesAnnouncement) await this.#turns.run(() => this.#announce());
      if (this.#areUsesDue) await this.flushUses();
      if (this.#isFailing) this.#options.log("info", "API keys are read again");
      this.#isFailing = false;
    } catch (error) {
      this.#noteFailure(error);
    }
  }

  #look(): Promise<boolean> {
    this.#looking ??= this.#readChanges().finally(() => {
      this.#looking = undefined;
      this.#waiting = undefined;
    });
    return this.#looking;
  }

  async #readChanges(): Promise<boolean> {
    const { store, clock } = this.#options;
    const begunMs = clock.monotonicMs();
    this.#isUsed = false;
    try {
      if ((await store.changes()) !== this.#listing.nonce) {
        await this.#turns.run(() => this.#reload());
      }
      this.#readMs = begunMs;
      return true;
    } catch (error) {
      this.#failedMs = clock.monotonicMs();
      this.#noteFailure(error);
      return false;
    }
  }

  #noteFailure(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const message = "API keys cannot be read; those known stay";
    if (!this.#isFailing) this.#options.log("error", message, { reason });
    this.#isFailing = true;
  }

  get #areUsesDue(): boolean {
    const sinceMs = this.#options.clock.monotonicMs() - this.#usesWrittenMs;
    return this.#uses.areNoted && sinceMs >= KEY_USES_MS;
  }

  /** Writes down when keys were used. */
  async flushUses(): Promise<void> {
    this.#usesWrittenMs = this.#options.clock.monotonicMs();
    await this.#uses.flush(this.#listing.keys);
  }

  async #reload(): Promise<void> {
    this.#take(await this.#options.store.load(this.#listing));
    await this.#removeDead();
  }

  async #removeDead(): Promise<void> {
    const { store, log } = this.#options;
    const dead = pickDeadKeys(this.#listing.keys.values(), this.#times());
    if (dead.length === 0) return;
    const keys = new Map(this.#listing.keys);
    try {
      for (let start = 0; start < dead.length; start += REMOVALS_AT_ONCE) {
        const ids = dead.slice(start, start + REMOVALS_AT_ONCE);
        await Promise.all(ids.map((id) => store.remove(id)));
        for (const id of ids) keys.delete(id);
        this.#take({ ...this.#listing, keys });
      }
    } catch (error) {
      // They open nothing, and are removed the next time.
      const reason = (error as Error).message;
      log("warn", "API keys that ended long ago cannot be removed", { reason });
    }
  }

  /** What time it is, here and in the store; to be asked after each reading of the keys. */
  #times(): KeyTimes {
    const { clock } = this.#options;
    const monotonicMs = clock.monotonicMs();
    const all = [...this.#listing.keys.values()];
    // The first key of all was made by some clock, and none is known to be better.
    const isFirst = this.#storeTime.at(monotonicMs) === undefined;
    const told = all.filter(({ key }) => isFirst || !this.#ownChanges.has(key.id));
    this.#storeTime.read(told, monotonicMs);
    this.#storeTime.keepOnly(this.#listing.keys);
    for (const id of this.#ownChanges) if (!this.#listing.keys.has(id)) this.#ownChanges.delete(id);
    return { nowMs: clock.nowMs(), storeMs: this.#storeTime.at(monotonicMs) };
  }

  /** What was changed counts here from now on, also if the others cannot be told. */
  #change(changed: StoredKey): void {
    this.#ownChanges.add(changed.key.id);
    const keys = new Map(this.#listing.keys).set(changed.key.id, changed);
    // The nonce stays the old one: what others have changed meanwhile is found by the next look.
    this.#take({ keys, hasHadKeys: true, nonce: this.#listing.nonce });
    this.#owesAnnouncement = true;
  }

  async #announce(): Promise<void> {
    await this.#options.store.announce();
    this.#owesAnnouncement = false;
  }

  #take(listing: KeyListing): void {
    this.#listing = { ...listing, hasHadKeys: listing.hasHadKeys || this.#listing.hasHadKeys };
    this.#byHash = this.#indexed();
  }

  #indexed(): ReadonlyMap<string, StoredKey> {
    const bootstrap = this.#bootstrap === undefined ? [] : [{ key: this.#bootstrap }];
    const all: StoredKey[] = [...this.#listing.keys.values(), ...bootstrap];
    return new Map(all.map((stored) => [stored.key.hash, stored]));
  }

  #checkRoom(key: ApiKey): void {
    const live = [...this.#listing.keys.values()].filter(
      (stored) => this.#faultOf(stored) === undefined,
    );
    if (live.length >= KEYS_MAX) {
      throw invalid(`💔 there are ${live.length} keys, at most ${KEYS_MAX} fit; revoke some`);
    }
    if (this.#bootstrap !== undefined || key.actions.includes("admin")) return;
    if (live.some((stored) => stored.key.actions.includes("admin"))) return;
    throw invalid(
      "💔 the first key needs the action `admin`, since from then on every request needs a key, " +
        "and without such a one nobody could create or revoke any",
    );
  }

  #identifyToken(text: string): Caller {
    const nowMs = this.#options.clock.nowMs();
    // One that was verified need not be again; its time and its key are looked at each time.
    const hash = text.length <= TOKEN_CHARS_MAX ? keyHash(text) : "";
    const token =
      this.#verified.get(hash) ?? verifyToken(text, nowMs, (id) => this.#liveKey(id)?.hash);
    checkTokenTime(token, nowMs);
    const key = this.#liveKey(token.keyId);
    if (key === undefined) throw unknownSignature();
    this.#verified.set(hash, token);
    this.#uses.note(key.id);
    return { kind: "token", key, token };
  }

  /** The key with this id, if it counts. */
  #liveKey(id: string): ApiKey | undefined {
    if (id === this.#bootstrap?.id) return this.#bootstrap;
    const stored = this.#listing.keys.get(id);
    return stored && this.#faultOf(stored) === undefined ? stored.key : undefined;
  }

  /** Why a key does not count; only who has its text reads that. */
  #faultOf({ key, revocation }: StoredKey): string | undefined {
    if (revocation !== undefined) return `the ${shownKey(key)} was revoked`;
    const { expiresAtMs } = key;
    if (expiresAtMs === undefined || this.#options.clock.nowMs() < expiresAtMs) return undefined;
    return `the ${shownKey(key)} has expired at ${formatTime(expiresAtMs)}`;
  }
}

function bootstrapOf(text: string | undefined): ApiKey | undefined {
  if (text === undefined) return undefined;
  const hash = keyHash(text);
  return {
    id: keyId(hash),
    hash,
    name: "--api-key",
    // It may be short, or a word: no part of it is shown.
    lastFour: "",
    actions: KEY_ACTIONS,
    namespaces: [EVERY_NAMESPACE],
    createdAtMs: 0,
  };
}

/** The scheme and the space after it, in lower case. */
const BEARER = "bearer ";

function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new DatabaseError(
      "unauthorized",
      "missing API key: this server needs the header `Authorization: Bearer <API key>`",
    );
  }
  const text = authorization.slice(BEARER.length).trim();
  const isBearer = authorization.slice(0, BEARER.length).toLowerCase() === BEARER;
  if (isBearer && text !== "" && !/\s/.test(text)) return text;
  throw new DatabaseError(
    "unauthorized",
    "malformed `Authorization` header: it must be `Bearer <API key>`",
  );
}

function isEqual(hash: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hash), Buffer.from(other));
}
