/** Characters that are equal if case is ignored: Unicode's simple case folding. */

import type { Steps } from "../../base/steps.ts";
import { type CharacterSet, isInSet, setOf, unionOf } from "./character-set.ts";
import { setOfSource } from "./named-characters.ts";

/** Code points that simple case folding makes equal. */
export interface CaseFolding {
  /** All that have others; ascending. */
  readonly members: readonly number[];
  /** By member: all code points equal to it, itself included. */
  readonly orbits: ReadonlyMap<number, readonly number[]>;
}

let knownFolding: CaseFolding | undefined;

/** Foldings to what is no lower or upper case of a single code point (CaseFolding.txt). */
const OTHER_PAIRS = [
  [0x390, 0x1fd3],
  [0x3b0, 0x1fe3],
  [0xfb05, 0xfb06],
] as const;

/** Ranges of characters with case, and characters, that are visited between two pauses. */
const RANGES_PER_STEP = 64;
const MEMBERS_PER_STEP = 256;

/** Two characters that case folding makes equal. */
const SAME = /^(.)\1$/isu;

/**
 * Makes the table at its first use, in steps that take some 10 ms together: lower and upper case
 * say which code points may be the same, and JavaScript's regular expressions, which fold in the
 * same way, whether they are.
 */
export function* caseFolding(): Steps<CaseFolding> {
  if (knownFolding !== undefined) return knownFolding;
  const cased = yield* setOfSource("\\p{Changes_When_Casemapped}");
  const groupOf = new Map<number, Set<number>>();
  const join = (a: number, b: number): void => {
    if (a === b) return;
    const joined = groupOf.get(a) ?? new Set([a]);
    for (const member of groupOf.get(b) ?? [b]) joined.add(member);
    for (const member of joined) groupOf.set(member, joined);
  };
  for (let i = 0; i < cased.length; i += 2) {
    if (i % RANGES_PER_STEP === 0) yield;
    for (let codePoint = cased[i]; codePoint <= cased[i + 1]; codePoint++) {
      const character = String.fromCodePoint(codePoint);
      for (const other of [character.toLowerCase(), character.toUpperCase()]) {
        const found = other.codePointAt(0) ?? codePoint;
        if (String.fromCodePoint(found) === other) join(codePoint, found);
      }
    }
  }
  for (const [a, b] of OTHER_PAIRS) join(a, b);
  const orbits = new Map<number, readonly number[]>();
  for (const [codePoint, group] of groupOf) {
    if (orbits.size % MEMBERS_PER_STEP === 0) yield;
    const character = String.fromCodePoint(codePoint);
    const orbit = [...group].filter((other) => SAME.test(character + String.fromCodePoint(other)));
    if (orbit.length > 1) orbits.set(codePoint, orbit);
  }
  knownFolding = { members: [...orbits.keys()].sort((a, b) => a - b), orbits };
  return knownFolding;
}

/**
 * Adds all code points that are the same as one of the set. Takes time for the ranges of the set
 * and for the characters with case in it, 3,000 at most.
 */
export function caseFoldedSet(set: CharacterSet, { members, orbits }: CaseFolding): CharacterSet {
  const added: [number, number][] = [];
  let at = 0;
  for (let i = 0; i < set.length; i += 2) {
    at = firstFrom(members, set[i], at);
    for (; at < members.length && members[at] <= set[i + 1]; at++) {
      for (const other of orbits.get(members[at]) ?? []) {
        if (!isInSet(set, other)) added.push([other, other]);
      }
    }
  }
  return added.length === 0 ? set : unionOf(set, setOf(added));
}

/** The set of one code point; with a folding, all that are the same. */
export function characterSet(codePoint: number, folding: CaseFolding | undefined): CharacterSet {
  const set = Uint32Array.of(codePoint, codePoint);
  return folding === undefined ? set : caseFoldedSet(set, folding);
}

/** First place from `start` on whose member is `least` or more. */
function firstFrom(members: readonly number[], least: number, start: number): number {
  let low = start;
  let high = members.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (members[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
