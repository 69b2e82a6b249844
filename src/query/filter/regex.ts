/**
 * Regular expressions without backtracking, so that no pattern takes more than linear time. The
 * engine speaks RE2; what Rust's regex crate means differently is translated where it can be.
 */

import { RE2JS } from "re2js";

/** Compiles an expression that may match anywhere; returns the reason when it is none. */
export function compileRegex(
  pattern: string,
): ((text: string) => boolean) | { readonly fault: string } {
  const expression = fromRustSyntax(pattern);
  if (typeof expression !== "string") return expression;
  return compile(expression, (regex) => (text) => regex.test(text));
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

/** An escape with its code point or character, starts and operators of classes, the rest. */
const TOKEN =
  /\\u(?:\{([0-9a-fA-F]{1,8})\}|([0-9a-fA-F]{4}))|\\(.)|\[:\^?\w+:\]|\[\^?\]?|&&|--|~~|./gsu;

/** Refuses what RE2 would take for something else: classes within classes and their algebra. */
function fromRustSyntax(pattern: string): string | { readonly fault: string } {
  let out = "";
  let inClass = false;
  for (const [token, braced, digits, escaped] of pattern.matchAll(TOKEN)) {
    const hexadecimal = braced ?? digits;
    if (hexadecimal !== undefined) out += `\\x{${hexadecimal}}`;
    else if (escaped !== undefined) out += fromRustEscape(escaped, inClass);
    else {
      const isNamed = token.startsWith("[:");
      if (inClass && (/^(&&|--|~~)$/.test(token) || (token.startsWith("[") && !isNamed))) {
        return { fault: `\`${token}\` within a character class is not supported` };
      }
      if (token.startsWith("[") && !isNamed) inClass = true;
      if (token === "]") inClass = false;
      out += token;
    }
  }
  return out;
}

function fromRustEscape(escaped: string, inClass: boolean): string {
  const isLower = escaped === escaped.toLowerCase();
  const members = CLASSES[escaped.toLowerCase()];
  if (members === undefined || (inClass && !isLower)) return `\\${escaped}`;
  return inClass ? members : `[${isLower ? "" : "^"}${members}]`;
}
