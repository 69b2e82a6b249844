/** Which documents match a filter, without ranking them; for writes by filter. */

import type { Ordinal } from "../base/ids.ts";
import type { Filter } from "../model/filter.ts";
import { compareStrings, type DocumentId } from "../model/value.ts";
import { attemptAll, NotResident } from "../segment/format/bytes-missing.ts";
import { bindFilter } from "./bind/bind-filter.ts";
import { filterSegment } from "./filter-segment.ts";
import { forEachBit, type OrdinalBits } from "./ordinal-bits.ts";
import { predicateNeeds } from "./plan-needs.ts";
import { cheapestFirst } from "./planner.ts";
import { type QueryContext, requireIndex } from "./query-options.ts";
import type { Snapshot } from "./snapshot.ts";

/** The part of the context that matching needs. */
export type MatchContext = Pick<QueryContext, "indexState">;

/** The live documents of each segment that match, in the order of the snapshot's segments. */
export function matchOrdinals(
  { schema, segments }: Pick<Snapshot, "schema" | "segments">,
  filter: Filter,
  context: MatchContext,
): OrdinalBits[] {
  const predicate = cheapestFirst(
    bindFilter(filter, {
      schema,
      purpose: "query",
      requireIndex: (attribute, index) => requireIndex(context, attribute, index),
    }),
  );
  try {
    return attemptAll(
      segments.map(
        ({ view, live }) =>
          () =>
            filterSegment(predicate, view, live),
      ),
    );
  } catch (error) {
    if (!(error instanceof NotResident)) throw error;
    attemptAll([
      () => {
        throw error;
      },
      ...segments.flatMap(({ view }) => predicateNeeds(predicate, view)),
    ]);
    throw error;
  }
}

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
  context: MatchContext,
): MatchedIds {
  const ids: DocumentId[] = [];
  const matching = matchOrdinals(snapshot, filter, context);
  attemptAll(
    matching.map((bits, index) => () => {
      const { view } = snapshot.segments[index];
      forEachBit(bits, (ordinal) => ids.push(view.idOf(ordinal as Ordinal)));
    }),
  );
  const sorted = sortIds(ids);
  return { ids: sorted.slice(0, cap), more: sorted.length > cap };
}

function sortIds(ids: DocumentId[]): DocumentId[] {
  if (typeof ids[0] === "bigint") return [...BigUint64Array.from(ids as bigint[]).sort()];
  return (ids as string[]).sort(compareStrings);
}
