/** Ids in the form in which hash tables hold them: hashed and compared without being decoded. */

import { assert } from "../../base/assert.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import { buildIds } from "../../codec/columns-builder.ts";
import type { IdType } from "../../model/attribute-type.ts";
import type { ColumnData } from "../../model/columns.ts";
import { UUID_BYTES } from "../../model/uuid.ts";
import type { DocumentId } from "../../model/value.ts";

/** Ids that are hashed between two pauses. */
const STEP_IDS = 4096;

/** Ids that can be hashed and compared without being decoded. */
export interface IdKeys {
  readonly count: number;
  /** 32 bits, the same for equal ids of one type. Clients can choose ids of one hash. */
  hash(index: number): number;
  /** `other` is of the same id type. */
  equals(index: number, other: IdKeys, otherIndex: number): boolean;
  /** A total order, which may differ from the order of values; `other` is of the same id type. */
  compare(index: number, other: IdKeys, otherIndex: number): number;
}

/** Makes keys of the first `count` ids. */
export function idKeys(ids: ColumnData, count: number): IdKeys {
  if (ids.kind === "string") return new StringKeys(ids.offsets, ids.bytes, count);
  if (ids.kind === "u64") {
    const { buffer, byteOffset } = ids.values;
    return new WordKeys(new Uint32Array(buffer, byteOffset, 2 * count), 2, count);
  }
  assert(ids.kind === "uuid", `no ids are of kind ${ids.kind}`);
  const bytes = ids.bytes.byteOffset % 4 === 0 ? ids.bytes : Uint8Array.from(ids.bytes);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, (UUID_BYTES / 4) * count);
  return new WordKeys(words, UUID_BYTES / 4, count);
}

/** Ids made ready for looking them up in many segments. */
export interface HashedIds {
  readonly ids: readonly DocumentId[];
  readonly keys: IdKeys;
  readonly hashes: Uint32Array;
}

/** Makes ids ready; they are of the type. */
export function hashIds(idType: IdType, ids: readonly DocumentId[]): HashedIds {
  const keys = idKeys(buildIds(idType, ids), ids.length);
  return { ids, keys, hashes: runSteps(hashKeys(keys)) };
}

/** Hashes of all keys, for looking the same ids up in several segments. */
export function* hashKeys(keys: IdKeys): Steps<Uint32Array> {
  const hashes = new Uint32Array(keys.count);
  for (let i = 0; i < hashes.length; i++) {
    if (i % STEP_IDS === 0) yield;
    hashes[i] = keys.hash(i);
  }
  return hashes;
}

/** Ids of a fixed number of 32-bit words. */
class WordKeys implements IdKeys {
  readonly count: number;
  readonly words: Uint32Array;
  readonly #width: number;

  constructor(words: Uint32Array, width: number, count: number) {
    this.words = words;
    this.#width = width;
    this.count = count;
  }

  hash(index: number): number {
    let hash = 0x9e37_79b9;
    for (let i = 0; i < this.#width; i++) hash = mix(hash, this.words[index * this.#width + i]);
    return finish(hash);
  }

  equals(index: number, other: IdKeys, otherIndex: number): boolean {
    assert(other instanceof WordKeys, "compared ids differ in type");
    const width = this.#width;
    for (let i = 0; i < width; i++) {
      if (this.words[index * width + i] !== other.words[otherIndex * width + i]) return false;
    }
    return true;
  }

  compare(index: number, other: IdKeys, otherIndex: number): number {
    assert(other instanceof WordKeys, "compared ids differ in type");
    const width = this.#width;
    for (let i = 0; i < width; i++) {
      const order = this.words[index * width + i] - other.words[otherIndex * width + i];
      if (order !== 0) return order;
    }
    return 0;
  }
}

class StringKeys implements IdKeys {
  readonly count: number;
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;

  constructor(offsets: Uint32Array, bytes: Uint8Array, count: number) {
    this.offsets = offsets;
    this.bytes = bytes;
    this.count = count;
  }

  hash(index: number): number {
    const end = this.offsets[index + 1];
    let hash = 0x9e37_79b9;
    for (let i = this.offsets[index]; i < end; i++)
      hash = Math.imul(hash ^ this.bytes[i], FNV_PRIME);
    return finish(hash);
  }

  equals(index: number, other: IdKeys, otherIndex: number): boolean {
    assert(other instanceof StringKeys, "compared ids differ in type");
    const start = this.offsets[index];
    const otherStart = other.offsets[otherIndex];
    const length = this.offsets[index + 1] - start;
    if (other.offsets[otherIndex + 1] - otherStart !== length) return false;
    for (let i = 0; i < length; i++) {
      if (this.bytes[start + i] !== other.bytes[otherStart + i]) return false;
    }
    return true;
  }

  compare(index: number, other: IdKeys, otherIndex: number): number {
    assert(other instanceof StringKeys, "compared ids differ in type");
    const start = this.offsets[index];
    const otherStart = other.offsets[otherIndex];
    const length = this.offsets[index + 1] - start;
    const otherLength = other.offsets[otherIndex + 1] - otherStart;
    for (let i = 0; i < Math.min(length, otherLength); i++) {
      const order = this.bytes[start + i] - other.bytes[otherStart + i];
      if (order !== 0) return order;
    }
    return length - otherLength;
  }
}

/** Prime of the 32-bit FNV-1a hash. */
const FNV_PRIME = 0x0100_0193;

/** One round of MurmurHash3 (32 bits). */
function mix(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e_2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b87_3593);
  const h = hash ^ k;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe654_6b64) | 0;
}

/** The finalizer of MurmurHash3 (32 bits). */
function finish(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
