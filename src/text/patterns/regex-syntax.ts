/**
 * Reads regular expressions in the syntax of Rust's regex crate, with its defaults: classes are
 * Unicode's, and there are no look-arounds and no back references.
 */

import type { Steps } from "../../base/steps.ts";
import { type CaseFolding, caseFolding, characterSet } from "./case-folding.ts";
import { ANY_CHARACTER, type CharacterSet, complementOf } from "./character-set.ts";
import { ClassReader, RANGES_PER_STEP } from "./class-syntax.ts";
import { readEscape } from "./escape-syntax.ts";
import { findNamedCharacters } from "./named-characters.ts";
import { PatternText, SyntaxFault } from "./pattern-text.ts";
import {
  characters,
  choice,
  PATTERN_DEPTH_MAX,
  type PatternFault,
  type PatternTree,
  type Place,
  placed,
  repeat,
  sequence,
} from "./pattern-tree.ts";

/** A regular expression that was read. */
export interface ReadRegex {
  readonly tree: PatternTree;
  /** Instructions of the program, and ranges of its classes of characters. */
  readonly size: number;
}

/** Characters, groups and repeats that are read between two pauses. */
const TOKENS_PER_STEP = 512;
/** Largest number of a repeat: sizes are bounded in any case. */
const REPEAT_DIGITS_MAX = 9;

/**
 * Parses an expression, in steps; returns the fault if it is invalid. Parsing ends early if its
 * classes alone have more than `sizeMax` ranges: then `size` exceeds `sizeMax`, and the tree is
 * incomplete.
 */
export function* readRegex(text: string, sizeMax: number): Steps<ReadRegex | PatternFault> {
  try {
    yield* findNamedCharacters(text);
    const folding = MAY_IGNORE_CASE.test(text) ? yield* caseFolding() : undefined;
    return yield* new RegexReader(text, sizeMax, folding).read();
  } catch (error) {
    if (error instanceof SyntaxFault) return { fault: error.message };
    throw error;
  }
}

