/** The text of a pattern while it is read. */

/** Thrown where a pattern is invalid, with the reason. */
export class SyntaxFault extends Error {}

/** Characters of the rest that messages quote. */
const AHEAD_CHARS_MAX = 8;

/** A text and how far it is read. */
export class PatternText {
  /** The next UTF-16 unit. */
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** True at the end of the pattern. */
  get isAtEnd(): boolean {
    return this.at >= this.#text.length;
  }

  /** The next character, which is not taken; undefined at the end. */
  get next(): string | undefined {
    return this.isAtEnd ? undefined : this.#text[this.at];
  }

  /** The next characters, for messages. */
  get ahead(): string {
    return this.#text.slice(this.at, this.at + AHEAD_CHARS_MAX);
  }

  /** Takes the next character, which may be two units. Throws `SyntaxFault` at the end. */
  take(): string {
    const codePoint = this.#text.codePointAt(this.at);
    if (codePoint === undefined) throw new SyntaxFault("it ends where more is expected");
    const character = String.fromCodePoint(codePoint);
    this.at += character.length;
    return character;
  }

  /** Takes `expected` if that is next. */
  skip(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  /** Matches a sticky expression here, without consuming the match. */
  peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.#text)?.[0];
  }

  /** Takes what a sticky expression matches here. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.at = pattern.lastIndex;
    return found;
  }

  /** Consumes white space and comments of the flag `x`; returns true if there were any. */
  skipSpace(): boolean {
    return this.match(/(?:[\p{White_Space}]|#[^\n]*)+/uy) !== undefined;
  }

  /** Returns the text between a position and the current one. */
  since(start: number): string {
    return this.#text.slice(start, this.at);
  }
}
