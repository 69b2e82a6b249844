/**
 * Regular expressions without backtracking, so that no pattern takes more than linear time. The
 * engine speaks RE2; what Rust's regex crate means differently is translated where it can be.
 */

import { type ExpressionTest, stringMatcher } from "./string-test.ts";

/** Why a pattern is none. */
export interface PatternFault {
  readonly fault: string;
}

/** The test of an expression that may match anywhere; returns the reason when it is none. */
export function regexTest(pattern: string): ExpressionTest | PatternFault {
  const expression = fromRustSyntax(pattern);
  if (typeof expression !== "string") return expression;
  return compiled({ kind: "expression", expression, extent: "part" });
}

/** The test of an expression in RE2 syntax that must match the whole string. */
export function wholeTest(
  expression: string,
  caseSensitive: boolean,
): ExpressionTest | PatternFault {
  const flags = caseSensitive ? "" : "(?i)";
  return compiled({ kind: "expression", expression: flags + expression, extent: "whole" });
}

function compiled(test: ExpressionTest): ExpressionTest | PatternFault {
  try {
    stringMatcher(test);
    return test;
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
  /\\(?:[uU]\{([0-9a-fA-F]{1,8})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))|\\(.)|\[:\^?\w+:\]|\[\^?\]?|&&|--|~~|./gsu;

/** Refuses what RE2 would take for something else: classes within classes and their algebra. */
function fromRustSyntax(pattern: string): string | PatternFault {
  let out = "";
  let inClass = false;
  for (const [token, braced, four, eight, escaped] of pattern.matchAll(TOKEN)) {
    const hexadecimal = braced ?? four ?? eight;
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
