/**
 * Writing and reading of binary records. All integers are little-endian. A varint holds
 * 7 bits per byte, lowest first; the highest bit says that another byte follows (LEB128).
 */

import { assert } from "../base/assert.ts";
import { DatabaseError } from "../base/errors.ts";
import { withRoom } from "../base/with-room.ts";

const FIRST_CAPACITY = 256;
/** 8 bytes of 7 bits hold every safe integer (53 bits). */
const VARINT_BYTES_MAX = 8;

/** Appends values to memory that grows by doubling. */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #length = 0;

  /** `capacity` is a guess at the final length in bytes; a good one saves copies. */
  constructor(capacity = FIRST_CAPACITY) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Returns what was written: a view, valid until the next write. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  u8(value: number): void {
    const at = this.#claim(1);
    this.#view.setUint8(at, value);
  }

  u32(value: number): void {
    const at = this.#claim(4);
    this.#view.setUint32(at, value, true);
  }

  u64(value: bigint): void {
    const at = this.#claim(8);
    this.#view.setBigUint64(at, value, true);
  }

  /** Writes a safe integer from 0 on as a varint. */
  varint(value: number): void {
    assert(Number.isSafeInteger(value) && value >= 0, `${value} is no varint`);
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.u8(rest);
  }

  /** Writes the bytes alone; the reader must know how many. */
  raw(value: Uint8Array): void {
    const at = this.#claim(value.length);
    this.#bytes.set(value, at);
  }

  /** Writes the length as a varint, then the bytes. */
  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.raw(value);
  }

  /** Makes room, which may replace the memory: call it before touching `#bytes` or `#view`. */
  #claim(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      this.#bytes = withRoom(this.#bytes, this.#length);
      this.#view = new DataView(this.#bytes.buffer);
    }
    return at;
  }
}

/**
 * Reads what a `ByteWriter` wrote. The bytes come from storage, so each fault in them is an error
 * `corrupt` that names their object; nothing is read or allocated beyond their end.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #object: string;
  #at = 0;

  /** `object` is the key of the object that holds `bytes`, for errors. */
  constructor(bytes: Uint8Array, object: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#object = object;
  }

  /** Bytes not yet read. */
  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  /** Reads a varint; one that is no safe integer is damage. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < VARINT_BYTES_MAX; count++) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
      scale *= 0x80;
    }
    throw this.fault(`an integer before offset ${this.#at} is out of range`);
  }

  /** Returns a view of the next `count` bytes. */
  raw(count: number): Uint8Array {
    const at = this.#take(count);
    return this.#bytes.subarray(at, at + count);
  }

  /** Reads a length, and returns a view of as many bytes. */
  bytes(): Uint8Array {
    return this.raw(this.varint());
  }

  /** Throws if bytes are left over. */
  end(): void {
    if (this.remaining > 0) throw this.fault(`${this.remaining} bytes too many`);
  }

  /** Builds the error for a value that makes no sense, for throwing by the caller. */
  fault(what: string): DatabaseError {
    return new DatabaseError("corrupt", `cannot read ${this.#object}: ${what}`);
  }

  #take(count: number): number {
    const at = this.#at;
    if (count > this.#bytes.length - at) {
      throw this.fault(
        `${count} bytes wanted at offset ${at}, the end is at ${this.#bytes.length}`,
      );
    }
    this.#at = at + count;
    return at;
  }
}
