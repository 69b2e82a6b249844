import type { Query, QueryRequest, ScoreExpression } from "../../model/query.ts";

/**
 * What a request asks for, in one word: few, for they are labels of metrics. `score` is arithmetic
 * over clauses.
 */
export type RequestKind =
  | "ann"
  | "knn"
  | "text"
  | "sparse"
  | "score"
  | "order"
  | "aggregate"
  | "multi";

/** The kind of a request. */
export function requestKind({ kind, queries }: QueryRequest): RequestKind {
  return kind === "multi" ? "multi" : queryKind(queries[0]);
}

function queryKind(query: Query): RequestKind {
  if (query.kind === "aggregate") return "aggregate";
  const { rankBy } = query;
  switch (rankBy.kind) {
    case "order":
      return "order";
    case "vector":
      return rankBy.method === "ANN" ? "ann" : "knn";
    case "score":
      return scoreKind(rankBy.expression);
  }
}

function scoreKind(expression: ScoreExpression): RequestKind {
  switch (expression.kind) {
    case "bm25":
      return "text";
    case "sparse":
      return "sparse";
    default:
      return "score";
  }
}
