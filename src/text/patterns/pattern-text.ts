/** The text of a pattern while it is read. */

/** Ends the reading of a pattern: why it is none. */
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

  /** Tells whether all is read. */
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

  /** What a sticky expression matches here, which is not taken. */
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

  /** Takes white space and comments, as the flag `x` has it; tells whether there was any. */
  skipSpace(): boolean {
    return this.match(/(?:[\p{White_Space}]|#[^\n]*)+/uy) !== undefined;
  }

  /** What was read from a place on. */
  since(start: number): string {
    return this.#text.slice(start, this.at);
  }
}
