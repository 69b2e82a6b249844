/**
 * Computes which trigrams each match of a pattern has (Russ Cox, "Regular Expression Matching with
 * a Trigram Index", 2012), and which text.
 */

import type { CharacterSet } from "../../../text/patterns/character-set.ts";
import type { PatternTree } from "../../../text/patterns/pattern-tree.ts";
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
import type { TrigramFormula } from "./trigram-algebra.ts";

/** Members of a class that are distinguished; larger classes count as any character. */
const MEMBERS_MAX = 8;
/**
 * Cost of concatenations (`concatenationCost`) after which a part counts as anything; a millisecond
 * or two.
 */
const COST_MAX = 1024;
/** Characters of a required text: the search for a longer one could be slow. */
const REQUIRED_CHARACTERS_MAX = 16;

/** True of the trigrams of all strings some part of which matches. */
export function expressionFormula(tree: PatternTree): TrigramFormula {
  return regexFormula(new InfoReader().read(tree));
}

/** The longest of the texts that all matches contain, of those that are easily seen, or none. */
export function requiredText(tree: PatternTree): string {
  let [run, longest] = ["", ""];
  for (const part of requiredParts(tree)) {
    const codePoint = part && singleOf(part);
    const isFull = run.length >= REQUIRED_CHARACTERS_MAX;
    run = codePoint === undefined || isFull ? "" : run + String.fromCodePoint(codePoint);
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

/** Sets of the characters that stand in a row in each match; undefined where something else may. */
function* requiredParts(tree: PatternTree): Generator<CharacterSet | undefined> {
  switch (tree.kind) {
    case "characters":
      yield tree.set;
      break;
    case "concatenation":
      for (const part of tree.parts) yield* requiredParts(part);
      break;
    case "repeat":
      yield undefined;
      if (tree.min > 0) yield* requiredParts(tree.part);
      yield undefined;
      break;
    case "choice":
      yield undefined;
      break;
    case "place":
      break;
  }
}

function singleOf(set: CharacterSet): number | undefined {
  const isOne = set.length === 2 && set[0] === set[1];
  return isOne ? set[0] : undefined;
}

class InfoReader {
  #cost = 0;

  /** Returns the trigram information of a part; `ANYTHING` once the cost exceeds `COST_MAX`. */
  read(tree: PatternTree): RegexInfo {
    if (this.#cost > COST_MAX) return ANYTHING;
    switch (tree.kind) {
      case "characters":
        return charactersInfo(tree.set);
      case "place":
        return EMPTY;
      case "choice":
        return eitherOf(tree.parts.map((part) => this.read(part)));
      case "concatenation":
        return this.#sequence(tree.parts);
      case "repeat": {
        const found = this.read(tree.part);
        if (tree.max === 0) return EMPTY;
        if (tree.min === 0) return tree.max === 1 ? eitherOf([found, EMPTY]) : ANYTHING;
        if (!this.#spend(found, found, copiesOf(tree.min))) return ANYTHING;
        return repeated(found, tree.min, tree.max === tree.min);
      }
    }
  }

  #sequence(parts: readonly PatternTree[]): RegexInfo {
    let found = EMPTY;
    for (const part of parts) {
      const next = this.read(part);
      if (!this.#spend(found, next, 1)) return followedByAnything(found);
      found = concatenated(found, next);
    }
    return found;
  }

  /** False where so many concatenations would cost too much. */
  #spend(left: RegexInfo, right: RegexInfo, times: number): boolean {
    this.#cost += times * concatenationCost(left, right);
    return this.#cost <= COST_MAX;
  }
}

/** Lists a few characters; more count as any character. */
function charactersInfo(set: CharacterSet): RegexInfo {
  const members = new Set<number>();
  for (let i = 0; i < set.length; i += 2) {
    if (set[i + 1] - set[i] >= MEMBERS_MAX) return UNKNOWN_CHARACTER;
    for (let member = set[i]; member <= set[i + 1]; member++) {
      if (member >= 0xd800 && member <= 0xdfff) return UNKNOWN_CHARACTER;
      members.add(foldedCodePoint(member));
    }
    if (members.size > MEMBERS_MAX) return UNKNOWN_CHARACTER;
  }
  if (members.size === 0) return UNKNOWN_CHARACTER;
  return eitherOf([...members].map((member) => oneOf(String.fromCodePoint(member))));
}
