/** Bodies of recall measurements. */

import { invalid } from "../../base/errors.ts";
import { oneStep, type Steps } from "../../base/steps.ts";
import { RESULT_ROWS_MAX } from "../../model/contract-limits.ts";
import type { JsonValue } from "../../model/json-value.ts";
import type { RankBy } from "../../model/query.ts";
import type { RecallRequest } from "../../model/recall.ts";
import { readJsonBody } from "../json/json-body.ts";
import { booleanAt, countAt, describeJson, objectAt, present } from "../json/json-shape.ts";
import { UnknownMembers } from "../json/unknown-members.ts";
import { ExpressionBudget } from "./expression-budget.ts";
import { parseFilter } from "./parse-filter.ts";
import { parseRankBy } from "./parse-rank-by.ts";
import { RECALL_FORM } from "./query-forms.ts";

/** Stored vectors that one recall measurement samples as queries; our choice. */
export const RECALL_SAMPLES_MAX = 10_000;
/** Stored vectors that one measurement samples unless it says so (wire contract). */
export const SAMPLES_DEFAULT = 25;
/** Neighbours of each that are compared unless it says so (wire contract). */
export const TOP_K_DEFAULT = 10;

/**
 * Reads the body of a recall request, in steps; an empty body asks for the defaults. Members that
 * are unknown are ignored and noted in `unknown`.
 */
export function parseRecallBody(
  body: Uint8Array,
  unknown = new UnknownMembers(),
): Steps<RecallRequest> {
  if (body.length === 0) return oneStep(() => recallOf(new Map<string, JsonValue>()));
  return readJsonBody(body, { form: RECALL_FORM, unknown }, recallOf);
}

function recallOf(body: JsonValue): RecallRequest {
  const root = objectAt("", body);
  const budget = new ExpressionBudget();
  const filters = present(root, "filters");
  const includeGroundTruth = present(root, "include_ground_truth");
  const rankBy = parseAnnRank(present(root, "rank_by"), budget);
  const count = present(root, "num");
  if (rankBy !== undefined && count !== undefined && count !== 1n) {
    throw invalid(`💔 num must be 1 or absent when rank_by is given, got ${describeJson(count)}`);
  }
  return {
    sampleCount: rankBy ? 1 : boundedCount("num", count, SAMPLES_DEFAULT, RECALL_SAMPLES_MAX),
    topK: boundedCount("top_k", present(root, "top_k"), TOP_K_DEFAULT, RESULT_ROWS_MAX),
    filter: filters === undefined ? undefined : parseFilter("filters", filters, budget),
    rankBy,
    includeGroundTruth:
      includeGroundTruth === undefined
        ? false
        : booleanAt("include_ground_truth", includeGroundTruth),
  };
}

function parseAnnRank(value: JsonValue | undefined, budget: ExpressionBudget): RankBy | undefined {
  if (value === undefined) return undefined;
  const rankBy = parseRankBy("rank_by", value, budget);
  if (rankBy.kind === "vector" && rankBy.method === "ANN") return rankBy;
  throw invalid("💔 rank_by: recall can only be measured for ANN");
}

function boundedCount(
  path: string,
  value: JsonValue | undefined,
  fallback: number,
  max: number,
): number {
  if (value === undefined) return fallback;
  const count = countAt(path, value);
  if (count >= 1 && count <= max) return count;
  throw invalid(`💔 ${path} must be between 1 and ${max}, got ${count}`);
}
