/**
 * Texts that a request names things with, of any length up to a whole body: measured without a
 * copy, and cut to what a message quotes of them.
 */

/** How much of a text messages quote, in UTF-16 units. */
const QUOTED_CHARS = 100;

/** How much of a name messages quote, in UTF-16 units: any legal name whole. */
const QUOTED_NAME_CHARS = 256;

/**
 * Tells whether `text` has more than `limit` code points; a lone surrogate counts as one. Looks at
 * `limit` of them at most, whatever the text's length, and copies nothing.
 */
export function hasMoreCodePoints(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let offset = 0;
  for (let count = 0; count < limit && offset < text.length; count++) {
    offset += isPair(text, offset) ? 2 : 1;
  }
  return offset < text.length;
}

/**
 * Cuts a text to what a message quotes of it, at most `charsMax` UTF-16 units and an ellipsis.
 * Never cuts between the two units of a code point.
 */
export function clip(text: string, charsMax = QUOTED_CHARS): string {
  if (text.length <= charsMax) return text;
  const end = isPair(text, charsMax - 1) ? charsMax - 1 : charsMax;
  return `${text.slice(0, end)}…`;
}

/** Cuts a name to what a message quotes of it; one of 128 code points or less stays whole. */
export function clipName(name: string): string {
  return clip(name, QUOTED_NAME_CHARS);
}

/** Tells whether a code point of two units starts at `offset`. */
function isPair(text: string, offset: number): boolean {
  const high = text.charCodeAt(offset);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(offset + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}
