/** Conditions of writes: a filter on the current document and the values that would replace it. */

import { invalid } from "../../base/errors.ts";
import type { Ordinal } from "../../base/ids.ts";
import { Pace } from "../../base/pace.ts";
import type { Steps } from "../../base/steps.ts";
import {
  columnValue,
  elementCount,
  hasManyElements,
  longValue,
  type ValuePlace,
} from "../../codec/columns-value.ts";
import { REFERENCE_ELEMENTS_MAX } from "../../model/contract-limits.ts";
import type { Filter } from "../../model/filter.ts";
import type { Schema } from "../../model/schema.ts";
import type { AttributeValue, DocumentId } from "../../model/value.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import type { DocumentRun } from "../operator/operator.ts";
import { OPERATORS } from "../operators.ts";
import { comparisonWith } from "./bind-comparison.ts";
import { bindFilter } from "./bind-filter.ts";
import { PatternBudget } from "./pattern-budget.ts";

/** Comparisons, and elements of arrays that they read, between two pauses: some µs at most each. */
const CONDITION_UNITS_PER_STEP = 2048;

/** Where a document is. */
export interface DocumentPlace {
  readonly view: SegmentView;
  readonly ordinal: Ordinal;
}

/** Finds a new value, which is decoded if it is not too long; undefined if there is none. */
export type NewValues = (attribute: string) => ValuePlace | DocumentId | undefined;

/** Tells whether a write to the current document, with the new values of `next`, goes ahead. */
export type Condition = (current: DocumentPlace, next: NewValues) => boolean | Steps<boolean>;

/**
 * Binds a condition, in steps. Unlike filters of queries it may compare vectors with `Eq` and
 * `NotEq` and use `$ref_new`. Reads values only, so no index needs to be ready.
 */
export function* bindCondition(filter: Filter, schema: Schema): Steps<Condition> {
  const patterns = new PatternBudget();
  const scope = { schema, purpose: "condition", requireIndex: () => undefined, patterns } as const;
  const predicate = yield* bindFilter(filter, scope);
  const operator = OPERATORS.predicate(predicate);
  const arrays = arraysOf(filter, schema);
  const pace = new Pace(CONDITION_UNITS_PER_STEP);
  return ({ view, ordinal }, next) => {
    const longs = new Map<string, AttributeValue>();
    const run: DocumentRun = {
      current: (attribute) => {
        if (attribute === "id") return view.idOf(ordinal);
        const value = longs.get(attribute) ?? view.column(attribute)?.value(ordinal) ?? null;
        pace.add(lengthOf(value));
        return value;
      },
      next: (attribute) => {
        const place = next(attribute);
        if (typeof place !== "object") return place ?? null;
        const length = elementCount(place);
        if (length > REFERENCE_ELEMENTS_MAX) throw tooLong(attribute, length);
        const value = columnValue(place.column, place.ordinal);
        pace.add(lengthOf(value));
        return value;
      },
      comparison: comparisonWith,
      operators: OPERATORS,
      pace,
    };
    const places = longPlaces(arrays, { view, ordinal });
    if (places === undefined) return operator.matches(predicate, run);
    return afterLoading(places, longs, () => operator.matches(predicate, run));
  };
}

/** Long values of one document, each decoded once, whatever the number of comparisons. */
type LongValues = Map<string, AttributeValue>;

/** The attributes with arrays that a filter compares. */
function arraysOf(filter: Filter, schema: Schema): ReadonlySet<string> {
  const arrays = new Set<string>();
  const left: Filter[] = [filter];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.kind === "not") left.push(next.filter);
    else if (next.kind !== "condition") for (const part of next.filters) left.push(part);
    else {
      const kind = schema.attributes.get(next.attribute)?.type.kind;
      if (kind === "array" || kind === "multi_vector") arrays.add(next.attribute);
    }
  }
  return arrays;
}

/** Places of the document's values that take several steps to decode; undefined if there are none. */
function longPlaces(
  arrays: ReadonlySet<string>,
  { view, ordinal }: DocumentPlace,
): Map<string, ValuePlace> | undefined {
  let places: Map<string, ValuePlace> | undefined;
  for (const attribute of arrays) {
    const place = view.column(attribute)?.place(ordinal);
    if (place === undefined || !hasManyElements(place)) continue;
    places ??= new Map<string, ValuePlace>();
    places.set(attribute, place);
  }
  return places;
}

function* afterLoading(
  places: ReadonlyMap<string, ValuePlace>,
  into: LongValues,
  matches: () => boolean | Steps<boolean>,
): Steps<boolean> {
  for (const [attribute, place] of places) into.set(attribute, yield* longValue(place));
  yield;
  const found = matches();
  return typeof found === "boolean" ? found : yield* found;
}

/** Elements of an array or of a vector; 1 for other values. */
function lengthOf(value: AttributeValue): number {
  if (value === null || typeof value !== "object") return 1;
  return "length" in value ? value.length : value.names.length;
}

function tooLong(attribute: string, length: number): Error {
  return invalid(
    `💔 $ref_new of '${attribute}': a condition compares arrays of at most ` +
      `${REFERENCE_ELEMENTS_MAX} elements with the current value, and one has ${length}`,
  );
}
