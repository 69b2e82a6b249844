/**
 * Base64 as the wire has it: the standard alphabet (`+`, `/`), without spaces or line breaks;
 * padding may be left out but not be wrong, and unused bits are zero. So each byte string has one
 * spelling with padding and one without.
 */

const VALUES = new Map(
  [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].map((c, i) => [c, i]),
);

/** Decodes base64; undefined if `text` is none. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const count = base64ByteCount(text);
  if (count === undefined) return undefined;
  const bytes = new Uint8Array(count);
  return decodeInto(text, bytes) ? bytes : undefined;
}

/** Number of bytes that `text` holds by its length; undefined if no base64 has such a length. */
export function base64ByteCount(text: string): number | undefined {
  const digits = digitCount(text);
  return digits === undefined ? undefined : Math.floor((digits * 3) / 4);
}

/** Number of float32 values that the base64 `text` holds by its length, or why it holds none. */
export function base64FloatCount(text: string): number | string {
  const bytes = base64ByteCount(text);
  if (bytes === undefined) return "invalid base64";
  if (bytes % 4 === 0) return bytes / 4;
  if (decodeBase64(text) === undefined) return "invalid base64";
  return `base64 of ${bytes} bytes, which is no multiple of the 4 bytes of a float32`;
}

/**
 * Decodes little-endian float32 values to all of `target`, whose length `base64FloatCount` told;
 * false if `text` is no base64. Speed: that of the platform's decoder.
 */
export function decodeBase64Floats(text: string, target: Float32Array): boolean {
  return decodeInto(text, new Uint8Array(target.buffer, target.byteOffset, target.byteLength));
}

/** Encodes with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Digits without padding; undefined if the length or the padding is impossible. */
function digitCount(text: string): number | undefined {
  let digits = text.length;
  if (text.endsWith("=")) {
    if (digits % 4 !== 0) return undefined;
    digits -= text.endsWith("==") ? 2 : 1;
  }
  return digits % 4 === 1 ? undefined : digits;
}

/**
 * The platform's decoder forgives: it skips foreign characters, which shows in the number of bytes,
 * and reads the URL alphabet, which is looked for. It ignores unused bits, which are looked at.
 */
function decodeInto(text: string, target: Uint8Array): boolean {
  const buffer = Buffer.from(target.buffer, target.byteOffset, target.byteLength);
  if (buffer.write(text, "base64") !== target.length) return false;
  if (text.includes("-") || text.includes("_")) return false;
  const digits = digitCount(text) ?? 0;
  const unused = digits % 4 === 2 ? 0xf : digits % 4 === 3 ? 0x3 : 0;
  if (unused === 0) return true;
  const last = VALUES.get(text[digits - 1]);
  return last !== undefined && (last & unused) === 0;
}