const MAY_IGNORE_CASE = /\(\?[a-z]*i/;

/** State of the flags that `(?flags)` change. */
interface Flags {
  /** Set if case is ignored. */
  readonly folding: CaseFolding | undefined;
  readonly isMultiLine: boolean;
  readonly dotTakesNewline: boolean;
  readonly ignoresSpace: boolean;
}

/** A group whose end is not read yet, or the complete expression. */
interface OpenGroup {
  readonly choices: PatternTree[];
  parts: PatternTree[];
  /** Outside of it. */
  readonly flags: Flags;
}

const NOT_NEWLINE = complementOf(Uint32Array.of(0x0a, 0x0a));

class RegexReader {
  readonly #text: PatternText;
  readonly #sizeMax: number;
  readonly #folding: CaseFolding | undefined;
  readonly #groups: OpenGroup[] = [];
  readonly #names = new Set<string>();
  /** Sets by their source and by whether case is ignored: equal classes share one set. */
  readonly #sets = new Map<string | number, CharacterSet>();
  #rangeCount = 0;
  /** Ranges that sets were made of since the last pause. */
  #classWork = 0;
  #flags: Flags = {
    ...{ folding: undefined, isMultiLine: false },
    ...{ dotTakesNewline: false, ignoresSpace: false },
  };

  constructor(text: string, sizeMax: number, folding: CaseFolding | undefined) {
    this.#text = new PatternText(text);
    this.#sizeMax = sizeMax;
    this.#folding = folding;
    this.#open();
  }

  *read(): Steps<ReadRegex> {
    for (let tokenCount = 1; !this.#text.isAtEnd; tokenCount++) {
      if (this.#text.next === "[") this.#add(characters(yield* this.#class()));
      else if (this.#text.next === "\\") this.#readEscape();
      else this.#readToken();
      if (this.#rangeCount > this.#sizeMax) return { tree: sequence([]), size: this.#rangeCount };
      if (tokenCount % TOKENS_PER_STEP !== 0 && this.#classWork < RANGES_PER_STEP) continue;
      this.#classWork = 0;
      yield;
    }
    if (this.#groups.length > 1) throw new SyntaxFault("a group is not closed: missing `)`");
    const tree = this.#close();
    return { tree, size: tree.size + this.#rangeCount };
  }

  #readToken(): void {
    const text = this.#text;
    if (this.#flags.ignoresSpace && text.skipSpace()) return;
    const character = text.take();
    switch (character) {
      case "(":
        this.#openGroup();
        return;
      case ")":
        if (this.#groups.length === 1) throw new SyntaxFault("`)` closes no group");
        this.#add(this.#close());
        return;
      case "|":
        this.#endChoice();
        return;
      case "*":
        this.#repeat(0, Number.POSITIVE_INFINITY);
        return;
      case "+":
        this.#repeat(1, Number.POSITIVE_INFINITY);
        return;
      case "?":
        this.#repeat(0, 1);
        return;
      case "{":
        this.#readCount();
        return;
      case "^":
        this.#addPlace(this.#flags.isMultiLine ? "line_start" : "text_start");
        return;
      case "$":
        this.#addPlace(this.#flags.isMultiLine ? "line_end" : "text_end");
        return;
      case ".":
        this.#add(characters(this.#flags.dotTakesNewline ? ANY_CHARACTER : NOT_NEWLINE));
        return;
      default:
        this.#add(characters(this.#oneOf(character)));
    }
  }

  /** The backslash was not taken. */
  #readEscape(): void {
    const known = this.#knownSet(/\\(?:[pP](?:\{[^}]*\}|\w)|[dDsSwW])/y);
    if (known !== undefined) {
      this.#add(characters(known));
      return;
    }
    const { at } = this.#text;
    this.#text.skip("\\");
    const escaped = readEscape(this.#text, this.#flags.folding);
    if (escaped.kind === "place") this.#addPlace(escaped.place);
    else if (escaped.kind === "character") this.#add(characters(this.#oneOf(escaped.character)));
    else {
      this.#classWork += escaped.set.length;
      this.#add(characters(this.#counted(this.#text.since(at), escaped.set)));
    }
  }

  *#class(): Steps<CharacterSet> {
    const known = this.#knownSet(/\[\^?[^[\]]+\]/y);
    if (known !== undefined) return known;
    const { at } = this.#text;
    const reader = new ClassReader(this.#text, this.#flags, this.#classWork);
    const set = yield* reader.read(this.#sizeMax);
    this.#classWork = reader.work;
    return this.#counted(this.#text.since(at), set);
  }

  /** Takes what is written as a set was that is known. */
  #knownSet(pattern: RegExp): CharacterSet | undefined {
    const written = this.#text.peek(pattern);
    const known = written === undefined ? undefined : this.#sets.get(this.#keyOf(written));
    if (known !== undefined) this.#text.skip(written ?? "");
    return known;
  }

  #oneOf(character: string): CharacterSet {
    const codePoint = character.codePointAt(0) ?? 0;
    const { folding } = this.#flags;
    const key = folding === undefined ? codePoint : -1 - codePoint;
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const set = characterSet(codePoint, folding);
    this.#sets.set(key, set);
    return set;
  }

  /** The set of a class; equally written classes count once. */
  #counted(written: string, set: CharacterSet): CharacterSet {
    const key = this.#keyOf(written);
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    this.#rangeCount += set.length / 2;
    this.#sets.set(key, set);
    return set;
  }

  #keyOf(written: string): string {
    const { folding, ignoresSpace } = this.#flags;
    return `${Number(folding !== undefined)}${Number(ignoresSpace)}${written}`;
  }

  /** Flags alone hold until the group ends in which they stand. */
  #openGroup(): void {
    const text = this.#text;
    if (!text.skip("?")) {
      this.#open();
      return;
    }
    const name = text.match(/P?<([\p{Alphabetic}_][\p{Alphabetic}\p{N}_.[\]]*)>/uy);
    if (name !== undefined) {
      if (this.#names.has(name[1])) throw new SyntaxFault(`there are two groups named ${name[1]}`);
      this.#names.add(name[1]);
      this.#open();
      return;
    }
    if (text.match(/<?[=!]/y) !== undefined) {
      throw new SyntaxFault("look-arounds such as `(?=`, `(?!` and `(?<=` are not supported");
    }
    const flags = text.match(/([imsUux]*)(?:-([imsUx]+))?([:)])/y);
    if (flags === undefined) throw new SyntaxFault(`unknown group \`(?${text.ahead}\``);
    const [, on, off = "", end] = flags;
    if (end === ":") this.#open();
    const { folding, isMultiLine, dotTakesNewline, ignoresSpace } = this.#flags;
    const isOn = (flag: string, is: boolean) => (is || on.includes(flag)) && !off.includes(flag);
    this.#flags = {
      folding: isOn("i", folding !== undefined) ? this.#folding : undefined,
      isMultiLine: isOn("m", isMultiLine),
      dotTakesNewline: isOn("s", dotTakesNewline),
      ignoresSpace: isOn("x", ignoresSpace),
    };
  }

  #open(): void {
    if (this.#groups.length >= PATTERN_DEPTH_MAX) throw tooDeep();
    this.#groups.push({ choices: [], parts: [], flags: this.#flags });
  }

  #endChoice(): void {
    const group = this.#group;
    group.choices.push(sequence(group.parts));
    group.parts = [];
  }

  #close(): PatternTree {
    this.#endChoice();
    const { choices, flags } = this.#group;
    this.#groups.pop();
    this.#flags = flags;
    const tree = choice(choices);
    if (tree.depth > PATTERN_DEPTH_MAX) throw tooDeep();
    return tree;
  }

  get #group(): OpenGroup {
    return this.#groups[this.#groups.length - 1];
  }

  #add(part: PatternTree): void {
    this.#group.parts.push(part);
  }

  #addPlace(place: Place): void {
    this.#add(placed(place));
  }

  /** Reads a repeat count; `{` without a valid count is text, as in `{"a": 1}`. */
  #readCount(): void {
    const count = this.#text.match(/(\d+)(,(\d*))?\}/y);
    if (count === undefined) {
      this.#add(characters(this.#oneOf("{")));
      return;
    }
    const [written, least, comma, most] = count;
    if (Math.max(least.length, most?.length ?? 0) > REPEAT_DIGITS_MAX) {
      throw new SyntaxFault(`a repeat has at most ${REPEAT_DIGITS_MAX} digits: {${written}`);
    }
    const min = Number(least);
    const max =
      comma === undefined ? min : most === "" ? Number.POSITIVE_INFINITY : Number(most ?? least);
    if (max < min) throw new SyntaxFault(`a repeat ends before it begins: {${written}`);
    this.#repeat(min, max);
  }

  #repeat(min: number, max: number): void {
    const { parts } = this.#group;
    const part = parts.pop();
    if (part === undefined) throw new SyntaxFault("a repeat has nothing before it to repeat");
    // Lazy repeats match the same texts as greedy ones.
    this.#text.skip("?");
    const repeated = repeat(part, min, max);
    if (repeated.depth > PATTERN_DEPTH_MAX) throw tooDeep();
    parts.push(repeated);
  }
}

function tooDeep(): SyntaxFault {
  return new SyntaxFault(
    `groups and repeats may be nested at most ${PATTERN_DEPTH_MAX} deep; nest fewer of them`,
  );
}
