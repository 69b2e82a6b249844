import { type Interval, intersection } from "../documents/interval.ts";
import { isEmpty, type OrdinalBits } from "../documents/ordinal-bits.ts";
import type { PredicateOperator } from "../operator/operator.ts";
import type { Predicate } from "../operator/plan.ts";
import {
  arePartsOrdered,
  arrangedParts,
  costOfParts,
  explainParts,
  grainOfParts,
  type PartsNode,
  partsNeeds,
} from "./parts.ts";
import { joinRanges } from "./range.ts";

/** All parts match; without parts everything does. */
export interface AndNode extends PartsNode {
  readonly kind: "and";
}

/** Matches what all of the predicates match. */
export function allOf(predicates: readonly Predicate[]): AndNode {
  return { kind: "and", predicates };
}

/** Matches every document. */
export const MATCH_ALL = allOf([]);

/** Tells whether a predicate is known to match every document. */
export function matchesAll(predicate: Predicate): boolean {
  return predicate.kind === AND.kind && (predicate as AndNode).predicates.length === 0;
}

/** Conjunctions: each part runs within what the parts before it have left. */
export const AND: PredicateOperator<AndNode> = {
  kind: "and",

  cost: costOfParts,
  grain: grainOfParts,
  isOrdered: arePartsOrdered,

  arranged: (node, operators) => {
    const costOf = (part: Predicate): number => operators.predicate(part).cost(part, operators);
    const parts = joinRanges(arrangedParts(node, operators));
    return allOf(parts.sort((a, b) => costOf(a) - costOf(b)));
  },

  lookup: ({ predicates }, operators) => {
    for (const part of predicates) {
      const found = operators.predicate(part).lookup?.(part, operators);
      if (found === undefined) continue;
      const others = predicates.filter((other) => other !== part);
      return {
        ids: found.ids,
        rest: allOf(matchesAll(found.rest) ? others : [...others, found.rest]),
      };
    }
    return undefined;
  },

  intervalOf: ({ predicates }, attribute, operators) => {
    let interval: Interval | undefined;
    for (const part of predicates) {
      const own = operators.predicate(part).intervalOf?.(part, attribute, operators);
      interval = interval && own ? intersection(interval, own) : (interval ?? own);
    }
    return interval;
  },

  needs: partsNeeds,

  *run({ predicates }, run) {
    let bits: OrdinalBits = run.within;
    for (const part of predicates) {
      if (isEmpty(bits)) break;
      bits = yield* run.operators.predicate(part).run(part, { ...run, within: bits });
      yield;
    }
    return bits === run.within ? bits.slice() : bits;
  },

  count: ({ predicates }, run) => {
    if (predicates.length !== 1) return undefined;
    return run.operators.predicate(predicates[0]).count?.(predicates[0], run);
  },

  *matches({ predicates }, run) {
    for (const part of predicates) {
      if (run.pace.isDue(1)) yield;
      const found = run.operators.predicate(part).matches(part, run);
      if (!(typeof found === "boolean" ? found : yield* found)) return false;
    }
    return true;
  },

  explain: (node, label, operators) =>
    node.predicates.length === 0 ? [] : [`${label}: all of`, ...explainParts(node, operators)],
};
