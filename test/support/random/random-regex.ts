/** Random regular expressions that JavaScript understands in the same way. */

import type { Random } from "../../../src/base/random.ts";
import { pick } from "./random-queries.ts";

/** An expression in both syntaxes. */
export interface RandomRegex {
  readonly pattern: string;
  readonly twin: RegExp;
}

const ATOMS = ["a", "b", "c", "é", "K", "🦊", ".", "\\n", "\\d", "\\x62", "\\u{1F98A}"];
const CLASSES = ["[ab]", "[^a]", "[a-c🦊]", "[^\\n]", "[\\dé]", "[K-b]"];
const PLACES = ["^", "$"];
const COUNTS = ["*", "+", "?", "{0}", "{2}", "{1,}", "{0,3}", "{2,3}", "*?", "+?", "{1,2}?"];

function part(random: Random, depth: number): string {
  const kind = random.below(depth === 0 ? 6 : 10);
  if (kind < 3) return pick(random, ATOMS);
  if (kind < 5) return pick(random, CLASSES);
  if (kind === 5) return pick(random, PLACES);
  const open = pick(random, ["(", "(?:"]);
  return `${open}${choices(random, depth - 1)})`;
}

function choices(random: Random, depth: number): string {
  const count = 1 + (random.below(3) === 0 ? random.below(3) : 0);
  return Array.from({ length: count }, () => row(random, depth)).join("|");
}

function row(random: Random, depth: number): string {
  return Array.from({ length: random.below(4) }, () => {
    const one = part(random, depth);
    const isPlace = PLACES.includes(one);
    return random.below(3) === 0 && !isPlace ? one + pick(random, COUNTS) : one;
  }).join("");
}

/** Draws an expression of a few characters. */
export function randomRegex(random: Random): RandomRegex {
  const pattern = choices(random, 2);
  const flags = [..."ims"].filter(() => random.below(3) === 0).join("");
  const twin = new RegExp(pattern, `${flags}u`);
  return { pattern: flags === "" ? pattern : `(?${flags})${pattern}`, twin };
}

/** Draws a text that such expressions may match. */
export function randomRegexText(random: Random): string {
  const characters = ["a", "b", "c", "é", "É", "k", "\u212a", "🦊", "7", "\n", "B"];
  return Array.from({ length: random.below(9) }, () => pick(random, characters)).join("");
}
