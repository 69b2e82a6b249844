/**
 * What a plan does, in one line without any literal: the kinds of its nodes, what they are of, and
 * how they are nested. Made of what nodes are known to have by name alone, so that a new operator
 * shows less, but never a value.
 */

import { Outline } from "../../base/outline.ts";
import { matchesAll } from "../filter/and.ts";
import type { Plan, Predicate } from "../operator/plan.ts";

/** Members of nodes that are their parts. */
const PART_NAMES = [
  "rank",
  "score",
  "clause",
  "clauses",
  "target",
  "keys",
  "predicate",
  "predicates",
] as const;
/** Members whose values are words of this program. */
const WORD_NAMES = ["method", "access", "mode"] as const;

/** Nodes and their parts, of whatever kind. */
type AnyNode = Readonly<Record<string, unknown>>;

/** The outline of plans, one for each subquery. */
export function planOutline(plans: readonly Plan[]): string {
  const outline = new Outline();
  return outline.text(outline.join(plans, " | ", (plan) => nodeOutline(plan, outline)));
}

/** A plan and its nodes are read alike. */
function nodeOutline(node: object, outline: Outline): string {
  const { kind, attribute, ...members } = node as AnyNode;
  const words = WORD_NAMES.map((name) => members[name]).filter(isText);
  const named = [attribute, ...words].filter(isText);
  const parts = PART_NAMES.flatMap((name) => partsOf(members[name]));
  const inner = [
    ...named,
    ...(parts.length === 0
      ? []
      : [outline.join(parts, ", ", (part) => nodeOutline(part, outline))]),
  ].join(" ");
  if (!isText(kind)) return inner;
  return inner === "" ? kind : `${kind}(${inner})`;
}

function partsOf(member: unknown): object[] {
  const parts = [member].flat().filter((part) => typeof part === "object" && part !== null);
  // No filter at all is a conjunction of nothing.
  return parts.filter((part) => !matchesAll(part as Predicate));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
