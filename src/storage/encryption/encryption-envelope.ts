/**
 * Layout of an encrypted object. Integers are little-endian. Version 1:
 *
 *     offset  size  meaning
 *          0     4  "TREN"
 *          4     2  version of this layout
 *          6     2  length of the key's name in bytes
 *          8     2  length of the wrapped data key in bytes
 *         10     2  length of the context in bytes; 0: uses of the key have no context
 *         12     8  length of the body in bytes
 *         20   256  name of the customer's key, UTF-8, zeros behind
 *        276   700  data key, wrapped by the customer's key, zeros behind; where there is a context
 *                   it has 188 bytes, and behind it are 512 of the context as JSON in UTF-8, with
 *                   zeros behind
 *        976    44  zero
 *       1020     4  CRC-32 of all of the above
 *       1024        chunks of 64 KiB of body, the last one shorter, at least one:
 *                   ciphertext of the same length, then a tag of 16 bytes
 *
 * Development versions before 0.2.0 wrote "TRWE": such an object is `too_old`.
 *
 * The cipher is AES-256-GCM. The data key is new for each put, so a chunk's nonce is its number.
 * Each chunk authenticates SHA-256(head, object's key): chunks cannot be swapped, nor cut off,
 * since the head has the length; nor can an object be passed off as another one. The head has a
 * fixed size, so that the place of a range is known before the head is.
 */

import { createCipheriv, createDecipheriv } from "node:crypto";
import { crc32 } from "node:zlib";
import { assert } from "../../base/assert.ts";
import { OBJECT_BYTES_MAX } from "../../base/byte-sizes.ts";
import { DatabaseError } from "../../base/errors.ts";
import { DEVELOPMENT_FORMAT, FORMAT_VERSIONS } from "../../base/format-versions.ts";
import { type Pieces, piecesBytes } from "../../base/pieces.ts";
import {
  ENCRYPTION_CONTEXT_BYTES_MAX,
  type EncryptionContext,
  encryptionContextText,
} from "../../model/encryption-context.ts";

/** Longest name of a customer-managed key; it must fit the head of an encrypted object. */
const KEY_NAME_BYTES_MAX = 256;
/** Longest wrapped data key that a key service may return; cloud services stay under 600. */
const WRAPPED_KEY_BYTES_MAX = 700;

/** Size of the head of an encrypted object; its chunks follow. */
export const ENVELOPE_HEAD_BYTES = 1024;

const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const CIPHER = "aes-256-gcm";
const VERSION = FORMAT_VERSIONS.encryption.newest;
const MAGIC = "TREN";
const DEVELOPMENT_MAGIC = "TRWE";
const KEY_NAME_AT = 20;
const WRAPPED_KEY_AT = KEY_NAME_AT + KEY_NAME_BYTES_MAX;
const CONTEXT_AT = WRAPPED_KEY_AT + WRAPPED_KEY_BYTES_MAX - ENCRYPTION_CONTEXT_BYTES_MAX;
const CRC_AT = ENVELOPE_HEAD_BYTES - 4;

/** Size of a full chunk as it is read and as it is stored. */
export const SEALED_CHUNK_BYTES = { plain: 65_536, sealed: 65_536 + TAG_BYTES } as const;

/** What the head of an encrypted object says. */
export interface EnvelopeHead {
  readonly keyName: string;
  readonly keyContext?: EncryptionContext | undefined;
  readonly wrappedKey: Uint8Array;
  readonly bodyBytes: number;
}

/** What chunks are encrypted with. */
export interface ChunkSecret {
  readonly dataKey: Uint8Array;
  /** Authenticated with each chunk. */
  readonly context: Uint8Array;
}

/**
 * Tells whether `bytes` begin an encrypted object, even one of a development version; no other
 * object begins so.
 */
export function isEnvelope(bytes: Uint8Array): boolean {
  const magic = magicOf(bytes);
  return magic === MAGIC || magic === DEVELOPMENT_MAGIC;
}

function magicOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, MAGIC.length)).toString("latin1");
}

/**
 * Encodes a head; `keyName` has been accepted by the key service, so its length is no user's fault.
 */
export function encodeEnvelopeHead(head: EnvelopeHead): Uint8Array {
  const keyName = Buffer.from(head.keyName, "utf8");
  assert(keyName.length <= KEY_NAME_BYTES_MAX, `key name of ${keyName.length} bytes`);
  const { keyContext } = head;
  const context = Buffer.from(keyContext ? encryptionContextText(keyContext) : "", "utf8");
  assert(context.length <= ENCRYPTION_CONTEXT_BYTES_MAX, `context of ${context.length} bytes`);
  const wrappedBytes = head.wrappedKey.length;
  const wrappedBytesMax = wrappedKeyBytesMax(keyContext !== undefined);
  assert(wrappedBytes <= wrappedBytesMax, `wrapped key of ${wrappedBytes} bytes`);

  const bytes = Buffer.alloc(ENVELOPE_HEAD_BYTES);
  bytes.write(MAGIC, "latin1");
  bytes.writeUInt16LE(VERSION, 4);
  bytes.writeUInt16LE(keyName.length, 6);
  bytes.writeUInt16LE(wrappedBytes, 8);
  bytes.writeUInt16LE(context.length, 10);
  bytes.writeBigUInt64LE(BigInt(head.bodyBytes), 12);
  bytes.set(keyName, KEY_NAME_AT);
  bytes.set(head.wrappedKey, WRAPPED_KEY_AT);
  bytes.set(context, CONTEXT_AT);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CRC_AT)), CRC_AT);
  return bytes;
}

