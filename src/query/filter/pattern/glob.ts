/**
 * Glob patterns in the syntax of Rust's globset with its default settings, turned into RE2 syntax:
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

/** A pattern as an expression over whole strings. */
export interface TranslatedGlob {
  /** RE2 syntax, to be matched against the whole string. */
  readonly expression: string;
  /** What every matching string starts with. */
  readonly prefix: string;
  /** All strings that start with it match. */
  readonly prefixSuffices: boolean;
}

/** Translates a pattern; returns the reason when it is no glob. */
export function translateGlob(pattern: string): TranslatedGlob | { readonly fault: string } {
  const parser = new GlobParser([...pattern]);
  const expression = parser.parse();
  if (parser.fault !== undefined) return { fault: parser.fault };
  const prefixSuffices = PREFIX_ALONE.test(pattern);
  return { expression: `(?s:${expression})`, prefix: literalPrefix(pattern), prefixSuffices };
}

const PREFIX_ALONE = /^[^*?[\]{}\\]*\*$/;

const SPECIAL = /[*?[\]{}\\]/;

function literalPrefix(pattern: string): string {
  const end = pattern.search(SPECIAL);
  if (end < 0) return pattern;
  // A leading `**/` may match nothing, and so may the slash before `/**/`.
  return pattern.startsWith("**", end)
    ? pattern.slice(0, end).replace(/\/$/, "")
    : pattern.slice(0, end);
}

class GlobParser {
  fault: string | undefined;
  readonly #characters: readonly string[];
  #at = 0;

  constructor(characters: readonly string[]) {
    this.#characters = characters;
  }

  parse(): string {
    const expression = this.#sequence(0);
    if (this.#at < this.#characters.length) this.fault ??= "unopened alternate group: missing '{'";
    return expression;
  }

  /** Reads until the end, or inside of a group until its next `,` or `}`. */
  #sequence(depth: number): string {
    let expression = "";
    while (this.#at < this.#characters.length && this.fault === undefined) {
      const character = this.#characters[this.#at];
      if (character === "}" || (character === "," && depth > 0)) break;
      this.#at++;
      if (character === "*") expression += this.#stars();
      else if (character === "?") expression += ".";
      else if (character === "[") expression += this.#class();
      else if (character === "{") expression += this.#group(depth);
      else if (character === "\\") expression += this.#escaped();
      else if (character === "/") expression += this.#slash();
      else expression += quote(character);
    }
    return expression;
  }

  #stars(): string {
    const start = this.#at - 1;
    while (this.#characters[this.#at] === "*") this.#at++;
    if (this.#at - start !== 2 || start !== 0 || this.#characters[2] !== "/") return ".*";
    this.#at++;
    // Further ones add nothing; a third star is no part of one.
    while (this.#characters.slice(this.#at, this.#at + 3).join("") === "**/") this.#at += 3;
    return this.#at === this.#characters.length ? ".*" : "(?:/?|.*/)";
  }

  /** A slash, or the whole of `/` `**` `/` or of a final `/` `**`. */
  #slash(): string {
    const [a, b, c] = this.#characters.slice(this.#at, this.#at + 3);
    if (a !== "*" || b !== "*") return "/";
    if (c === undefined) {
      this.#at += 2;
      return "/.*";
    }
    if (c !== "/") return "/";
    // Leaves the second slash to the next round, since it may start another `/**/`.
    this.#at += 2;
    return "(?:/.*)?";
  }

  #group(depth: number): string {
    const choices: string[] = [];
    for (;;) {
      const choice = this.#sequence(depth + 1);
      if (choice !== "") choices.push(choice);
      const end = this.#characters[this.#at++];
      if (end === "}") break;
      if (end !== ",") {
        this.fault ??= "unclosed alternate group: missing '}'";
        return "";
      }
    }
    return choices.length === 0 ? "" : `(?:${choices.join("|")})`;
  }

  #class(): string {
    let negated = false;
    if (this.#characters[this.#at] === "!" || this.#characters[this.#at] === "^") {
      negated = true;
      this.#at++;
    }
    const ranges: string[] = [];
    for (let first = true; ; first = false) {
      const low = this.#characters[this.#at++];
      if (low === undefined) {
        this.fault ??= "unclosed character class: missing ']'";
        return "";
      }
      if (low === "]" && !first) break;
      ranges.push(this.#range(low));
    }
    return `[${negated ? "^" : ""}${ranges.join("")}]`;
  }

  #range(low: string): string {
    const high = this.#characters[this.#at + 1];
    if (this.#characters[this.#at] !== "-" || high === undefined || high === "]") return code(low);
    this.#at += 2;
    if (codePoint(high) < codePoint(low)) {
      this.fault ??= `invalid range: '${low}' > '${high}'`;
    }
    return `${code(low)}-${code(high)}`;
  }

  #escaped(): string {
    const character = this.#characters[this.#at++];
    if (character === undefined) {
      this.fault ??= "dangling '\\'";
      return "";
    }
    return quote(character);
  }
}

function quote(character: string): string {
  return /^[\p{L}\p{N}_ ]$/u.test(character) ? character : code(character);
}

function code(character: string): string {
  return `\\x{${codePoint(character).toString(16)}}`;
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
