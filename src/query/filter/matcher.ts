/** Finds the live documents of segments that match a predicate. */

import { oneStep, type Steps } from "../../base/steps.ts";
import { countBits, hasBit } from "../../codec/bitmap.ts";
import type { IdType } from "../../model/attribute-type.ts";
import type { DocumentId } from "../../model/value.ts";
import { type HashedIds, hashIds } from "../../segment/view/id-keys.ts";
import type { SegmentSnapshot, SegmentView } from "../../segment/view/segment-view.ts";
import {
  bitsOf,
  type MatchedDocuments,
  matchBits,
  matchCount,
} from "../documents/matched-documents.ts";
import type { Operators, Together, TogetherInSteps } from "../operator/operator.ts";
import type { Predicate } from "../operator/plan.ts";
import type { QueryMemory } from "../operator/query-memory.ts";
import type { WorkStats } from "../operator/work-stats.ts";
import { matchesAll } from "./and.ts";

/** Ids that are hashed, or looked up, between two pauses: some 100 ns each. */
const IDS_PER_STEP = 4096;
/** Documents up to which those that were found are a list. */
const LISTED_DOCUMENTS_MAX = 1024;

/** Finds the matches of one segment. */
export type Matcher = (segment: SegmentSnapshot) => Steps<MatchedDocuments>;

/** What matchers work with. */
export interface MatcherOptions {
  /** Undefined where no document has been written yet. */
  readonly idType: IdType | undefined;
  readonly work: WorkStats;
  readonly operators: Operators;
  readonly together: Together;
  readonly togetherInSteps: TogetherInSteps;
  /** Absent: what filters keep is not counted. */
  readonly memory?: QueryMemory | undefined;
}

/** Makes the matcher of a predicate. */
export function matcherOf(predicate: Predicate, options: MatcherOptions): Matcher {
  const { idType, work, operators } = options;
  const operator = operators.predicate(predicate);
  const found = operator.lookup?.(predicate, operators);
  if (found !== undefined && idType !== undefined) {
    const ids = new SoughtIds(idType, found.ids);
    return (segment) => lookUp(ids, found.rest, segment, options);
  }
  if (matchesAll(predicate)) {
    return ({ liveBitmap, liveCount }) =>
      oneStep(() => {
        work.documentsScanned += liveCount;
        return { form: "bits", bits: liveBitmap, count: liveCount };
      });
  }
  return (segment) => filterSegment(predicate, segment, options);
}

function* filterSegment(
  predicate: Predicate,
  { view, liveBitmap, liveCount }: SegmentSnapshot,
  { operators, together, togetherInSteps, work, memory }: MatcherOptions,
): Steps<MatchedDocuments> {
  work.documentsScanned += liveCount;
  const run = { view, within: liveBitmap, operators, together, togetherInSteps, work, memory };
  const bits = yield* operators.predicate(predicate).run(predicate, run);
  return { form: "bits", bits, count: undefined };
}

/** Ids that are looked for in several segments: each is hashed once, where the first one needs it. */
class SoughtIds {
  readonly partCount: number;
  readonly #idType: IdType;
  readonly #ids: readonly DocumentId[];
  readonly #parts: HashedIds[] = [];

  constructor(idType: IdType, ids: readonly DocumentId[]) {
    this.#idType = idType;
    this.#ids = ids;
    this.partCount = Math.ceil(ids.length / IDS_PER_STEP);
  }

  /** Some of them. */
  part(index: number): HashedIds {
    const known = this.#parts[index];
    if (known !== undefined) return known;
    const start = index * IDS_PER_STEP;
    const ids = this.partCount === 1 ? this.#ids : this.#ids.slice(start, start + IDS_PER_STEP);
    const part = hashIds(this.#idType, ids);
    this.#parts.push(part);
    return part;
  }
}

/** Looks at nothing but the documents with the ids: O(ids), whatever the size of the segment. */
function* lookUp(
  ids: SoughtIds,
  rest: Predicate,
  { view, liveBitmap }: SegmentSnapshot,
  { operators, together, togetherInSteps, work, memory }: MatcherOptions,
): Steps<MatchedDocuments> {
  const found: number[] = [];
  for (let index = 0; index < ids.partCount; index++) {
    if (index > 0) yield;
    const part = ids.part(index);
    for (let i = 0; i < part.ids.length; i++) {
      const ordinal = view.ordinalAt(part, i);
      if (ordinal !== undefined && hasBit(liveBitmap, ordinal)) found.push(ordinal);
    }
  }
  // An id may be listed twice.
  const matching = matchedOf(found, view);
  work.documentsScanned += matchCount(matching);
  if (found.length === 0 || matchesAll(rest)) return matching;
  const within = matchBits(matching, view);
  const run = { view, within, operators, together, togetherInSteps, work, memory };
  const bits = yield* operators.predicate(rest).run(rest, run);
  return { form: "bits", bits, count: undefined };
}

/** Documents that were found in any order, some more than once. */
function matchedOf(found: readonly number[], view: SegmentView): MatchedDocuments {
  if (found.length <= LISTED_DOCUMENTS_MAX) {
    return { form: "list", ordinals: eachOnceAscending(found) };
  }
  const bits = bitsOf(found, view);
  return { form: "bits", bits, count: countBits(bits) };
}

function eachOnceAscending(found: readonly number[]): Uint32Array {
  return Uint32Array.from(found)
    .sort()
    .filter((ordinal, i, ordinals) => i === 0 || ordinal !== ordinals[i - 1]);
}
