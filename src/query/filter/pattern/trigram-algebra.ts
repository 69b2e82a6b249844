/** Formulas over trigrams: bounded, and never stricter than what they are made of. */

import { distinct } from "../../../base/tables/scalar-map.ts";
import { trigramsOf } from "../../../text/trigrams.ts";

/** What is true of the trigrams of a string. */
export type TrigramFormula =
  | { readonly kind: "any" }
  /** All of these trigrams are there, and all parts are true. */
  | {
      readonly kind: "all";
      readonly trigrams: readonly number[];
      readonly parts: readonly TrigramFormula[];
    }
  /** At least one part is true. */
  | { readonly kind: "some"; readonly parts: readonly TrigramFormula[] };

/** True of every string. */
export const ANY: TrigramFormula = { kind: "any" };

/** Trigrams of a conjunction; few of them leave few strings, so that others are left out. */
const TRIGRAMS_MAX = 64;
/** Parts of a conjunction; others are left out. */
const PARTS_MAX = 8;
/** Parts of a disjunction; of one with more nothing is known. */
export const CHOICES_MAX = 64;
/** Formulas within each other; what lies deeper is left out. */
const DEPTH_MAX = 8;

/** True where all are. */
export function allOf(formulas: readonly TrigramFormula[]): TrigramFormula {
  const known = formulas.filter(({ kind }) => kind !== "any");
  if (known.length <= 1) return known[0] ?? ANY;
  const trigrams: number[] = [];
  const parts = new Set<TrigramFormula>();
  for (const formula of known) {
    if (formula.kind === "all") {
      for (const trigram of formula.trigrams) trigrams.push(trigram);
      for (const part of formula.parts) parts.add(part);
    } else parts.add(formula);
  }
  const kept = [...parts].slice(0, PARTS_MAX);
  return { kind: "all", trigrams: distinct(trigrams).slice(0, TRIGRAMS_MAX), parts: kept };
}

/** True where at least one is. */
export function someOf(formulas: readonly TrigramFormula[]): TrigramFormula {
  if (formulas.length === 1) return formulas[0];
  const parts = new Set<TrigramFormula>();
  for (const formula of formulas) {
    if (formula.kind === "any") return ANY;
    for (const part of formula.kind === "some" ? formula.parts : [formula]) parts.add(part);
  }
  if (parts.size > CHOICES_MAX) return ANY;
  const formula: TrigramFormula = { kind: "some", parts: [...parts] };
  return depthOf(formula) > DEPTH_MAX ? ANY : formula;
}

/** True of strings that contain one of some texts. */
export function containing(texts: readonly string[]): TrigramFormula {
  return texts.length > CHOICES_MAX ? ANY : someOf(texts.map(contains));
}

function contains(text: string): TrigramFormula {
  const trigrams = trigramsOf(text);
  return trigrams.length === 0 ? ANY : { kind: "all", trigrams, parts: [] };
}

function depthOf(formula: TrigramFormula): number {
  if (formula.kind === "any") return 0;
  return 1 + Math.max(0, ...formula.parts.map(depthOf));
}
