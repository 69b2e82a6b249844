import { FLOAT32_BYTES_MAX, Float32Decimal } from "./float32-decimal.ts";

const BYTES_MIN = 1024;
/** Strings up to this length are copied character by character; longer ones by one native call. */
const SHORT_CHARS_MAX = 24;

/** What JSON escapes: quote, backslash, controls, and lone surrogates, which UTF-8 cannot hold. */
const ESCAPED = /["\\\p{Cc}]|\p{Cs}/u;

/**
 * Builds JSON as UTF-8 bytes, from start to end. The caller brings the structure: it writes
 * punctuation and keys with `raw`, and values with the other methods.
 */
export class JsonWriter {
  #bytes = Buffer.allocUnsafe(BYTES_MIN);
  #length = 0;
  readonly #decimal = new Float32Decimal();

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** A view of what was written, valid until more is. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Hands over what was written, and starts anew. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.#length);
    taken.set(this.bytes());
    this.#length = 0;
    return taken;
  }

  /** Forgets what lies from `length` on: the start over of a value that turned out otherwise. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Appends ASCII that is JSON already, such as `{"rows":[`. */
  raw(text: string): void {
    this.#reserve(text.length);
    this.#ascii(text);
  }

  /** Appends bytes that are JSON already. */
  rawBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Appends a string in quotes. A lone surrogate is written as its `\u` escape. */
  string(text: string): void {
    if (ESCAPED.test(text)) {
      this.#utf8(JSON.stringify(text));
      return;
    }
    this.#reserve(2);
    this.#bytes[this.#length++] = 0x22;
    this.#utf8(text);
    this.#reserve(1);
    this.#bytes[this.#length++] = 0x22;
  }

  /** Appends a member's name in quotes and the colon. */
  key(name: string): void {
    this.string(name);
    this.raw(":");
  }

  /** Appends `null`. */
  null(): void {
    this.raw("null");
  }

  /** Appends `true` or `false`. */
  boolean(value: boolean): void {
    this.raw(value ? "true" : "false");
  }

  /** Appends an integer with all its digits. */
  integer(value: bigint | number): void {
    this.raw(String(value));
  }

  /**
   * Appends the shortest decimal that reads as the same float64; `null` if it is not finite, as
   * JSON has no word for those.
   */
  float64(value: number): void {
    if (!Number.isFinite(value)) this.null();
    else this.raw(Object.is(value, -0) ? "-0.0" : String(value));
  }

  /** Appends the shortest decimal that reads as the same float32: `0.7`, not `0.69999999`. */
  float32(value: number): void {
    this.#reserve(FLOAT32_BYTES_MAX);
    this.#float32(value);
  }

  /** Appends an array of float32, each as `float32` does. */
  float32Array(values: Float32Array): void {
    this.#reserve(values.length * (FLOAT32_BYTES_MAX + 1) + 2);
    this.#bytes[this.#length++] = 0x5b;
    for (let i = 0; i < values.length; i++) {
      if (i > 0) this.#bytes[this.#length++] = 0x2c;
      this.#float32(values[i]);
    }
    this.#bytes[this.#length++] = 0x5d;
  }

  /** Appends bytes as a string of padded base64. */
  base64(bytes: Uint8Array): void {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.raw(`"${view.toString("base64")}"`);
  }

  /** Appends vectors as base64 of little-endian float32, as the wire contract wants it. */
  float32Base64(values: Float32Array): void {
    this.base64(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** Room must have been reserved. */
  #ascii(text: string): void {
    const bytes = this.#bytes;
    let at = this.#length;
    if (text.length > SHORT_CHARS_MAX) {
      at += bytes.write(text, at, "latin1");
    } else {
      for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
    }
    this.#length = at;
  }

  /** Room must have been reserved. */
  #float32(value: number): void {
    if (Number.isFinite(value))
      this.#length = this.#decimal.write(this.#bytes, this.#length, value);
    else this.#ascii("null");
  }

  #utf8(text: string): void {
    // A UTF-16 unit takes at most three bytes.
    this.#reserve(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length, "utf8");
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.bytes());
    this.#bytes = larger;
  }
}

/**
 * Writes JSON and returns its bytes in a buffer of their own, so that they can be handed to another
 * thread without what else the writer's buffer holds.
 */
export function jsonBytes(write: (json: JsonWriter) => void): Uint8Array<ArrayBuffer> {
  const json = new JsonWriter();
  write(json);
  return new Uint8Array(json.bytes());
}
