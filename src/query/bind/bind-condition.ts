/** Conditions of writes: a filter on the current document and the values that would replace it. */

import type { Ordinal } from "../../base/ids.ts";
import type { Steps } from "../../base/steps.ts";
import type { Filter } from "../../model/filter.ts";
import type { Schema } from "../../model/schema.ts";
import type { AttributeValue } from "../../model/value.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import { OPERATORS } from "../operators.ts";
import { comparisonWith } from "./bind-comparison.ts";
import { bindFilter } from "./bind-filter.ts";
import { PatternBudget } from "./pattern-budget.ts";

/** Where a document is. */
export interface DocumentPlace {
  readonly view: SegmentView;
  readonly ordinal: Ordinal;
}

/** Tells whether a write to the current document, with the new values of `next`, goes ahead. */
export type Condition = (
  current: DocumentPlace,
  next: (attribute: string) => AttributeValue,
) => boolean | Steps<boolean>;

/**
 * Binds a condition, in steps. Unlike filters of queries it may compare vectors with `Eq` and
 * `NotEq` and use `$ref_new`. Reads values only, so no index needs to be ready.
 */
export function* bindCondition(filter: Filter, schema: Schema): Steps<Condition> {
  const patterns = new PatternBudget();
  const scope = { schema, purpose: "condition", requireIndex: () => undefined, patterns } as const;
  const predicate = yield* bindFilter(filter, scope);
  const operator = OPERATORS.predicate(predicate);
  return ({ view, ordinal }, next) => {
    const current = (attribute: string): AttributeValue =>
      attribute === "id" ? view.idOf(ordinal) : (view.column(attribute)?.value(ordinal) ?? null);
    return operator.matches(predicate, {
      current,
      next,
      comparison: comparisonWith,
      operators: OPERATORS,
    });
  };
}
