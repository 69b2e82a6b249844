/** Answers to queries. */

import type { QueryResult } from "../../model/query-result.ts";
import type { QueryBilling, QueryPerformance } from "../../model/request-stats.ts";
import { jsonBytes } from "../json/json-writer.ts";
import { ResultWriter } from "./result-json.ts";
import { writeQueryBilling, writeQueryPerformance } from "./stats-json.ts";
import type { VectorEncoding } from "./value-json.ts";

/** All that a query's answer says. */
export interface QueryAnswer {
  /** As in the request: a multi-query answers with `results`, fused or not. */
  readonly kind: "single" | "multi";
  /** One for each query; a fused multi-query has one. */
  readonly results: readonly QueryResult[];
  readonly vectorEncoding: VectorEncoding;
  readonly billing: QueryBilling;
  /** Called once the results are written, so that the time covers that. */
  performance(): QueryPerformance;
}

/** Encodes a query's answer. */
export function encodeQueryAnswer(answer: QueryAnswer): Uint8Array<ArrayBuffer> {
  return jsonBytes((json) => {
    const results = new ResultWriter(json, answer.vectorEncoding);
    json.raw(answer.kind === "multi" ? '{"results":[' : "{");
    for (const [i, result] of answer.results.entries()) {
      if (answer.kind === "multi") json.raw(i > 0 ? ",{" : "{");
      results.writeMember(result);
      if (answer.kind === "multi") json.raw("}");
    }
    json.raw(answer.kind === "multi" ? '],"billing":' : ',"billing":');
    writeQueryBilling(json, answer.billing);
    json.raw(',"performance":');
    writeQueryPerformance(json, answer.performance());
    json.raw("}");
  });
}
