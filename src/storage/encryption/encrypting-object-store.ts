import { createHash } from "node:crypto";
import { assert } from "../../base/assert.ts";
import { DatabaseError } from "../../base/errors.ts";
import { piecesBytes } from "../../base/pieces.ts";
import type { Random } from "../../base/random.ts";
import type { EncryptionContext } from "../../model/encryption-context.ts";
import type { ByteSpan } from "../byte-ranges.ts";
import { NEAR_RANGE_BYTES } from "../byte-ranges.ts";
import {
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
  type PutCondition,
  type PutOutcome,
  piecesOf,
  type ReadTrace,
} from "../object-store.ts";
import { StoreDecorator } from "../store-decorator.ts";
import {
  decodeEnvelopeHead,
  ENVELOPE_HEAD_BYTES,
  type EnvelopeHead,
  encodeEnvelopeHead,
  isEnvelope,
  openChunks,
  SEALED_CHUNK_BYTES,
  sealChunks,
} from "./encryption-envelope.ts";
import { DATA_KEY_BYTES, type KeyService } from "./key-service.ts";
import type { SegmentHeads } from "./segment-heads.ts";

/** What an `EncryptingObjectStore` needs. */
export interface EncryptingObjectStoreOptions {
  readonly store: ObjectStore;
  readonly keys: KeyService;
  readonly random: Random;
  /** Heads of the store's segments; stores over the same objects share them. */
  readonly heads: SegmentHeads;
  /** Key for what is written from now on; undefined writes as it comes. */
  readonly keyName: string | undefined;
  /** What each use of that key is bound to. */
  readonly keyContext?: EncryptionContext | undefined;
}

/**
 * Encrypts what it writes and decrypts what it reads (layout: encryption-envelope.ts). Each object
 * names its own key, so objects of several keys, and ones from before there was a key, are read
 * alike.
 *
 * A range costs two requests at the same time, so that it takes no longer than a plain one, and
 * brings a little more than was asked for; of a segment, that is remembered, only the first does.
 * It may report damage for an object that is replaced in this very moment; immutable ones have no
 * such moment.
 */
export class EncryptingObjectStore extends StoreDecorator {
  readonly #keys: KeyService;
  readonly #random: Random;
  readonly #keyName: string | undefined;
  readonly #keyContext: EncryptionContext | undefined;
  readonly #heads: SegmentHeads;

  constructor(options: EncryptingObjectStoreOptions) {
    const { store, keys, random, heads, keyName, keyContext } = options;
    super(store);
    this.#heads = heads;
    this.#keys = keys;
    this.#random = random;
    this.#keyName = keyName;
    this.#keyContext = keyContext;
  }

  override async get(key: ObjectKey): Promise<Uint8Array | undefined> {
    const stored = await this.store.get(key);
    if (stored === undefined || !isEnvelope(stored)) return stored;

    const headBytes = stored.subarray(0, ENVELOPE_HEAD_BYTES);
    const head = decodeEnvelopeHead(headBytes, key);
    const dataKey = await this.#unwrap(head, key);
    const sealed = stored.subarray(ENVELOPE_HEAD_BYTES);
    const body = openChunks(sealed, { dataKey, context: contextOf(headBytes, key), first: 0 });
    if (body?.length !== head.bodyBytes) throw damaged(key);
    return body;
  }

  override async getRange(
    key: ObjectKey,
    start: number,
    end: number,
    trace?: ReadTrace,
  ): Promise<Uint8Array | undefined> {
    const first = Math.floor(start / SEALED_CHUNK_BYTES.plain);
    const afterLast = Math.max(first + 1, Math.ceil(end / SEALED_CHUNK_BYTES.plain));
    const sealedAt = (chunk: number) => ENVELOPE_HEAD_BYTES + chunk * SEALED_CHUNK_BYTES.sealed;
    const spans = {
      plain: { start, end },
      sealed: { start: sealedAt(first), end: sealedAt(afterLast) },
    };
    const found = await this.#readSpan(key, spans, trace);
    if (found === undefined) return undefined;
    const { headBytes, bytes } = found;
    if (!isEnvelope(headBytes)) return bytes;

    const head = decodeEnvelopeHead(headBytes, key);
    const dataKey = await this.#unwrap(head, key);
    const wantedEnd = Math.min(end, head.bodyBytes);
    if (start >= wantedEnd) return new Uint8Array(0);
    const body = openChunks(bytes, { dataKey, context: contextOf(headBytes, key), first });
    const offset = first * SEALED_CHUNK_BYTES.plain;
    if (body === undefined || offset + body.length < wantedEnd) throw damaged(key);
    return body.subarray(start - offset, wantedEnd - offset);
  }

