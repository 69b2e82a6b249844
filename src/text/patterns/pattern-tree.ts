/**
 * The syntax tree of a pattern: the form between regular expressions or globs and the program that
 * runs. Each node has the size of its program, before it is compiled.
 */

import type { CharacterSet } from "./character-set.ts";

/** Places between characters at which something may be asked for. */
export type Place =
  | "text_start"
  | "text_end"
  | "line_start"
  | "line_end"
  | "word_boundary"
  | "no_word_boundary"
  | "word_start"
  | "word_end"
  | "no_word_before"
  | "no_word_behind";

/** A part of a pattern. */
export type PatternTree = {
  /** Instructions of its program; counted up to `SIZE_SATURATED`. */
  readonly size: number;
  /** Nodes on the longest way down, itself included. */
  readonly depth: number;
} & (
  | { readonly kind: "characters"; readonly set: CharacterSet }
  | { readonly kind: "place"; readonly place: Place }
  /** One behind the other; none matches the empty string. */
  | { readonly kind: "concatenation"; readonly parts: readonly PatternTree[] }
  | { readonly kind: "choice"; readonly parts: readonly PatternTree[] }
  /** `max` may be infinite. */
  | {
      readonly kind: "repeat";
      readonly part: PatternTree;
      readonly min: number;
      readonly max: number;
    }
);

/** The reason why a text is no valid pattern. */
export interface PatternFault {
  readonly fault: string;
}

/** Sizes are counted up to here: repeats within each other multiply. */
const SIZE_SATURATED = Number.MAX_SAFE_INTEGER;

/** Nodes within each other: bounds recursion over trees. Rust's crate has as many. */
export const PATTERN_DEPTH_MAX = 250;

/** Matches one code point of a set; nothing if that is empty. */
export function characters(set: CharacterSet): PatternTree {
  return { kind: "characters", set, size: 1, depth: 1 };
}

/** Matches the empty string where the place is. */
export function placed(place: Place): PatternTree {
  return { kind: "place", place, size: 1, depth: 1 };
}

/** Matches one part behind the other. */
export function sequence(parts: readonly PatternTree[]): PatternTree {
  if (parts.length === 1) return parts[0];
  return { kind: "concatenation", parts, size: sizeOf(parts), depth: depthOf(parts) };
}

/** Matches what one of the parts matches; there is at least one. */
export function choice(parts: readonly PatternTree[]): PatternTree {
  if (parts.length === 1) return parts[0];
  const size = saturated(sizeOf(parts) + parts.length - 1);
  return { kind: "choice", parts, size, depth: depthOf(parts) };
}

/** Matches a part so many times. */
export function repeat(part: PatternTree, min: number, max: number): PatternTree {
  const { size } = part;
  // The part matches only the empty string, so repeats need no copies of it.
  if (size === 0) return part;
  const copies = max === Number.POSITIVE_INFINITY ? Math.max(min, 1) : max;
  const splits = max === Number.POSITIVE_INFINITY ? 1 : max - min;
  return {
    ...{ kind: "repeat", part, min, max },
    ...{ size: saturated(copies * size + splits), depth: part.depth + 1 },
  };
}

/** Matches a part if it matches the complete text. */
export function wholeText(part: PatternTree): PatternTree {
  return sequence([placed("text_start"), part, placed("text_end")]);
}

/** Checks whether all matches begin at the start of the text. */
export function isAnchored(tree: PatternTree): boolean {
  switch (tree.kind) {
    case "place":
      return tree.place === "text_start";
    case "concatenation":
      return tree.parts.length > 0 && isAnchored(tree.parts[0]);
    case "choice":
      return tree.parts.every(isAnchored);
    case "repeat":
      return tree.min > 0 && isAnchored(tree.part);
    case "characters":
      return false;
  }
}

function sizeOf(parts: readonly PatternTree[]): number {
  return saturated(parts.reduce((sum, { size }) => sum + size, 0));
}

function saturated(size: number): number {
  return Math.min(size, SIZE_SATURATED);
}

function depthOf(parts: readonly PatternTree[]): number {
  return 1 + parts.reduce((most, { depth }) => Math.max(most, depth), 0);
}
