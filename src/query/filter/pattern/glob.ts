/**
 * Glob patterns in the syntax of Rust's globset with its default settings:
 *
 * | pattern     | matches                                                        |
 * |-------------|----------------------------------------------------------------|
 * | `*`         | any characters, also `/`                                       |
 * | `?`         | one character, also `/`                                        |
 * | `**` + `/`  | at the start, once or more: any directories, or none; alone: everything |
 * | `/` + `**`  | at the end: everything below; between slashes: any directories |
 * | `[a-z]`     | one of the characters; `[!a-z]` and `[^a-z]`: one of the rest  |
 * | `{a,b}`     | one of the patterns; may nest; empty ones are dropped          |
 * | `\x`        | x itself                                                       |
 */

import type { Steps } from "../../../base/steps.ts";
import {
  type CaseFolding,
  caseFoldedSet,
  caseFolding,
  characterSet,
} from "../../../text/patterns/case-folding.ts";
import {
  ANY_CHARACTER,
  type CharacterSet,
  complementOf,
  setOf,
} from "../../../text/patterns/character-set.ts";
import {
  characters,
  choice,
  PATTERN_DEPTH_MAX,
  type PatternFault,
  type PatternTree,
  repeat,
  sequence,
  wholeText,
} from "../../../text/patterns/pattern-tree.ts";

/** A glob that was read. */
export interface ReadGlob {
  /** The syntax tree, which matches the text from its start to its end. */
  readonly tree: PatternTree;
  /** Instructions of the program, and ranges of its classes of characters. */
  readonly size: number;
  /** A prefix of all matching strings; empty if the glob ignores case. */
  readonly prefix: string;
  /** All strings that start with it match. */
  readonly prefixSuffices: boolean;
}

/** Reads a pattern, in steps; returns the reason when it is no glob. */
export function* readGlob(pattern: string, caseSensitive: boolean): Steps<ReadGlob | PatternFault> {
  const folding = caseSensitive ? undefined : yield* caseFolding();
  const reader = new GlobReader([...pattern], folding);
  const tree = wholeText(yield* reader.read());
  if (reader.fault !== undefined) return { fault: reader.fault };
  const size = tree.size + reader.rangeCount;
  if (!caseSensitive) return { tree, size, prefix: "", prefixSuffices: false };
  const prefixSuffices = PREFIX_ALONE.test(pattern);
  return { tree, size, prefix: literalPrefix(pattern), prefixSuffices };
}

const PREFIX_ALONE = /^[^*?[\]{}\\]*\*$/;

const SPECIAL = /[*?[\]{}\\]/;

/** Characters that are folded between two pauses. */
const WORK_PER_STEP = 8192;
/** Bound of the cost of a class if case is ignored: each character with case is visited. */
const FOLDED_CLASS_WORK = 3000;

function literalPrefix(pattern: string): string {
  const end = pattern.search(SPECIAL);
  if (end < 0) return pattern;
  // A leading `**/` may match nothing, and so may the slash before `/**/`.
  return pattern.startsWith("**", end)
    ? pattern.slice(0, end).replace(/\/$/, "")
    : pattern.slice(0, end);
}

const ANY = characters(ANY_CHARACTER);
const ANY_TEXT = repeat(ANY, 0, Number.POSITIVE_INFINITY);
const SLASH = characters(characterSet(0x2f, undefined));
const BELOW = sequence([SLASH, ANY_TEXT]);

class GlobReader {
  fault: string | undefined;
  /** Ranges of all classes. */
  rangeCount = 0;
  readonly #characters: readonly string[];
  /** Set if case is ignored. */
  readonly #folding: CaseFolding | undefined;
  readonly #sets = new Map<string, CharacterSet>();
  #at = 0;
  #work = 0;

  constructor(all: readonly string[], folding: CaseFolding | undefined) {
    this.#characters = all;
    this.#folding = folding;
  }

  *read(): Steps<PatternTree> {
    const tree = yield* this.#sequence(0);
    if (this.#at < this.#characters.length) {
      this.fault ??= "unopened alternate group: missing '{'";
    }
    return tree;
  }

