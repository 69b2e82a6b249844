/** Classes of characters in brackets, as Rust's regex crate has them: also within each other. */

import type { Steps } from "../../base/steps.ts";
import { type CaseFolding, caseFoldedSet } from "./case-folding.ts";
import {
  type CharacterSet,
  complementOf,
  intersectionOf,
  setOf,
  unionOf,
} from "./character-set.ts";
import { type Escape, readEscape } from "./escape-syntax.ts";
import { asciiClass } from "./named-characters.ts";
import { type PatternText, SyntaxFault } from "./pattern-text.ts";
import { PATTERN_DEPTH_MAX } from "./pattern-tree.ts";

/** Ranges that sets are made of between two pauses. */
export const RANGES_PER_STEP = 4096;
/**
 * Work that folding the case of a class counts as, since the class may have all characters with
 * case.
 */
const FOLDING_WORK = 1024;

/** Flags before a class that change its meaning. */
export interface ClassFlags {
  /** Set if case is ignored. */
  readonly folding: CaseFolding | undefined;
  readonly ignoresSpace: boolean;
}

/** A class whose closing bracket is not read yet; classes nest. */
interface OpenClass {
  readonly isNegated: boolean;
  /** The operand before the last operator, and the operator. */
  readonly left: { readonly set: CharacterSet; readonly operator: SetOperator } | undefined;
  items: [first: number, last: number][];
  set: CharacterSet;
}

type SetOperator = "&&" | "--" | "~~";

const EMPTY: CharacterSet = new Uint32Array(0);

/** Reads one class. */
export class ClassReader {
  readonly #text: PatternText;
  readonly #flags: ClassFlags;
  readonly #open: OpenClass[] = [];
  /** Ranges since the last pause. */
  #work: number;

  /** `work` is what an earlier reader has left to pause for. */
  constructor(text: PatternText, flags: ClassFlags, work: number) {
    this.#text = text;
    this.#flags = flags;
    this.#work = work;
  }

  /** Ranges that sets were made of since the last pause. */
  get work(): number {
    return this.#work;
  }

  /**
   * Reads from the first bracket to the one that closes it. Ends early, with a set of more ranges
   * than that, where one of the sets has more than `rangesMax`.
   */
  *read(rangesMax: number): Steps<CharacterSet> {
    this.#begin();
    for (;;) {
      const whole = this.#readItem();
      if (whole !== undefined) return whole;
      const { set } = this.#innermost;
      if (set.length > 2 * rangesMax) return set;
      if (this.#work < RANGES_PER_STEP) continue;
      this.#work = 0;
      yield;
    }
  }

  get #innermost(): OpenClass {
    return this.#open[this.#open.length - 1];
  }

  /** Takes the bracket, and what is special right behind it. */
  #begin(): void {
    const text = this.#text;
    text.take();
    if (this.#open.length >= PATTERN_DEPTH_MAX) {
      throw new SyntaxFault(`classes may be nested at most ${PATTERN_DEPTH_MAX} deep`);
    }
    this.#skipSpace();
    const isNegated = text.skip("^");
    this.#open.push({ isNegated, left: undefined, items: [], set: EMPTY });
    this.#skipSpace();
    while (text.skip("-")) this.#addRange("-", "-");
    if (this.#innermost.items.length === 0 && text.skip("]")) this.#addRange("]", "]");
  }

  #skipSpace(): void {
    if (this.#flags.ignoresSpace) this.#text.skipSpace();
  }

  /** Reads one item; returns the set of the outermost class once that is closed. */
  #readItem(): CharacterSet | undefined {
    this.#skipSpace();
    const text = this.#text;
    this.#work++;
    if (text.isAtEnd) throw new SyntaxFault("a class is not closed: missing `]`");
    if (text.skip("]")) return this.#end();
    const operator = text.match(/&&|--|~~/y);
    if (operator !== undefined) this.#operate(operator[0] as SetOperator);
    else if (text.next !== "[") this.#readRange();
    else if (!this.#readNamed()) this.#begin();
    return undefined;
  }

  #readNamed(): boolean {
    const named = this.#text.match(/\[:(\^?)(\w+):\]/y);
    if (named === undefined) return false;
    const set = asciiClass(named[2]);
    if (set === undefined) throw new SyntaxFault(`unknown class \`${named[0]}\``);
    this.#addSet(named[1] === "^" ? complementOf(set) : set);
    return true;
  }

  #readRange(): void {
    const low = this.#readMember();
    if (low.kind === "set") {
      this.#addSet(low.set);
      return;
    }
    this.#skipSpace();
    if (this.#text.match(/-(?![\]-])/y) === undefined) {
      this.#addRange(low.character, low.character);
      return;
    }
    this.#skipSpace();
    const high = this.#readMember();
    if (high.kind === "set") throw new SyntaxFault("a range of characters must end by one");
    this.#addRange(low.character, high.character);
  }

  #readMember(): Exclude<Escape, { readonly kind: "place" }> {
    const character = this.#text.take();
    if (character !== "\\") return { kind: "character", character };
    const escaped = readEscape(this.#text, this.#flags.folding);
    if (escaped.kind === "place")
      throw new SyntaxFault("a class may not have places such as `\\b`");
    return escaped;
  }

  #addRange(low: string, high: string): void {
    const [first, last] = [low.codePointAt(0) ?? 0, high.codePointAt(0) ?? 0];
    if (last < first) throw new SyntaxFault(`a range ends before it begins: \`${low}-${high}\``);
    this.#innermost.items.push([first, last]);
  }

  #addSet(set: CharacterSet): void {
    const innermost = this.#innermost;
    this.#work += set.length + innermost.set.length;
    innermost.set = unionOf(innermost.set, set);
  }

  /** Returns the set of the items since the last operator. */
  #operand(): CharacterSet {
    const { items, set } = this.#innermost;
    this.#work += items.length + set.length;
    const all = items.length === 0 ? set : unionOf(set, setOf(items));
    const { folding } = this.#flags;
    if (folding === undefined) return all;
    this.#work += FOLDING_WORK;
    return caseFoldedSet(all, folding);
  }

  /** The class so far: operators go from the left to the right. */
  #result(): CharacterSet {
    const { left } = this.#innermost;
    const right = this.#operand();
    if (left === undefined) return right;
    this.#work += 4 * (left.set.length + right.length);
    if (left.operator === "&&") return intersectionOf(left.set, right);
    const difference = intersectionOf(left.set, complementOf(right));
    if (left.operator === "--") return difference;
    return unionOf(difference, intersectionOf(right, complementOf(left.set)));
  }

  #operate(operator: SetOperator): void {
    const { isNegated } = this.#innermost;
    const left = { set: this.#result(), operator };
    this.#open[this.#open.length - 1] = { isNegated, left, items: [], set: EMPTY };
  }

  #end(): CharacterSet | undefined {
    const { isNegated } = this.#innermost;
    const result = this.#result();
    const set = isNegated ? complementOf(result) : result;
    this.#open.pop();
    if (this.#open.length === 0) return set;
    this.#addSet(set);
    return undefined;
  }
}
