/** From ranked ordinals to what is returned: ids, attributes and computed members. */

import type { Ordinal } from "../base/ids.ts";
import { hasBit, setBit } from "../codec/bitmap.ts";
import { attributeBytes } from "../codec/columns-size.ts";
import type { AttributeType } from "../model/attribute-type.ts";
import type { ComputedValue, ResultDocument } from "../model/query-result.ts";
import type { AttributeValue, DocumentId } from "../model/value.ts";
import { attemptAll, NotResident } from "../segment/format/bytes-missing.ts";
import type { SegmentView } from "../segment/segment-view.ts";
import { highlightValue } from "./highlight.ts";
import type { RankedDocument } from "./order/top-documents.ts";
import { emptyBits, type OrdinalBits } from "./ordinal-bits.ts";
import type { ComputedNode, DocumentPlan } from "./plan.ts";
import { touchValues } from "./plan-needs.ts";
import type { Execution } from "./rank-documents.ts";
import { scoreSegment } from "./score-segment.ts";
import { roundScore } from "./segment-scores.ts";
import { scanVectors } from "./vector/vector-scan.ts";

/** Logical bytes of `$dist` (wire contract). */
const DIST_BYTES = 4;
/** Logical bytes of numeric ids and of UUIDs (wire contract). */
const NUMBER_BYTES = 8;
const UUID_BYTES = 16;

/** Reads what the plan returns of each document, and counts its logical bytes. */
export function projectDocuments(
  plan: DocumentPlan,
  ranked: readonly RankedDocument[],
  execution: Execution,
): ResultDocument[] {
  try {
    return project(plan, ranked, execution);
  } catch (error) {
    if (!(error instanceof NotResident)) throw error;
    // What all documents need is asked for together.
    attemptAll([
      () => {
        throw error;
      },
      () => touchRanked(plan, ranked, execution),
      ...plan.computed.map(
        ([, node]) =>
          () =>
            computeMember(node, ranked, execution),
      ),
    ]);
    throw error;
  }
}

function project(
  plan: DocumentPlan,
  ranked: readonly RankedDocument[],
  execution: Execution,
): ResultDocument[] {
  const { snapshot, work } = execution;
  const computed = plan.computed.map(
    ([name, node]) => [name, computeMember(node, ranked, execution)] as const,
  );
  const isUuid = snapshot.schema.idType === "uuid";
  return ranked.map((document, index) => {
    const { view } = snapshot.segments[document.segment];
    const ordinal = document.ordinal as Ordinal;
    const id = view.idOf(ordinal);
    const dist = distOf(plan, document);
    work.bytesReturned += idBytes(id, isUuid) + (dist === undefined ? 0 : DIST_BYTES);
    const attributes: [string, AttributeType, AttributeValue][] = [];
    for (const [name, type] of plan.attributes) {
      const column = view.column(name);
      const value = column?.value(ordinal) ?? null;
      if (value === null) continue;
      attributes.push([name, type, value]);
      work.bytesReturned += attributeBytes(type, value);
    }
    const values = computed.map(([name, members]) => [name, members[index]] as const);
    return { id, dist, attributes, computed: values };
  });
}

function touchRanked(
  { attributes }: DocumentPlan,
  ranked: readonly RankedDocument[],
  { snapshot }: Execution,
): void {
  if (attributes.length === 0) return;
  const names = attributes.map(([name]) => name);
  attemptAll(
    ranked.map(({ segment, ordinal }) => () => {
      touchValues(snapshot.segments[segment].view, [ordinal as Ordinal], names);
    }),
  );
}

function distOf({ rank }: DocumentPlan, { key }: RankedDocument): number | undefined {
  if (rank.kind === "order") return undefined;
  return rank.kind === "vector" ? key : -key;
}

function idBytes(id: DocumentId, isUuid: boolean): number {
  if (typeof id === "bigint") return NUMBER_BYTES;
  return isUuid ? UUID_BYTES : Buffer.byteLength(id);
}

/** One computed member for all ranked documents. */
function computeMember(
  node: ComputedNode,
  ranked: readonly RankedDocument[],
  execution: Execution,
): ComputedValue[] {
  const { segments } = execution.snapshot;
  if (node.kind === "highlight") {
    return attemptAll(
      ranked.map(({ segment, ordinal }) => () => {
        const column = segments[segment].view.column(node.highlight.attribute);
        return highlightValue(node, column?.value(ordinal as Ordinal) ?? null);
      }),
    );
  }
  const members: ComputedValue[] = ranked.map(() => null);
  attemptAll(
    [...bySegment(ranked)].map(([segment, indexes]) => () => {
      const { view } = segments[segment];
      const wanted = emptyBits(view.documentCount);
      for (const index of indexes) setBit(wanted, ranked[index].ordinal);
      const memberOf = computeSegment(node, view, wanted, execution);
      for (const index of indexes) members[index] = memberOf(ranked[index].ordinal);
    }),
  );
  return members;
}

/** Indexes of the ranked documents of each segment. */
function bySegment(ranked: readonly RankedDocument[]): Map<number, number[]> {
  const indexes = new Map<number, number[]>();
  ranked.forEach(({ segment }, index) => {
    const known = indexes.get(segment);
    if (known === undefined) indexes.set(segment, [index]);
    else known.push(index);
  });
  return indexes;
}

/** Scores of documents that no clause produces are 0; distances without a vector are null. */
function computeSegment(
  node: Exclude<ComputedNode, { kind: "highlight" }>,
  view: SegmentView,
  wanted: OrdinalBits,
  { context, work }: Execution,
): (ordinal: number) => ComputedValue {
  if (node.kind === "score") {
    const { values, scored } = scoreSegment(node.score, view, wanted, work);
    return (ordinal) => (hasBit(scored, ordinal) ? roundScore(values[ordinal]) : 0);
  }
  const distances = new Map<number, number>();
  const scan = { target: node.target, access: "gather", kernels: context.kernels, work } as const;
  scanVectors(scan, view, wanted, (ordinals, found) => {
    ordinals.forEach((ordinal, i) => {
      if (!Number.isNaN(found[i])) distances.set(ordinal, found[i]);
    });
  });
  return (ordinal) => distances.get(ordinal) ?? null;
}
