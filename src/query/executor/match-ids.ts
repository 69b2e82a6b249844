/** Which documents match a filter, without ranking them; for writes by filter. */

import type { Ordinal } from "../../base/ids.ts";
import { mergeRuns } from "../../base/merge-runs.ts";
import type { Steps } from "../../base/steps.ts";
import type { Filter } from "../../model/filter.ts";
import { compareStrings, type DocumentId } from "../../model/value.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import type { FilterScope } from "../bind/bind-filter.ts";
import { PatternBudget } from "../bind/pattern-budget.ts";
import { forEachBit, type OrdinalBits } from "../documents/ordinal-bits.ts";
import { togetherInSteps } from "../operator/missing-bytes.ts";
import { type QueryOptions, requireIndex } from "../operator/query-options.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { planFilter } from "../planner/planner.ts";
import { executePredicate } from "./executor.ts";

/** Words of bits that one step turns into ids. */
const STEP_WORDS = 256;

/** The options that a filter needs. */
export type MatchOptions = Pick<QueryOptions, "indexState">;

/** Matching documents. */
export interface MatchedIds {
  /** Ascending. */
  readonly ids: DocumentId[];
  /** More match than were asked for. */
  readonly more: boolean;
}

/** The smallest ids of the documents that match, at most `cap`. */
export function* matchIds(
  snapshot: Pick<Snapshot, "schema" | "segments">,
  filter: Filter,
  cap: number,
  options: MatchOptions,
): Steps<MatchedIds> {
  const matching = yield* matchOrdinals(snapshot, filter, options);
  const found = yield* togetherInSteps(matching, (bits, index) =>
    idsOf(snapshot.segments[index].view, bits),
  );
  const sorted = yield* firstIds(found, cap + 1);
  const more = sorted.length > cap;
  return { ids: more ? sorted.slice(0, cap) : sorted, more };
}

/** The ids of some documents of a segment, in sorted runs. */
function* idsOf(view: SegmentView, bits: OrdinalBits): Steps<DocumentId[][]> {
  const runs: DocumentId[][] = [];
  for (let start = 0; start < bits.length; start += STEP_WORDS) {
    const run: DocumentId[] = [];
    forEachBit(bits.subarray(start, start + STEP_WORDS), (bit) => {
      run.push(view.idOf((32 * start + bit) as Ordinal));
    });
    if (run.length > 0) runs.push(sortRun(run));
    yield;
  }
  return runs;
}

function sortRun(ids: DocumentId[]): DocumentId[] {
  if (typeof ids[0] === "bigint") return [...BigUint64Array.from(ids as bigint[]).sort()];
  return ids.sort(compareTexts);
}

/** The live documents of each segment that match, in the order of the segments. */
function* matchOrdinals(
  snapshot: Pick<Snapshot, "schema" | "segments">,
  filter: Filter,
  options: MatchOptions,
): Steps<OrdinalBits[]> {
  const scope: FilterScope = {
    schema: snapshot.schema,
    purpose: "query",
    patterns: new PatternBudget(),
    requireIndex: (attribute, index) => requireIndex(options, attribute, index),
  };
  return yield* executePredicate(yield* planFilter(filter, scope), snapshot);
}

function firstIds(
  found: readonly (readonly DocumentId[][])[],
  countMax: number,
): Steps<DocumentId[]> {
  const runs = found.flat();
  const compare = typeof runs.at(0)?.[0] === "bigint" ? compareUints : compareTexts;
  return mergeRuns(runs, compare, countMax);
}

function compareUints(a: DocumentId, b: DocumentId): number {
  return a < b ? -1 : 1;
}

function compareTexts(a: DocumentId, b: DocumentId): number {
  return compareStrings(a as string, b as string);
}
