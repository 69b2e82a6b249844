/** Answers to queries. */

import { KIB } from "../../base/byte-sizes.ts";
import type { Steps } from "../../base/steps.ts";
import type { QueryResult } from "../../model/query-result.ts";
import type { QueryBilling, QueryPerformance } from "../../model/request-stats.ts";
import { JsonWriter } from "../json/json-writer.ts";
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

/** Bytes from which on an answer is handed over in pieces; a piece ends after a row. */
export const ANSWER_PIECE_BYTES = 256 * KIB;

/**
 * Encodes a query's answer in steps: at least one piece. `written` is told of the bytes of each.
 */
export function* encodeQueryAnswer(
  answer: QueryAnswer,
  written: (bytes: number) => void = () => {},
): Steps<Uint8Array<ArrayBuffer>[]> {
  const json = new JsonWriter();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const hand = (): void => {
    const piece = json.take();
    written(piece.length);
    pieces.push(piece);
  };
  const results = new ResultWriter(json, answer.vectorEncoding);
  json.raw(answer.kind === "multi" ? '{"results":[' : "{");
  for (const [i, result] of answer.results.entries()) {
    if (answer.kind === "multi") json.raw(i > 0 ? ",{" : "{");
    for (const _row of results.memberRows(result)) {
      if (json.length >= ANSWER_PIECE_BYTES) hand();
      yield;
    }
    if (answer.kind === "multi") json.raw("}");
  }
  json.raw(answer.kind === "multi" ? '],"billing":' : ',"billing":');
  writeQueryBilling(json, answer.billing);
  json.raw(',"performance":');
  writeQueryPerformance(json, answer.performance());
  json.raw("}");
  hand();
  return pieces;
}