/** Decodes a head, or throws `corrupt`, `too_new` or `too_old`, naming the object. */
export function decodeEnvelopeHead(headBytes: Uint8Array, object: string): EnvelopeHead {
  const fault = (what: string) =>
    new DatabaseError("corrupt", `cannot read ${object}: encryption head ${what}`);
  if (headBytes.length < ENVELOPE_HEAD_BYTES) throw fault(`has ${headBytes.length} bytes only`);

  const { buffer, byteOffset } = headBytes;
  const bytes = Buffer.from(buffer, byteOffset, ENVELOPE_HEAD_BYTES);
  if (crc32(bytes.subarray(0, CRC_AT)) !== bytes.readUInt32LE(CRC_AT)) {
    throw fault("does not match its checksum");
  }
  if (magicOf(bytes) === DEVELOPMENT_MAGIC) {
    throw new DatabaseError("too_old", `cannot read ${object}: ${DEVELOPMENT_FORMAT}`);
  }
  const version = bytes.readUInt16LE(4);
  if (version > VERSION) {
    const what = `encryption version ${version}, this server reads ${VERSION}`;
    throw new DatabaseError("too_new", `cannot read ${object}: ${what}`);
  }
  const nameBytes = bytes.readUInt16LE(6);
  const wrappedBytes = bytes.readUInt16LE(8);
  const contextBytes = bytes.readUInt16LE(10);
  const hasContext = contextBytes > 0;
  const bodyBytes = Number(bytes.readBigUInt64LE(12));
  if (
    version < VERSION ||
    nameBytes > KEY_NAME_BYTES_MAX ||
    wrappedBytes > wrappedKeyBytesMax(hasContext) ||
    contextBytes > ENCRYPTION_CONTEXT_BYTES_MAX ||
    bodyBytes > OBJECT_BYTES_MAX
  ) {
    throw fault("has impossible lengths");
  }
  const keyName = bytes.toString("utf8", KEY_NAME_AT, KEY_NAME_AT + nameBytes);
  const wrappedKey = bytes.subarray(WRAPPED_KEY_AT, WRAPPED_KEY_AT + wrappedBytes);
  if (!hasContext) return { keyName, wrappedKey, bodyBytes };
  const context = bytes.toString("utf8", CONTEXT_AT, CONTEXT_AT + contextBytes);
  return { keyName, wrappedKey, bodyBytes, keyContext: parseContext(context, fault) };
}

/** A context takes its place from the wrapped key. */
function wrappedKeyBytesMax(hasContext: boolean): number {
  return hasContext ? CONTEXT_AT - WRAPPED_KEY_AT : WRAPPED_KEY_BYTES_MAX;
}

function parseContext(text: string, fault: (what: string) => DatabaseError): EncryptionContext {
  try {
    return JSON.parse(text);
  } catch {
    throw fault("has a damaged context");
  }
}

/** Encrypts a body and returns the whole object, head included, in one allocation. */
export function sealChunks(head: Uint8Array, body: Pieces, secret: ChunkSecret): Uint8Array {
  const bodyBytes = piecesBytes(body);
  const count = Math.max(1, Math.ceil(bodyBytes / SEALED_CHUNK_BYTES.plain));
  const out = new Uint8Array(head.length + bodyBytes + count * TAG_BYTES);
  out.set(head);
  let at = head.length;
  let number = 0;
  for (const chunk of chunksOf(body)) {
    const cipher = createCipheriv(CIPHER, secret.dataKey, nonceOf(number++));
    cipher.setAAD(secret.context);
    const sealed = cipher.update(chunk);
    cipher.final();
    out.set(sealed, at);
    out.set(cipher.getAuthTag(), at + sealed.length);
    at += sealed.length + TAG_BYTES;
  }
  return out;
}

/** The chunks of a body, at least one; each is valid until the next is taken. */
function* chunksOf(body: Pieces): Generator<Uint8Array> {
  const buffer = new Uint8Array(SEALED_CHUNK_BYTES.plain);
  let filled = 0;
  let count = 0;
  for (const piece of body) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + buffer.length - filled);
      buffer.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < buffer.length) continue;
      yield buffer;
      count++;
      filled = 0;
    }
  }
  if (filled > 0 || count === 0) yield buffer.subarray(0, filled);
}

/**
 * Decrypts the chunks from number `first` on that `sealed` holds whole. Returns undefined if one of
 * them is not what was written there.
 */
export function openChunks(
  sealed: Uint8Array,
  { dataKey, context, first }: ChunkSecret & { readonly first: number },
): Uint8Array | undefined {
  const count = Math.ceil(sealed.length / SEALED_CHUNK_BYTES.sealed);
  const plainBytes = sealed.length - count * TAG_BYTES;
  if (count === 0 || plainBytes < 0) return undefined;

  const out = new Uint8Array(plainBytes);
  for (let index = 0; index < count; index++) {
    const start = index * SEALED_CHUNK_BYTES.sealed;
    const chunk = sealed.subarray(start, start + SEALED_CHUNK_BYTES.sealed);
    if (chunk.length < TAG_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, dataKey, nonceOf(first + index), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(context).setAuthTag(chunk.subarray(-TAG_BYTES));
    try {
      out.set(decipher.update(chunk.subarray(0, -TAG_BYTES)), index * SEALED_CHUNK_BYTES.plain);
      decipher.final();
    } catch {
      return undefined;
    }
  }
  return out;
}

function nonceOf(chunk: number): Uint8Array {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32LE(chunk, 0);
  return nonce;
}
