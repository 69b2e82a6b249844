/** Parses what follows a backslash in a regular expression. */

import { type CaseFolding, caseFoldedSet } from "./case-folding.ts";
import { type CharacterSet, CODE_POINT_MAX, complementOf } from "./character-set.ts";
import { type PerlClass, perlClass, unicodeClass } from "./named-characters.ts";
import { type PatternText, SyntaxFault } from "./pattern-text.ts";
import type { Place } from "./pattern-tree.ts";

/** The meaning of an escape. */
export type Escape =
  | { readonly kind: "character"; readonly character: string }
  | { readonly kind: "place"; readonly place: Place }
  | { readonly kind: "set"; readonly set: CharacterSet };

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ["a", "\x07"],
  ["f", "\f"],
  ["t", "\t"],
  ["n", "\n"],
  ["r", "\r"],
  ["v", "\v"],
]);

const PLACES: ReadonlyMap<string, Place> = new Map([
  ["A", "text_start"],
  ["z", "text_end"],
  ["b", "word_boundary"],
  ["B", "no_word_boundary"],
  ["<", "word_start"],
  [">", "word_end"],
  ["b{start}", "word_start"],
  ["b{end}", "word_end"],
  ["b{start-half}", "no_word_before"],
  ["b{end-half}", "no_word_behind"],
]);

/** Number of digits by the letter before them, without braces. */
const DIGITS: Readonly<Record<string, RegExp>> = {
  x: /[0-9a-fA-F]{2}/y,
  u: /[0-9a-fA-F]{4}/y,
  U: /[0-9a-fA-F]{8}/y,
};

/**
 * Reads an escape whose backslash was taken; throws `SyntaxFault`. If case is ignored, there is a
 * folding.
 */
export function readEscape(text: PatternText, folding: CaseFolding | undefined): Escape {
  const character = text.take();
  const side = character === "b" ? text.match(/\{(?:start|end)(?:-half)?\}/y)?.[0] : undefined;
  const place = PLACES.get(character + (side ?? ""));
  if (place !== undefined) return { kind: "place", place };
  if (/[dDsSwW]/.test(character)) {
    const set = perlClass(character.toLowerCase() as PerlClass);
    const isNegated = character !== character.toLowerCase();
    return { kind: "set", set: isNegated ? complementOf(set) : set };
  }
  if (character === "p" || character === "P") {
    return readProperty(text, character, folding);
  }
  if (character in DIGITS) return { kind: "character", character: readCode(text, character) };
  const control = CONTROLS.get(character);
  if (control !== undefined) return { kind: "character", character: control };
  if (/[1-9]/.test(character)) {
    throw new SyntaxFault(`back references such as \`\\${character}\` are not supported`);
  }
  if (character < "\x80" && !/[0-9A-Za-z]/.test(character)) return { kind: "character", character };
  throw new SyntaxFault(`unknown escape \`\\${character}\``);
}

/** Case is folded before a class is negated. */
function readProperty(
  text: PatternText,
  letter: "p" | "P",
  folding: CaseFolding | undefined,
): Escape {
  const [written, braced] = text.match(/\{([^}]*)\}|\w/y) ?? [undefined];
  const set = written === undefined ? undefined : unicodeClass(braced ?? written);
  if (set === undefined) {
    throw new SyntaxFault(`unknown Unicode class \`\\${letter}${written ?? text.ahead}\``);
  }
  const folded = folding === undefined ? set : caseFoldedSet(set, folding);
  return { kind: "set", set: letter === "P" ? complementOf(folded) : folded };
}

function readCode(text: PatternText, letter: string): string {
  const digits = text.match(/\{([0-9a-fA-F]{1,8})\}/y)?.[1] ?? text.match(DIGITS[letter])?.[0];
  const code = Number.parseInt(digits ?? "", 16);
  const isCodePoint = code <= CODE_POINT_MAX && !(code >= 0xd800 && code <= 0xdfff);
  if (!isCodePoint) {
    throw new SyntaxFault(`\`\\${letter}${digits ?? text.ahead}\` is no code point`);
  }
  return String.fromCodePoint(code);
}
