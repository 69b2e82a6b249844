/** Rankings of requests to those of the builder, as far as these can say them. */

import { isList, isMembers, type Json } from "./json-value.ts";
import { JSON_DIALECT, printLiteral } from "./print-literal.ts";
import { newRanking, type OrderRanking, type Ranking, type TextRanking } from "./query-model.ts";
import type { RequestSchema } from "./request-schema.ts";

/** Reads the member `rank_by`. What is not understood is left out; a comparison finds that. */
export function readRanking(rankBy: Json | undefined, schema: RequestSchema): Ranking {
  if (!isList(rankBy)) return { kind: "order", keys: [] };
  const [head, second, third] = rankBy;
  if (head === "Sum" || head === "Max" || head === "Product") return readText(rankBy, schema);
  if (second === "BM25") return readText(rankBy, schema);
  if (second === "ANN" || second === "kNN") return readVector(String(head), second, third, schema);
  if (second === "SparseKNN") {
    const entries = third === undefined ? "" : printLiteral(third, JSON_DIALECT);
    return { kind: "sparse", attribute: String(head), entries };
  }
  return readOrder(rankBy);
}

function readOrder(rankBy: readonly Json[]): OrderRanking {
  const all = isList(rankBy[0]) ? rankBy : [rankBy];
  const keys = all
    .filter(isList)
    .flatMap(([attribute, direction]) =>
      typeof attribute === "string" && (direction === "asc" || direction === "desc")
        ? [{ attribute, direction } as const]
        : [],
    );
  return { kind: "order", keys };
}

function readVector(
  attribute: string,
  method: "ANN" | "kNN",
  operand: Json | undefined,
  schema: RequestSchema,
): Ranking {
  const empty = newRanking("vector", schema) as Ranking & { kind: "vector" };
  const ranking = { ...empty, attribute, method };
  if (!isList(operand) || operand[0] !== "Embed") {
    const isText = typeof operand === "string";
    const values = isText ? operand : printLiteral(operand ?? "", JSON_DIALECT);
    return { ...ranking, from: "values", values };
  }
  const [, text, parameters] = operand;
  const model = isMembers(parameters) && typeof parameters.model === "string" && parameters.model;
  return { ...ranking, from: "text", text: String(text), model: model || "" };
}

/** All clauses must look for the same words; where they do not, a comparison finds it. */
function readText(rankBy: readonly Json[], schema: RequestSchema): TextRanking {
  const empty = newRanking("text", schema) as TextRanking;
  const [head, second] = rankBy;
  const isCombined = head === "Sum" || head === "Max";
  const clauses = isCombined ? (isList(second) ? second : []) : [rankBy];
  const read = clauses.flatMap((clause) => {
    const weighted = isList(clause) && clause[0] === "Product" ? clause : undefined;
    const text = weighted ? weighted[2] : clause;
    if (!isList(text) || text[1] !== "BM25" || typeof text[0] !== "string") return [];
    return [{ name: text[0], weight: String(weighted ? weighted[1] : 1), text }];
  });
  const first: readonly Json[] = read[0]?.text ?? [];
  const words = first[2];
  const options = first[3];
  return {
    ...empty,
    attributes: read.map(({ name, weight }) => ({ name, weight })),
    combine: head === "Max" ? "Max" : "Sum",
    query: isList(words) ? words.join(" ") : String(words ?? ""),
    lastAsPrefix: isMembers(options) && options.last_as_prefix === true,
  };
}
