import { oneStep } from "../../base/steps.ts";
import type { ScalarValue } from "../../model/value.ts";
import { attributeNeeds } from "../filter/attribute-source.ts";
import type { ScoreOperator } from "../plan/operator.ts";
import type { ScoreNode } from "../plan/plan.ts";
import {
  boundNumbers,
  type ExactReader,
  type NumberReader,
  type NumberScorer,
  scoreNumbers,
} from "./number-column.ts";

/** How far the value of a numeric attribute is from `origin`. */
export interface DistNode extends ScoreNode {
  readonly kind: "dist";
  readonly attribute: string;
  readonly origin: ScalarValue;
}

/** Distances of numbers, rounded once from the exact difference. */
export const DIST: ScoreOperator<DistNode> = {
  kind: "dist",
  needs: ({ attribute }, { view }) => attributeNeeds(attribute, view),
  run: ({ attribute, origin }, run) =>
    scoreNumbers(attribute, run, (read, exact) => distanceFrom(origin, read, exact)),
  bounds: {
    needs: () => [],
    bounded: ({ attribute, origin }, run) =>
      oneStep(() => {
        const scorer: NumberScorer = (read, exact) => distanceFrom(origin, read, exact);
        return boundNumbers(attribute, run, scorer, Number.POSITIVE_INFINITY);
      }),
  },
  explain: ({ attribute, origin }) => [`Dist of ${attribute} from ${origin}`],
};

function distanceFrom(origin: ScalarValue, read: NumberReader, exact: ExactReader): NumberReader {
  const near = Number(origin);
  if (typeof origin !== "bigint") return (ordinal) => Math.abs(read(ordinal) - near);
  const isSmall = Number.isSafeInteger(near);
  return (ordinal) => {
    const value = read(ordinal);
    if (isSmall && Number.isSafeInteger(value)) return Math.abs(value - near);
    const difference = BigInt(exact(ordinal)) - origin;
    return Number(difference < 0n ? -difference : difference);
  };
}
