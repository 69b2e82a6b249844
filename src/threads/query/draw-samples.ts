import type { Random } from "../../base/random.ts";
import type { QueryRequest, VectorOperand } from "../../model/query.ts";
import type { RecallRequest } from "../../model/recall.ts";

/**
 * Draws ANN rankings of a request, each with probability `rate`, as measurements of their recall:
 * over all that the query has ranked, up to its limit, whatever it returns of that. Samples share
 * no memory with the request.
 */
export function drawSamples(
  { queries }: QueryRequest,
  rate: number,
  random: Random,
): RecallRequest[] {
  return queries.flatMap((query) => {
    if (query.kind !== "documents" || query.rankBy.kind !== "vector") return [];
    const { rankBy, filter, limit, offset } = query;
    if (rankBy.method !== "ANN" || random.next() >= rate) return [];
    const operand = ownOperand(rankBy.operand);
    const measured = { rankBy: { ...rankBy, operand }, filter, topK: limit + offset };
    return [{ ...measured, sampleCount: 1, includeGroundTruth: false }];
  });
}

/** A vector may be a window of a buffer with many: all of it would go to the other thread. */
function ownOperand(operand: VectorOperand): VectorOperand {
  switch (operand.kind) {
    case "vector":
      return { ...operand, values: operand.values.slice() };
    case "vectors":
      return { ...operand, values: operand.values.map((vector) => vector.slice()) };
    case "embed":
      return operand;
  }
}
