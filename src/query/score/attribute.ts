import { oneStep } from "../../base/steps.ts";
import { attributeNeeds } from "../filter/attribute-source.ts";
import type { ScoreOperator } from "../plan/operator.ts";
import type { ScoreNode } from "../plan/plan.ts";
import { boundNumbers, greatestNumber, scoreNumbers } from "./number-column.ts";

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
    needs: ({ attribute }, { view }) => [() => greatestNumber(attribute, view)],
    bounded: ({ attribute }, run) =>
      oneStep(() =>
        boundNumbers(attribute, run, (read) => read, greatestNumber(attribute, run.view)),
      ),
  },
  explain: ({ attribute }) => [`Attribute ${attribute}`],
};
