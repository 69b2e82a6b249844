/**
 * SentencePiece's table of spellings (`precompiled_charsmap`), in base64. Integers are
 * little-endian:
 *
 *     offset  size  meaning
 *          0     4  N, bytes of the trie
 *          4     N  the trie: units of 32 bits, a double array as darts-clone draws it
 *      4 + N        spellings in UTF-8, each of which ends with a zero byte
 *
 * A grapheme of less than six bytes is looked up as a whole, else its characters are, one by one;
 * what the trie does not have stays as it is. That is what HF's tokenizers do.
 */

import { invalid } from "../../base/errors.ts";

/** Bytes of a grapheme that is looked up as a whole. */
const GRAPHEME_BYTES_MAX = 5;
/** Longest spelling of a grapheme in bytes; our choice: Unicode's own have some thirty. */
const SPELLING_BYTES_MAX = 255;
const ENCODER = new TextEncoder();

/** A normalizer by such a table. Throws `invalid` for one whose lengths make no sense. */
export function precompiledNormalizer(base64: string): (text: string) => string {
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  const trieBytes = bytes.length < 4 ? 0 : new DataView(bytes.buffer).getUint32(0, true);
  if (trieBytes === 0 || trieBytes % 4 !== 0 || 4 + trieBytes > bytes.length) {
    throw invalid(
      `\`precompiled_charsmap\` has ${bytes.length} bytes, of which ${trieBytes} are of its trie`,
    );
  }
  const trie = new Uint32Array(bytes.buffer.slice(4, 4 + trieBytes));
  const spellings = bytes.subarray(4 + trieBytes);
  checkSpellings(spellings);
  const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
  const known = new Map<string, string>();
  const spell = (piece: string): string => {
    let spelling = known.get(piece);
    if (spelling === undefined) {
      const found = prefixValue(trie, ENCODER.encode(piece));
      spelling = found === undefined ? piece : spellingAt(spellings, found);
      if (known.size < SPELLINGS_MAX) known.set(piece, spelling);
    }
    return spelling;
  };
  return (text) => {
    let changed = "";
    for (const { segment } of graphemes.segment(text)) {
      const isShort = ENCODER.encode(segment).length <= GRAPHEME_BYTES_MAX;
      const whole = isShort ? spell(segment) : segment;
      changed += whole === segment ? Array.from(segment, spell).join("") : whole;
    }
    return changed;
  };
}

/** A text of them may become as much longer as they are. */
function checkSpellings(spellings: Uint8Array): void {
  for (let start = 0; start < spellings.length; ) {
    const end = spellingEnd(spellings, start);
    if (end - start > SPELLING_BYTES_MAX) {
      throw invalid(
        `\`precompiled_charsmap\` has a spelling of ${end - start} bytes; at most ` +
          `${SPELLING_BYTES_MAX} are known`,
      );
    }
    start = end + 1;
  }
}

/** Remembered spellings of graphemes and characters; a language has some hundred. */
const SPELLINGS_MAX = 4096;

/**
 * The value of the shortest key that the bytes begin with. Each unit tells where its children are,
 * which byte leads to it, and whether a value follows.
 */
function prefixValue(trie: Uint32Array, key: Uint8Array): number | undefined {
  let at = offsetOf(trie[0]);
  for (const byte of key) {
    if (byte === 0) return undefined;
    at ^= byte;
    const unit = trie[at];
    if (unit === undefined || labelOf(unit) !== byte) return undefined;
    at ^= offsetOf(unit);
    if (hasValue(unit)) {
      const value = trie[at];
      return value === undefined ? undefined : value & 0x7fffffff;
    }
  }
  return undefined;
}

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6);
}

function labelOf(unit: number): number {
  return (unit & 0x800000ff) >>> 0;
}

function hasValue(unit: number): boolean {
  return ((unit >>> 8) & 1) === 1;
}

function spellingAt(spellings: Uint8Array, start: number): string {
  return new TextDecoder().decode(spellings.subarray(start, spellingEnd(spellings, start)));
}

function spellingEnd(spellings: Uint8Array, start: number): number {
  const end = spellings.indexOf(0, start);
  return end < 0 ? spellings.length : end;
}
