/** Which documents match a filter, without ranking them; for writes by filter. */

import type { Ordinal } from "../../base/ids.ts";
import { runSteps } from "../../base/steps.ts";
import type { Filter } from "../../model/filter.ts";
import { compareStrings, type DocumentId } from "../../model/value.ts";
import type { FilterScope } from "../bind/bind-filter.ts";
import { forEachBit, type OrdinalBits } from "../ordinal-bits.ts";
import { planFilter } from "../plan/planner.ts";
import { type QueryOptions, requireIndex } from "../query-options.ts";
import type { Snapshot } from "../snapshot.ts";
import { executePredicate } from "./executor.ts";
import { together } from "./missing-bytes.ts";

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
export function matchIds(
  snapshot: Pick<Snapshot, "schema" | "segments">,
  filter: Filter,
  cap: number,
  options: MatchOptions,
): MatchedIds {
  const ids: DocumentId[] = [];
  const matching = matchOrdinals(snapshot, filter, options);
  together(
    matching.map((bits, index) => () => {
      const { view } = snapshot.segments[index];
      forEachBit(bits, (ordinal) => ids.push(view.idOf(ordinal as Ordinal)));
    }),
  );
  const sorted = sortIds(ids);
  return { ids: sorted.slice(0, cap), more: sorted.length > cap };
}

/** The live documents of each segment that match, in the order of the segments. */
function matchOrdinals(
  snapshot: Pick<Snapshot, "schema" | "segments">,
  filter: Filter,
  options: MatchOptions,
): OrdinalBits[] {
  const scope: FilterScope = {
    schema: snapshot.schema,
    purpose: "query",
    requireIndex: (attribute, index) => requireIndex(options, attribute, index),
  };
  return runSteps(executePredicate(runSteps(planFilter(filter, scope)), snapshot));
}

function sortIds(ids: DocumentId[]): DocumentId[] {
  if (typeof ids[0] === "bigint") return [...BigUint64Array.from(ids as bigint[]).sort()];
  return (ids as string[]).sort(compareStrings);
}
