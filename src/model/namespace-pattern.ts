/**
 * Which namespaces a key has: names, and starts of names with a star behind them, such as
 * `tenant-a-*`. A star alone is all of them.
 */

import { clipName } from "../base/bounded-text.ts";
import { NAMESPACE_NAME_CHARS_MAX } from "../base/ids.ts";

/** Patterns of one key; a name that fits any of them fits. */
export type NamespacePatterns = readonly string[];

/** The pattern of all namespaces. */
export const EVERY_NAMESPACE = "*";

const PATTERN = /^(?:[A-Za-z0-9\-_.]+\*?|\*)$/;

/** Says why `text` is no pattern, or returns undefined if it is one. */
export function namespacePatternFault(text: string): string | undefined {
  if (text.length > NAMESPACE_NAME_CHARS_MAX + 1) {
    const limit = `names have at most ${NAMESPACE_NAME_CHARS_MAX} characters`;
    return `"${clipName(text)}" is too long, ${limit}`;
  }
  if (PATTERN.test(text)) return undefined;
  return (
    `"${clipName(text)}" is no pattern: a namespace's name ([A-Za-z0-9-_.]), or the start of one ` +
    'with a * behind it, such as "tenant-a-*"'
  );
}

/** Tells whether a name fits one of the patterns. */
export function fitsPatterns(patterns: NamespacePatterns, name: string): boolean {
  return patterns.some((pattern) => {
    const start = patternStart(pattern);
    return start === undefined ? name === pattern : name.startsWith(start);
  });
}

/** Tells whether every name fits. */
export function fitEverything(patterns: NamespacePatterns): boolean {
  return patterns.includes(EVERY_NAMESPACE);
}

/** The start that names of a pattern have; undefined for a pattern that is a name itself. */
export function patternStart(pattern: string): string | undefined {
  return pattern.endsWith(EVERY_NAMESPACE) ? pattern.slice(0, -1) : undefined;
}
