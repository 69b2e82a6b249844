/**
 * What trigrams a match of a regular expression has (Russ Cox, "Regular Expression Matching with a
 * Trigram Index", 2012). Reads RE2 syntax that is known to be valid; of what it does not know, it
 * says that anything matches.
 */

import { foldedCodePoint } from "../../../text/trigrams.ts";
import {
  ANYTHING,
  concatenated,
  concatenationCost,
  copiesOf,
  EMPTY,
  eitherOf,
  followedByAnything,
  oneOf,
  type RegexInfo,
  regexFormula,
  repeated,
  UNKNOWN_CHARACTER,
} from "./regex-info.ts";
import { ANY, type TrigramFormula } from "./trigram-algebra.ts";

/** Members of a class that are told apart. */
const MEMBERS_MAX = 8;
/**
 * What is spent on putting parts together (`concatenationCost`), a millisecond or two: behind as
 * much anything may follow, and of an expression of several choices nothing is known.
 */
const COST_MAX = 1024;
/** Groups within each other that are looked into. */
const DEPTH_MAX = 200;

/** True of the trigrams of all strings some part of which matches. */
export function expressionFormula(expression: string): TrigramFormula {
  const reader = new ExpressionReader(expression);
  const found = reader.read();
  return found === undefined ? ANY : regexFormula(found);
}

const FLAGS = /\?([imsU]*)(?:-([imsU]+))?([:)])/y;
const NAME = /\?P?<\w+>/y;
const COUNT = /\{(\d+)(,(\d*))?\}/y;
const HEXADECIMAL = /x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/y;
const PROPERTY = /[pP](?:\{[^}]*\}|[A-Za-z])/y;
const NAMED_CLASS = /\[:\^?\w+:\]/y;
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, a: 7 };

/** Ends the reading where something is not known. */
class UnknownSyntax extends Error {}
/** Ends it where too much was spent. */
class AllSpent extends Error {}

/** A code point that an escape stands for, several that are not told apart, or a place. */
type Escaped = number | "some" | "place";

class ExpressionReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #ignoresCase = false;
  #cost = 0;
  /** What stands outside of groups, from the start on. */
  #known = EMPTY;
  #isChoice = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): RegexInfo | undefined {
    try {
      const found = this.#choices();
      return this.#at === this.#text.length ? found : undefined;
    } catch (error) {
      if (error instanceof UnknownSyntax) return undefined;
      if (!(error instanceof AllSpent)) throw error;
      // A choice would be between all that stands before it and behind it.
      const isOneChoice = !this.#isChoice && !this.#text.includes("|", this.#at);
      return isOneChoice ? followedByAnything(this.#known) : undefined;
    }
  }

  #choices(): RegexInfo {
    const choices = [this.#sequence()];
    while (this.#text[this.#at] === "|") {
      if (this.#depth === 0) this.#isChoice = true;
      this.#at++;
      choices.push(this.#sequence());
    }
    return eitherOf(choices);
  }

  #sequence(): RegexInfo {
    let found = EMPTY;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at];
      if (character === "|" || character === ")") break;
      const next = this.#quantified(this.#atom());
      this.#spend(found, next, 1);
      found = concatenated(found, next);
      if (this.#depth === 0) this.#known = found;
    }
    return found;
  }

  #atom(): RegexInfo {
    const codePoint = this.#next();
    switch (String.fromCodePoint(codePoint)) {
      case ".":
        return UNKNOWN_CHARACTER;
      case "^":
      case "$":
        return EMPTY;
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\": {
        const escaped = this.#escaped();
        if (escaped === "some") return UNKNOWN_CHARACTER;
        return escaped === "place" ? EMPTY : this.#character(escaped);
      }
      default:
        return this.#character(codePoint);
    }
  }

  #quantified(atom: RegexInfo): RegexInfo {
    let found = atom;
    for (;;) {
      const character = this.#text[this.#at];
      const count = character === "{" ? this.#match(COUNT) : undefined;
      if (count !== undefined) {
        const isExact = count[2] === undefined || count[3] === count[1];
        const times = Number(count[1]);
        this.#spend(found, found, copiesOf(times));
        found = repeated(found, times, isExact);
      } else if (character === "*" || character === "+" || character === "?") {
        this.#at++;
        if (character === "?") found = eitherOf([found, EMPTY]);
        else found = character === "*" ? ANYTHING : repeated(found, 1, false);
      } else return found;
      // Whether few or many are taken first does not change what matches.
      if (this.#text[this.#at] === "?") this.#at++;
    }
  }

  /** Throws `AllSpent` where so many concatenations would cost too much. */
  #spend(left: RegexInfo, right: RegexInfo, times: number): void {
    this.#cost += times * concatenationCost(left, right);
    if (this.#cost > COST_MAX) throw new AllSpent();
  }

  #group(): RegexInfo {
    if (++this.#depth > DEPTH_MAX) throw new UnknownSyntax();
    const outside = this.#ignoresCase;
    if (this.#text[this.#at] === "?" && this.#match(NAME) === undefined) {
      const flags = this.#match(FLAGS);
      if (flags === undefined) throw new UnknownSyntax();
      const [, on, off, end] = flags;
      if (on.includes("i")) this.#ignoresCase = true;
      if (off?.includes("i") === true) this.#ignoresCase = false;
      if (end === ")") {
        this.#depth--;
        return EMPTY;
      }
    }
    const found = this.#choices();
    if (this.#text[this.#at] !== ")") throw new UnknownSyntax();
    this.#at++;
    this.#depth--;
    this.#ignoresCase = outside;
    return found;
  }

  #class(): RegexInfo {
    const isNegated = this.#text[this.#at] === "^";
    if (isNegated) this.#at++;
    const members = new Set<number>();
    let isKnown = !isNegated;
    for (let isFirst = true; isFirst || this.#text[this.#at] !== "]"; isFirst = false) {
      const low = this.#member();
      let high = low;
      if (this.#text[this.#at] === "-" && this.#text[this.#at + 1] !== "]") {
        this.#at++;
        high = this.#member();
      }
      if (low === undefined || high === undefined || high - low > MEMBERS_MAX) isKnown = false;
      else for (let member = low; member <= high; member++) members.add(member);
      if (members.size > MEMBERS_MAX) isKnown = false;
    }
    this.#at++;
    if (!isKnown || members.size === 0) return UNKNOWN_CHARACTER;
    return eitherOf([...members].map((member) => this.#character(member)));
  }

  /** A member of a class; undefined if it is several. */
  #member(): number | undefined {
    if (this.#match(NAMED_CLASS) !== undefined) return undefined;
    const codePoint = this.#next();
    if (codePoint !== BACKSLASH) return codePoint;
    const escaped = this.#escaped();
    if (escaped === "place") throw new UnknownSyntax();
    return escaped === "some" ? undefined : escaped;
  }

  /** What stands behind a backslash. */
  #escaped(): Escaped {
    if (this.#match(PROPERTY) !== undefined) return "some";
    const hexadecimal = this.#match(HEXADECIMAL);
    if (hexadecimal !== undefined) {
      return Number.parseInt(hexadecimal[1] ?? hexadecimal[2], 16);
    }
    const codePoint = this.#next();
    const character = String.fromCodePoint(codePoint);
    if (/[dDsSwW]/.test(character)) return "some";
    if (/[AbBz]/.test(character)) return "place";
    const control = CONTROLS[character];
    if (control !== undefined) return control;
    // Such as octal numbers and quoted parts.
    if (/[0-9A-Za-z]/.test(character)) throw new UnknownSyntax();
    return codePoint;
  }

  /** Where case does not count, a character that is no ASCII is one of several. */
  #character(codePoint: number): RegexInfo {
    const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
    if (isSurrogate || codePoint > 0x10_ffff) return UNKNOWN_CHARACTER;
    if (this.#ignoresCase && codePoint >= 0x80) return UNKNOWN_CHARACTER;
    return oneOf(String.fromCodePoint(foldedCodePoint(codePoint)));
  }

  #next(): number {
    const codePoint = this.#text.codePointAt(this.#at);
    if (codePoint === undefined) throw new UnknownSyntax();
    this.#at += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at = pattern.lastIndex;
    return found;
  }
}

const BACKSLASH = 0x5c;
