import type { SegmentView } from "../../segment/view/segment-view.ts";
import { type OrderKey, orderComparer, orderHints } from "../documents/document-order.ts";
import type { Interval } from "../documents/interval.ts";
import { eachMatch } from "../documents/matched-documents.ts";
import { attributeNeeds } from "../filter/attribute-source.ts";
import { hasEntries } from "../filter/sorted-order.ts";
import type { Need, RankOperator } from "../operator/operator.ts";
import type { RankNode } from "../operator/plan.ts";
import { entriesWithin, pickWalk, WALK_PART, walkOrder } from "./walk-order.ts";

/** An ordering by attributes. */
export interface OrderRankNode extends RankNode {
  readonly kind: "order";
  /** The first counts most; ids decide last. */
  readonly keys: readonly OrderKey[];
  /** Where the first key's values lie in all matches that have one. */
  readonly within?: Interval;
}

/** Orderings: the key of a document is a hint of where it stands. */
export const ORDER_RANK: RankOperator<OrderRankNode> = {
  kind: "order",
  comparer: ({ keys }, segments) => orderComparer(segments, keys),

  *rankSegment({ keys, within }, part, { work }) {
    const { segment, index, matching, ranking } = part;
    const walk = pickWalk(keys[0], within, part);
    const rest = walk === undefined ? matching : yield* walkOrder(walk, part, work);
    if (rest === undefined) return;
    const writeHints = orderHints(segment, keys[0]);
    yield* eachMatch(rest, (ordinals, hints) => {
      writeHints(ordinals, hints);
      ranking.offerAll(hints, index, ordinals);
    });
  },

  distOf: () => undefined,

  // A walk through the order of a segment is short, and its parts would each take as long. Of a
  // plan in the order of ids that takes long enough to be divided it is the filter that does.
  grain: ({ keys: [{ attribute }] }, { segments }) => {
    const hasOrder = segments.some(({ view }) => hasEntries(attribute, view));
    return hasOrder && attribute !== "id" ? "segments" : "ordinals";
  },

  needs: (node, { view }) => [
    ...node.keys.flatMap(({ attribute }) => attributeNeeds(attribute, view)),
    ...walkNeeds(node, view),
  ],

  explain: ({ keys }, { segments }) => {
    const names = keys.map(({ attribute, direction }) => `${attribute} ${direction}`);
    const sorted = segments.filter(({ view }) => hasEntries(keys[0].attribute, view)).length;
    if (sorted === 0) return [`Order: ${names.join(", ")}`];
    return [
      `Order: ${names.join(", ")}`,
      `  in ${sorted} of ${segments.length} segments by a walk through documents in order of`,
      `  ${keys[0].attribute}, where that meets enough matches soon`,
    ];
  },
};

/** Looks at the first entries of a walk; it ends where others are not in memory. */
function walkNeeds({ keys, within }: OrderRankNode, view: SegmentView): Need[] {
  const [key] = keys;
  if (!hasEntries(key.attribute, view)) return [];
  return [
    () => {
      const found = entriesWithin(key, within, view);
      if (found === undefined) return;
      const { source, start, end } = found;
      const count = Math.min(end - start, WALK_PART);
      const first = key.direction === "asc" ? start : end - count;
      void source.sorted.entries(first, first + count);
    },
  ];
}
