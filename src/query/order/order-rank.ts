import { attributeNeeds } from "../filter/attribute-source.ts";
import { eachMatch } from "../filter/matched-documents.ts";
import type { RankOperator } from "../plan/operator.ts";
import type { RankNode } from "../plan/plan.ts";
import { type OrderKey, orderComparer, orderHints } from "./document-order.ts";

/** An ordering by attributes. */
export interface OrderRankNode extends RankNode {
  readonly kind: "order";
  /** The first counts most; ids decide last. */
  readonly keys: readonly OrderKey[];
}

/** Orderings: the key of a document is a hint of where it stands. */
export const ORDER_RANK: RankOperator<OrderRankNode> = {
  kind: "order",
  comparer: ({ keys }, segments) => orderComparer(segments, keys),

  *rankSegment({ keys }, { segment, index, matching, ranking }) {
    const writeHints = orderHints(segment, keys[0]);
    yield* eachMatch(matching, (ordinals, hints) => {
      writeHints(ordinals, hints);
      ranking.offerAll(hints, index, ordinals);
    });
  },

  distOf: () => undefined,
  grain: () => "ordinals",
  needs: ({ keys }, { view }) => keys.flatMap(({ attribute }) => attributeNeeds(attribute, view)),
  explain: ({ keys }) => [
    `Order: ${keys.map(({ attribute, direction }) => `${attribute} ${direction}`).join(", ")}`,
  ],
};