  /** Reads until the end, or inside of a group until its next `,` or `}`. */
  *#sequence(depth: number): Steps<PatternTree> {
    const parts: PatternTree[] = [];
    while (this.#at < this.#characters.length && this.fault === undefined) {
      const character = this.#characters[this.#at];
      if (character === "}" || (character === "," && depth > 0)) break;
      this.#at++;
      if (++this.#work >= WORK_PER_STEP) {
        this.#work = 0;
        yield;
      }
      parts.push(character === "{" ? yield* this.#group(depth) : this.#part(character));
    }
    return sequence(parts);
  }

  #part(character: string): PatternTree {
    switch (character) {
      case "*":
        return this.#stars();
      case "?":
        return ANY;
      case "[":
        return this.#class();
      case "\\":
        return this.#escaped();
      case "/":
        return this.#slash();
      default:
        return this.#literal(character);
    }
  }

  #stars(): PatternTree {
    const start = this.#at - 1;
    while (this.#characters[this.#at] === "*") this.#at++;
    if (this.#at - start !== 2 || start !== 0 || this.#characters[2] !== "/") return ANY_TEXT;
    this.#at++;
    // Further ones add nothing; a third star is no part of one.
    while (this.#characters.slice(this.#at, this.#at + 3).join("") === "**/") this.#at += 3;
    if (this.#at === this.#characters.length) return ANY_TEXT;
    return choice([repeat(SLASH, 0, 1), sequence([ANY_TEXT, SLASH])]);
  }

  /** A slash, or the whole of `/` `**` `/` or of a final `/` `**`. */
  #slash(): PatternTree {
    const [a, b, c] = this.#characters.slice(this.#at, this.#at + 3);
    if (a !== "*" || b !== "*") return SLASH;
    if (c === undefined) {
      this.#at += 2;
      return BELOW;
    }
    if (c !== "/") return SLASH;
    // Leaves the second slash to the next round, since it may start another `/**/`.
    this.#at += 2;
    return repeat(BELOW, 0, 1);
  }

  *#group(depth: number): Steps<PatternTree> {
    if (3 * depth >= PATTERN_DEPTH_MAX) {
      const most = Math.floor(PATTERN_DEPTH_MAX / 3);
      this.fault ??= `alternate groups may be nested at most ${most} deep; nest fewer of them`;
      return sequence([]);
    }
    const choices: PatternTree[] = [];
    for (;;) {
      const start = this.#at;
      const part = yield* this.#sequence(depth + 1);
      if (this.#at > start) choices.push(part);
      const end = this.#characters[this.#at++];
      if (end === "}") break;
      if (end !== ",") {
        this.fault ??= "unclosed alternate group: missing '}'";
        return sequence([]);
      }
    }
    return choices.length === 0 ? sequence([]) : choice(choices);
  }

  #class(): PatternTree {
    let negated = false;
    if (this.#characters[this.#at] === "!" || this.#characters[this.#at] === "^") {
      negated = true;
      this.#at++;
    }
    const ranges: [number, number][] = [];
    for (let first = true; ; first = false) {
      const low = this.#characters[this.#at++];
      if (low === undefined) {
        this.fault ??= "unclosed character class: missing ']'";
        return sequence([]);
      }
      if (low === "]" && !first) break;
      ranges.push(this.#range(low));
    }
    const listed = setOf(ranges);
    const folding = this.#folding;
    const set = folding === undefined ? listed : caseFoldedSet(listed, folding);
    this.rangeCount += set.length / 2;
    this.#work += folding === undefined ? ranges.length : FOLDED_CLASS_WORK;
    return characters(negated ? complementOf(set) : set);
  }

  #range(low: string): [number, number] {
    const high = this.#characters[this.#at + 1];
    if (this.#characters[this.#at] !== "-" || high === undefined || high === "]") {
      return [codePoint(low), codePoint(low)];
    }
    this.#at += 2;
    if (codePoint(high) < codePoint(low)) this.fault ??= `invalid range: '${low}' > '${high}'`;
    return [codePoint(low), codePoint(high)];
  }

  #escaped(): PatternTree {
    const character = this.#characters[this.#at++];
    if (character === undefined) {
      this.fault ??= "dangling '\\'";
      return sequence([]);
    }
    return this.#literal(character);
  }

  #literal(character: string): PatternTree {
    const known = this.#sets.get(character);
    const set = known ?? characterSet(codePoint(character), this.#folding);
    if (known === undefined) this.#sets.set(character, set);
    return characters(set);
  }
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
