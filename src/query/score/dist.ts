import type { ScalarValue } from "../../model/value.ts";
import type { ScoreRange } from "../documents/bounded-scores.ts";
import { attributeNeeds } from "../filter/attribute-source.ts";
import type { ScoreOperator } from "../operator/operator.ts";
import type { ScoreNode } from "../operator/plan.ts";
import type { NumberRange } from "./numbers/number-blocks.ts";
import { boundNumbers, type ExactReader, scoreNumbers } from "./numbers/number-column.ts";
import type { NumberReader } from "./numbers/number-reader.ts";

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
      boundNumbers(attribute, run, {
        scorer: (read, exact) => distanceFrom(origin, read, exact),
        spread: (range) => distancesFrom(origin, range),
      }),
  },
  explain: ({ attribute, origin }) => [`Dist of ${attribute} from ${origin}`],
};

/** What distances lie between; of integers that floats do not hold exactly nobody knows. */
function distancesFrom(origin: ScalarValue, { least, greatest }: NumberRange): ScoreRange {
  const near = Number(origin);
  const isExact = [near, least, greatest].every(Number.isSafeInteger);
  if (typeof origin === "bigint" && !isExact) {
    return { least: 0, greatest: Number.POSITIVE_INFINITY };
  }
  return {
    least: Math.max(0, least - near, near - greatest),
    greatest: Math.max(greatest - near, near - least),
  };
}

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
