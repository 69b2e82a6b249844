/**
 * Regular expressions without backtracking, so that no pattern takes more than linear time. The
 * engine speaks RE2; what Rust's regex crate means differently is translated where it can be.
 */

import { RE2JS } from "re2js";

/** Compiles an expression that may match anywhere; returns the reason when it is none. */
export function compileRegex(
  pattern: string,
): ((text: string) => boolean) | { readonly fault: string } {
  return compile(fromRustSyntax(pattern), (regex) => (text) => regex.test(text));
}

/** Compiles an expression in RE2 syntax that must match the whole string. */
export function compileWhole(
  expression: string,
  caseSensitive: boolean,
): ((text: string) => boolean) | { readonly fault: string } {
  const flags = caseSensitive ? "" : "(?i)";
  return compile(flags + expression, (regex) => (text) => regex.testExact(text));
}

function compile(
  expression: string,
  matcher: (regex: RE2JS) => (text: string) => boolean,
): ((text: string) => boolean) | { readonly fault: string } {
  try {
    return matcher(RE2JS.compile(expression));
  } catch (error) {
    if (error instanceof Error) return { fault: error.message };
    throw error;
  }
}

/** Rust's classes are Unicode's (regex crate, "Perl character classes"); RE2's are ASCII's. */
const CLASSES: Readonly<Record<string, string>> = {
  d: "\\p{Nd}",
  w: "\\p{L}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}",
  s: "\\t\\n\\x{b}\\f\\r\\x{85}\\p{Z}",
};

function fromRustSyntax(pattern: string): string {
  let out = "";
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character !== "\\") {
      if (character === "[") inClass = true;
      if (character === "]") inClass = false;
      out += character;
      continue;
    }
    const next = pattern[++at] ?? "";
    const members = CLASSES[next.toLowerCase()];
    const hexadecimal = /^(?:\{([0-9a-fA-F]{1,8})\}|([0-9a-fA-F]{4}))/.exec(pattern.slice(at + 1));
    if (next === "u" && hexadecimal !== null) {
      out += `\\x{${hexadecimal[1] ?? hexadecimal[2]}}`;
      at += hexadecimal[0].length;
    } else if (members === undefined || (inClass && next !== next.toLowerCase())) {
      out += `\\${next}`;
    } else if (inClass) {
      out += members;
    } else {
      out += `[${next === next.toLowerCase() ? "" : "^"}${members}]`;
    }
  }
  return out;
}
