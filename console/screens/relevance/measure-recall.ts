/** Recall of the approximate search, without a filter and under filters of each selectivity. */

import { type ApiClient, apiPath } from "../../api/api-client.ts";
import { queryDocuments } from "../../api/documents.ts";
import type { FilterChoice } from "./namespace-choices.ts";
import { findBound, nearestValues, SHARES_WANTED, type ValueCount } from "./selectivity.ts";

/** What is measured. */
export interface RecallOptions {
  readonly api: ApiClient;
  readonly namespace: string;
  /** Absent: only without a filter. */
  readonly by: FilterChoice | undefined;
  /** Stored vectors that are taken as queries, and neighbours that are compared. */
  readonly samples: number;
  readonly topK: number;
  readonly signal: AbortSignal;
  /** Told what is done now. */
  readonly onStep: (step: string) => void;
}

/** Recall under one filter. */
export interface RecallPoint {
  readonly filter: unknown;
  /** Part of the documents that the filter lets through. */
  readonly share: number;
  readonly matching: number;
  readonly recall: number;
  readonly annCount: number;
  readonly exactCount: number;
}

/** Groups that are looked at for single values. */
const VALUES_MAX = 1000;

/** Measures, and hands on each point as it is known, from all documents to the fewest. */
export async function measureRecall(
  options: RecallOptions,
  onPoint: (point: RecallPoint) => void,
): Promise<void> {
  options.onStep("counting documents");
  const total = await countMatching(options, undefined);
  onPoint(await recallOf(options, { filter: undefined, matching: total, total }));
  if (options.by === undefined) return;
  const { by } = options;
  options.onStep(`looking for filters on ${by.attribute}`);
  const filters =
    by.kind === "value"
      ? await valueFilters(options, by.attribute, total)
      : await boundFilters(options, by, total);
  for (const { filter, matching } of filters) {
    onPoint(await recallOf(options, { filter, matching, total }));
  }
}

interface Filtered {
  readonly filter: unknown;
  readonly matching: number;
}

async function recallOf(
  { api, namespace, samples, topK, signal, onStep }: RecallOptions,
  { filter, matching, total }: Filtered & { readonly total: number },
): Promise<RecallPoint> {
  onStep(`comparing approximate with exact search over ${matching} documents`);
  const answer = await api.json<{
    readonly avg_recall: number;
    readonly avg_ann_count: number;
    readonly avg_exhaustive_count: number;
  }>({
    method: "POST",
    path: apiPath("v1", "namespaces", namespace, "_debug", "recall"),
    json: { num: samples, top_k: topK, filters: filter },
    signal,
  });
  return {
    filter,
    matching,
    share: total === 0 ? 1 : matching / total,
    recall: answer.avg_recall,
    annCount: answer.avg_ann_count,
    exactCount: answer.avg_exhaustive_count,
  };
}

async function boundFilters(
  options: RecallOptions,
  by: FilterChoice,
  total: number,
): Promise<Filtered[]> {
  const least = await endOf(options, by, "asc");
  const greatest = await endOf(options, by, "desc");
  if (least === undefined || greatest === undefined) return [];
  const found: Filtered[] = [];
  for (const share of SHARES_WANTED) {
    const wanted = Math.max(1, Math.round(total * share));
    const search = { least, greatest, total, wanted, isWhole: by.kind !== "float" };
    const bound = await findBound(search, (upTo) => countMatching(options, filterUpTo(by, upTo)));
    if (bound === undefined || found.some(({ matching }) => matching === bound.count)) continue;
    found.push({ filter: filterUpTo(by, bound.bound), matching: bound.count });
  }
  return found;
}

async function valueFilters(
  { api, namespace, signal }: RecallOptions,
  attribute: string,
  total: number,
): Promise<Filtered[]> {
  const body = { aggregate_by: { count: ["Count"] }, group_by: [attribute], limit: VALUES_MAX };
  const { value } = await queryDocuments(api, { namespace, body, signal });
  const counts: ValueCount[] = (value.aggregation_groups ?? []).map((group) => ({
    value: group[attribute],
    count: Number(group.count),
  }));
  return nearestValues(counts, total).map((each) => ({
    filter: [attribute, "Eq", each.value ?? null],
    matching: each.count,
  }));
}

async function countMatching(
  { api, namespace, signal }: RecallOptions,
  filter: unknown,
): Promise<number> {
  const body = { aggregate_by: { count: ["Count"] }, filters: filter };
  const { value } = await queryDocuments(api, { namespace, body, signal });
  return Number(value.aggregations?.count ?? 0);
}

/** The least or greatest value; undefined where no document has one. */
async function endOf(
  { api, namespace, signal }: RecallOptions,
  { attribute, kind }: FilterChoice,
  direction: "asc" | "desc",
): Promise<number | undefined> {
  const body = {
    rank_by: [attribute, direction],
    filters: attribute === "id" ? undefined : [attribute, "NotEq", null],
    limit: 1,
    include_attributes: [attribute],
  };
  const { value } = await queryDocuments(api, { namespace, body, signal });
  const found = value.rows?.[0]?.[attribute];
  if (found === undefined) return undefined;
  // Nine digits of a second are more than dates have.
  if (kind === "time") return Date.parse(String(found).replace(/(\.\d{3})\d*Z$/, "$1Z"));
  return Number(found);
}

function filterUpTo({ attribute, kind }: FilterChoice, bound: number): unknown {
  if (kind === "time") return [attribute, "Lte", new Date(bound).toISOString()];
  const isLarge = kind === "whole" && !Number.isSafeInteger(bound);
  return [attribute, "Lte", isLarge ? BigInt(bound) : bound];
}
