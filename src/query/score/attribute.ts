import { attributeNeeds } from "../filter/attribute-source.ts";
import type { ScoreOperator } from "../operator/operator.ts";
import type { ScoreNode } from "../operator/plan.ts";
import { boundNumbers, scoreNumbers } from "./numbers/number-column.ts";

/** The value of a numeric attribute. */
export interface AttributeScoreNode extends ScoreNode {
  readonly kind: "attribute";
  readonly attribute: string;
}

/** Values as scores, each as the nearest 64-bit float. */
export const ATTRIBUTE: ScoreOperator<AttributeScoreNode> = {
  kind: "attribute",
  needs: ({ attribute }, { view }) => attributeNeeds(attribute, view),
  run: ({ attribute }, run) => scoreNumbers(attribute, run, (read) => read),
  bounds: {
    needs: () => [],
    bounded: ({ attribute }, run) =>
      boundNumbers(attribute, run, { scorer: (read) => read, spread: (range) => range }),
  },
  explain: ({ attribute }) => [`Attribute ${attribute}`],
};
