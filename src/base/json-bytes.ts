/** Bytes of a text that is mostly JSON, before it is parsed. */

/** The byte order mark, which some programs put before UTF-8. */
export const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** A file's first bytes without the byte order mark, if they begin with one. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  const isMark = BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte);
  return isMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

/** A view without the white space of JSON at both ends. */
export function withoutSpace(bytes: Uint8Array): Uint8Array {
  let start = 0;
  let end = bytes.length;
  while (end > start && isSpace(bytes[end - 1])) end--;
  while (start < end && isSpace(bytes[start])) start++;
  return bytes.subarray(start, end);
}

/** True of JSON's white space. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
