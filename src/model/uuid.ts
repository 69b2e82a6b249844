/** UUIDs as text and as 16 bytes in the order of their hexadecimal digits. */

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DASHED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PLAIN = /^[0-9a-f]{32}$/i;
const URN = "urn:uuid:";
/** The longest spelling is the canonical one after the URN's prefix. */
const SPELLING_CHARS_MAX = URN.length + 36;
/** Digit positions in the canonical form, by byte. */
const BYTE_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Bytes of a UUID. */
export const UUID_BYTES = 16;

/**
 * Returns the canonical form (lower case, dashed) of any accepted spelling: upper or lower case,
 * with dashes or without, in braces or after `urn:uuid:`. Undefined if it is none. Any 128 bits are
 * a UUID: version and variant are not looked at.
 */
export function parseUuid(text: string): string | undefined {
  if (text.length > SPELLING_CHARS_MAX) return undefined;
  if (CANONICAL.test(text)) return text;
  let bare = text;
  if (text.startsWith("{") && text.endsWith("}")) bare = text.slice(1, -1);
  else if (text.slice(0, URN.length).toLowerCase() === URN) bare = text.slice(URN.length);
  if (DASHED.test(bare)) return bare.toLowerCase();
  if (!PLAIN.test(bare)) return undefined;
  const hex = bare.toLowerCase();
  return [8, 12, 16, 20, 32].map((end, i) => hex.slice([0, 8, 12, 16, 20][i], end)).join("-");
}

/** Writes the 16 bytes of a canonical UUID to `bytes` from `at` on. */
export function writeUuidBytes(canonical: string, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < UUID_BYTES; i++) {
    const digit = BYTE_AT[i];
    bytes[at + i] = (nibble(canonical, digit) << 4) | nibble(canonical, digit + 1);
  }
}

/** Spells the 16 bytes from `at` on in canonical form. */
export function formatUuid(bytes: Uint8Array, at = 0): string {
  let text = "";
  for (let i = 0; i < UUID_BYTES; i++) {
    text += HEX[bytes[at + i]];
    if (i === 3 || i === 5 || i === 7 || i === 9) text += "-";
  }
  return text;
}

/** Value of a lower-case hexadecimal digit. */
function nibble(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 0x61 ? code - 0x30 : code - 0x57;
}