  override async put(
    key: ObjectKey,
    body: ObjectBody,
    condition: PutCondition,
  ): Promise<PutOutcome> {
    if (this.#keyName === undefined) return this.store.put(key, body, condition);

    const plain = piecesOf(body);
    const dataKey = this.#random.bytes(DATA_KEY_BYTES);
    const keyContext = this.#keyContext;
    const wrappedKey = await this.#keys.wrap(this.#keyName, dataKey, keyContext);
    const head = { keyName: this.#keyName, keyContext, wrappedKey, bodyBytes: piecesBytes(plain) };
    const headBytes = encodeEnvelopeHead(head);
    const context = contextOf(headBytes, key);
    return this.store.put(key, sealChunks(headBytes, plain, { dataKey, context }), condition);
  }

  /**
   * Reads how an object begins and one of two spans of it, by whether it is encrypted. While that
   * is not known one read has both of them, which lie close to each other.
   */
  async #readSpan(
    key: ObjectKey,
    spans: { readonly plain: ByteSpan; readonly sealed: ByteSpan },
    trace: ReadTrace | undefined,
  ): Promise<{ headBytes: Uint8Array; bytes: Uint8Array } | undefined> {
    const { plain, sealed } = spans;
    const known = trace?.isAnew === true ? undefined : this.#heads.get(key);
    const wanted = (headBytes: Uint8Array) => (isEnvelope(headBytes) ? sealed : plain);
    const read = known === undefined ? unionOf(plain, sealed) : wanted(known);
    const hasHead = known === undefined && read.start === 0;
    const [head, bytes] = await Promise.all([
      hasHead ? undefined : (known ?? this.store.getRange(key, 0, ENVELOPE_HEAD_BYTES, trace)),
      this.store.getRange(key, read.start, read.end, trace),
    ]);
    if (bytes === undefined) return undefined;
    const headBytes = hasHead ? bytes.subarray(0, ENVELOPE_HEAD_BYTES) : head;
    if (headBytes === undefined) return undefined;
    if (known === undefined) this.#heads.set(key, headBytes);
    const { start, end } = wanted(headBytes);
    return {
      headBytes,
      bytes: bytes.subarray(start - read.start, Math.max(start, end) - read.start),
    };
  }

  async #unwrap(head: EnvelopeHead, key: ObjectKey): Promise<Uint8Array> {
    try {
      const dataKey = await this.#keys.unwrap(head.keyName, head.wrappedKey, head.keyContext);
      assert(dataKey.length === DATA_KEY_BYTES, `data key of ${dataKey.length} bytes`);
      return dataKey;
    } catch (cause) {
      if (!(cause instanceof DatabaseError)) throw cause;
      throw new DatabaseError(cause.code, `cannot read ${key}: ${cause.message}`, { cause });
    }
  }
}

/** Both spans; from the object's start on if that is near, so that its head need not be read. */
function unionOf(a: ByteSpan, b: ByteSpan): ByteSpan {
  const start = Math.min(a.start, b.start);
  return { start: start < NEAR_RANGE_BYTES ? 0 : start, end: Math.max(a.end, b.end) };
}

/** What every chunk is bound to: this head, with the length, under this key. */
function contextOf(headBytes: Uint8Array, key: ObjectKey): Uint8Array {
  return createHash("sha256").update(headBytes).update(key, "utf8").digest();
}

function damaged(key: ObjectKey): DatabaseError {
  const what = "its encrypted bytes were changed, cut, or moved from another object";
  return new DatabaseError("corrupt", `cannot read ${key}: ${what}`);
}
