/** Sets of characters that patterns name: properties and scripts of Unicode, and ASCII's classes. */

import { runSteps, type Steps } from "../../base/steps.ts";
import { type CharacterSet, CODE_POINT_MAX, complementOf, setOf } from "./character-set.ts";

/**
 * Sets that are remembered, of 1 KiB in the mean and 6 KiB at most. More than there are names of
 * properties, scripts and categories with their aliases, so that each is found once.
 */
const NAMED_SETS_MAX = 1024;
/** Code points that are tested between two pauses, in some 100 µs. */
const CODE_POINTS_PER_STEP = 4096;
/** Characters of a name. */
const NAME_CHARS_MAX = 64;

/** The Perl character classes of Rust's regex crate. */
const PERL_CLASSES: Readonly<Record<string, string>> = {
  d: "\\p{Nd}",
  s: "\\p{White_Space}",
  w: "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}",
};

/** Ranges of ASCII by name. */
const ASCII_CLASSES: ReadonlyMap<string, string> = new Map([
  ["alnum", "09AZaz"],
  ["alpha", "AZaz"],
  ["ascii", "\0\x7f"],
  ["blank", "\t\t  "],
  ["cntrl", "\0\x1f\x7f\x7f"],
  ["digit", "09"],
  ["graph", "!~"],
  ["lower", "az"],
  ["print", " ~"],
  ["punct", "!/:@[`{~"],
  ["space", "\t\r  "],
  ["upper", "AZ"],
  ["word", "09AZ__az"],
  ["xdigit", "09AFaf"],
]);

/** Names of what a property is asked for, without spaces and underscores. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ["gc", "General_Category"],
  ["generalcategory", "General_Category"],
  ["sc", "Script"],
  ["script", "Script"],
  ["scx", "Script_Extensions"],
  ["scriptextensions", "Script_Extensions"],
]);

/** The set of `[:name:]`, or undefined if the name is unknown. */
export function asciiClass(name: string): CharacterSet | undefined {
  const ends = ASCII_CLASSES.get(name);
  if (ends === undefined) return undefined;
  return Uint32Array.from(ends, (character) => character.charCodeAt(0));
}

/** Letters of the classes that a backslash and a letter stand for; the upper ones are without them. */
export type PerlClass = "d" | "s" | "w";

/** The set of `\d`, `\s` or `\w`. */
export function perlClass(letter: PerlClass): CharacterSet {
  return runSteps(setOfSource(PERL_CLASSES[letter]));
}

/**
 * The set of `\p{name}`, whose name may be `key=value`, `key!=value` or begin with `^`; undefined
 * if Unicode has none of that name.
 */
export function unicodeClass(name: string): CharacterSet | undefined {
  const source = sourceOf(name.replace("^", ""));
  if (source === undefined) return undefined;
  const set = runSteps(setOfSource(source));
  return name.startsWith("^") === name.includes("!=") ? set : complementOf(set);
}

const NAMES_IN_PATTERN = /\\[pP](?:\{\^?([^}]*)\}|(\w))|\\([dDsSwWbB<>])/g;

/**
 * Finds the sets that a pattern names, in steps: some 20 ms for each the first time, and nothing
 * once it is remembered. `perlClass` and `unicodeClass` take no time for them afterwards.
 */
export function* findNamedCharacters(pattern: string): Steps<void> {
  const known = new Set<string>();
  for (const [, braced, letter, escaped] of pattern.matchAll(NAMES_IN_PATTERN)) {
    const key = escaped?.toLowerCase().replace(/[b<>]/, "w");
    const source = key === undefined ? sourceOf(braced ?? letter) : PERL_CLASSES[key];
    if (source === undefined || known.has(source)) continue;
    known.add(source);
    yield* setOfSource(source);
  }
}

const SETS = new Map<string, CharacterSet>();

/** The set of a class of JavaScript's regular expressions, which know the properties of Unicode. */
export function* setOfSource(source: string): Steps<CharacterSet> {
  const known = SETS.get(source);
  if (known !== undefined) return known;
  const ranges: [number, number][] = [];
  const run = new RegExp(`[${source}]+`, "gu");
  for (let start = 0; start <= CODE_POINT_MAX; ) {
    const end = blockEnd(start);
    // No property has surrogates, and two of them in a row would be read as one character.
    if (start !== 0xd800) addRanges(ranges, run, { start, end });
    start = end;
    yield;
  }
  const set = setOf(ranges);
  if (SETS.size >= NAMED_SETS_MAX) SETS.clear();
  SETS.set(source, set);
  return set;
}

/**
 * Planes without individual assignments: all code points but the last two have the same properties.
 */
function isUniform(plane: number): boolean {
  return (plane > 3 && plane < 14) || plane > 14;
}

/** The end of the code points that are tested together with the one at `start`. */
function blockEnd(start: number): number {
  const plane = start >>> 16;
  if (start >= 0xd000 && start < 0xe000) return start < 0xd800 ? 0xd800 : 0xe000;
  if (!isUniform(plane)) return start + CODE_POINTS_PER_STEP;
  return (start & 0xffff) < 0xfffe ? 65_536 * plane + 0xfffe : 65_536 * (plane + 1);
}

function addRanges(
  ranges: [number, number][],
  run: RegExp,
  { start, end }: { readonly start: number; readonly end: number },
): void {
  if (isUniform(start >>> 16) && end - start > CODE_POINTS_PER_STEP) {
    if (String.fromCodePoint(start).search(run) === 0) ranges.push([start, end - 1]);
    return;
  }
  const perCharacter = start < 0x10000 ? 1 : 2;
  const units = new Uint16Array(perCharacter * (end - start));
  for (let i = start, at = 0; i < end; i++) {
    if (perCharacter === 2) units[at++] = 0xd800 + ((i - 0x10000) >>> 10);
    units[at++] = perCharacter === 2 ? 0xdc00 + (i & 0x3ff) : i;
  }
  for (const { 0: found, index } of String.fromCharCode(...units).matchAll(run)) {
    const first = start + index / perCharacter;
    ranges.push([first, first + found.length / perCharacter - 1]);
  }
}

/** Returns JavaScript's name of a property, or undefined if it has none of that name. */
function sourceOf(name: string): string | undefined {
  if (name.length > NAME_CHARS_MAX || !/^[\w -]+(?:!?[=:][\w -]+)?$/.test(name)) return undefined;
  const [key, value] = name.split(/!?[=:]/);
  if (value === undefined) {
    const spellings = spellingsOf(name);
    return firstKnown([...spellings, ...spellings.map((spelling) => `Script=${spelling}`)]);
  }
  const asked = KEYS.get(key.toLowerCase().replaceAll(/[\s_-]/g, ""));
  return asked && firstKnown(spellingsOf(value).map((spelling) => `${asked}=${spelling}`));
}

/** Names are written in any case, with spaces or hyphens for underscores. */
function spellingsOf(name: string): string[] {
  const words = name.trim().split(/[\s_-]+/);
  const capitals = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());
  return [words.join("_"), capitals.join("_"), name.trim().toUpperCase()];
}

function firstKnown(properties: readonly string[]): string | undefined {
  for (const property of properties) {
    const source = `\\p{${property}}`;
    if (SETS.has(source) || isSource(source)) return source;
  }
  return undefined;
}

function isSource(source: string): boolean {
  try {
    return new RegExp(source, "u").unicode;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
