/** Makes the body of a query request of what the builder shows. Pure. */

import {
  AGGREGATES_MAX,
  RERANK_DOCUMENTS_MAX,
  RESULT_ROWS_MAX,
  SUBQUERIES_MAX,
} from "../../src/model/contract-limits.ts";
import { buildFilter } from "./build-filter.ts";
import { buildRanking, highlightsOf } from "./build-ranking.ts";
import type { Json, JsonMembers } from "./json-value.ts";
import { Problems } from "./problems.ts";
import {
  type QueryModel,
  RANK_CONSTANT,
  type Ranking,
  type SelectionModel,
} from "./query-model.ts";
import type { RequestSchema } from "./request-schema.ts";

/** A request's body, and what is wrong with the model: with anything there, it is not whole. */
export interface BuiltRequest {
  readonly body: JsonMembers;
  /** By the place of the control, as `rankings.0.query`, `filter.1` or `limit`. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Builds the request. */
export function buildRequest(model: QueryModel, schema: RequestSchema): BuiltRequest {
  const problems = new Problems();
  const body =
    model.form === "aggregate"
      ? aggregateBody(model, schema, problems)
      : documentsBody(model, schema, problems);
  return { body, problems: problems.messages };
}

function documentsBody(model: QueryModel, schema: RequestSchema, problems: Problems): JsonMembers {
  const consistency = consistencyOf(model);
  if (model.rankings.length > 1) return { ...fusedBody(model, schema, problems), ...consistency };
  const [first] = model.rankings;
  const offset = wholeNumber(
    model.offset,
    { min: 0, max: RESULT_ROWS_MAX - 1 },
    "offset",
    problems,
  );
  const filter = filterOf(model, schema, problems);
  checkExact(first.ranking, filter, { place: "rankings.0", problems });
  return {
    ...buildRanking(first.ranking, { schema, problems, place: "rankings.0" }),
    ...filter,
    ...limitOf(model, problems),
    ...(offset > 0 && { offset }),
    ...selectionOf(model.selection),
    ...(model.highlight && highlightsOf(first.ranking)),
    ...(model.rerank.isOn && rerankOf(model, problems)),
    ...consistency,
  };
}

function fusedBody(model: QueryModel, schema: RequestSchema, problems: Problems): JsonMembers {
  if (model.rankings.length > SUBQUERIES_MAX) {
    problems.note("rankings", `at most ${SUBQUERIES_MAX} rankings are fused`);
  }
  const count = wholeNumber(
    model.candidates,
    { min: 1, max: RESULT_ROWS_MAX },
    "candidates",
    problems,
  );
  const filter = filterOf(model, schema, problems);
  for (const [i, { ranking }] of model.rankings.entries()) {
    checkExact(ranking, filter, { place: `rankings.${i}`, problems });
  }
  const queries = model.rankings.map(({ ranking }, i) => ({
    ...buildRanking(ranking, { schema, problems, place: `rankings.${i}` }),
    ...filter,
    top_k: count,
    ...selectionOf(model.selection),
    ...(model.highlight && highlightsOf(ranking)),
  }));
  const limit = wholeNumber(model.limit, { min: 1, max: RESULT_ROWS_MAX }, "limit", problems);
  if (model.rerank.isOn) return { queries, ...rerankOf(model, problems), limit };
  return { queries, rerank_by: fusionOf(model, problems), limit };
}

/** How ranks become one ranking, without what the server takes by itself. */
function fusionOf(model: QueryModel, problems: Problems): Json {
  const weights = model.rankings.map(({ weight }, i) =>
    positiveNumber(weight, `rankings.${i}.weight`, problems),
  );
  const bounds = { min: 1, max: Number.MAX_SAFE_INTEGER };
  const constant = wholeNumber(model.rankConstant, bounds, "rankConstant", problems);
  const options = {
    ...(String(constant) !== RANK_CONSTANT && { rank_constant: constant }),
    ...(weights.some((weight) => weight !== 1) && { weights }),
  };
  return Object.keys(options).length === 0 ? ["RRF"] : ["RRF", options];
}

/** The limit of one ranking: a number, or one with a bound for each value of some attributes. */
function limitOf(model: QueryModel, problems: Problems): JsonMembers {
  const total = wholeNumber(model.limit, { min: 1, max: RESULT_ROWS_MAX }, "limit", problems);
  const { isOn, attributes, limit } = model.limitPer;
  if (!isOn) return { top_k: total };
  if (attributes.length === 0) problems.note("limitPer.attributes", "choose an attribute");
  for (const name of attributes) checkReturned(name, model, "limitPer.attributes", problems);
  const per = {
    attributes,
    limit: wholeNumber(limit, { min: 1, max: total }, "limitPer", problems),
  };
  return { limit: { total, per } };
}

function rerankOf(model: QueryModel, problems: Problems): JsonMembers {
  const { rerank, rankings } = model;
  const name = rerank.model.trim();
  if (name === "") problems.note("rerank.model", "name a model that the server has");
  if (rerank.query.trim() === "")
    problems.note("rerank.query", "type what texts are scored against");
  if (rerank.attribute === "") problems.note("rerank.attribute", "no attribute has texts");
  else checkReturned(rerank.attribute, model, "rerank.attribute", problems);
  const isFused = rankings.length > 1;
  const count = isFused ? Number(model.candidates) * rankings.length : Number(model.limit);
  if (count > RERANK_DOCUMENTS_MAX) {
    const most = Math.floor(RERANK_DOCUMENTS_MAX / rankings.length);
    problems.note(
      isFused ? "candidates" : "limit",
      `a model takes at most ${RERANK_DOCUMENTS_MAX} documents: type ${most} or less`,
    );
  }
  return { rerank_by: { model: name, attribute: rerank.attribute, query: rerank.query } };
}

/** What the server reads of documents for the answer, the answer must have. */
function checkReturned(
  name: string,
  { selection: { kind, names } }: QueryModel,
  place: string,
  problems: Problems,
): void {
  if (kind === "all" || (kind !== "none" && names.includes(name) === (kind === "include"))) return;
  problems.note(place, `${name} must come back: choose it under Attributes`);
}

function aggregateBody(model: QueryModel, schema: RequestSchema, problems: Problems): JsonMembers {
  const functions: Record<string, Json> = {};
  if (model.aggregates.length === 0) problems.note("aggregates", "add a function");
  if (model.aggregates.length > AGGREGATES_MAX) {
    problems.note("aggregates", `a query has at most ${AGGREGATES_MAX} functions`);
  }
  for (const [i, { label, of, attribute }] of model.aggregates.entries()) {
    const place = `aggregates.${i}`;
    if (label === "") problems.note(place, "the function needs a name in the answer");
    if (Object.hasOwn(functions, label)) problems.note(place, `"${label}" is there twice`);
    if (of === "Sum" && attribute === "") problems.note(place, "choose what to add up");
    functions[label] = of === "Count" ? ["Count"] : ["Sum", attribute];
  }
  const bounds = { min: 1, max: RESULT_ROWS_MAX };
  const isGrouped = model.groupBy.length > 0;
  return {
    aggregate_by: functions,
    ...(isGrouped && {
      group_by: groupKeys(model, schema, problems),
      top_k: wholeNumber(model.groupLimit, bounds, "groupLimit", problems),
    }),
    ...filterOf(model, schema, problems),
    ...consistencyOf(model),
  };
}

/** Arrays are grouped by each of their elements; the server takes one array in a query. */
function groupKeys(model: QueryModel, schema: RequestSchema, problems: Problems): Json[] {
  const isArray = (name: string) => schema.get(name)?.type?.kind === "array";
  if (model.groupBy.filter(isArray).length > 1) {
    problems.note("groupBy", "only one of them may be an array");
  }
  return model.groupBy.map((name) => (isArray(name) ? { [name]: ["ForEachUnique", name] } : name));
}

function filterOf(model: QueryModel, schema: RequestSchema, problems: Problems): JsonMembers {
  const filters = buildFilter(model.filter, schema, problems);
  return filters === undefined ? {} : { filters };
}

/** The exact method reads all that the filter leaves, so the server wants one. */
function checkExact(
  ranking: Ranking,
  filter: JsonMembers,
  { place, problems }: { readonly place: string; readonly problems: Problems },
): void {
  if (ranking.kind !== "vector" || ranking.method !== "kNN" || "filters" in filter) return;
  problems.note(`${place}.method`, "kNN needs a filter; to search all documents, use ANN");
}

function selectionOf({ kind, names }: SelectionModel): JsonMembers {
  switch (kind) {
    case "none":
      return {};
    case "all":
      return { include_attributes: true };
    case "include":
      return { include_attributes: names };
    case "exclude":
      return { exclude_attributes: names };
  }
}

function consistencyOf({ consistency }: QueryModel): JsonMembers {
  return consistency === "strong" ? {} : { consistency: { level: "eventual" } };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

function wholeNumber(text: string, bounds: Bounds, place: string, problems: Problems): number {
  const number = Number(text.trim());
  if (/^\d+$/.test(text.trim()) && number >= bounds.min && number <= bounds.max) return number;
  const range =
    bounds.max === Number.MAX_SAFE_INTEGER
      ? `from ${bounds.min}`
      : `from ${bounds.min} to ${bounds.max}`;
  problems.note(place, `type a whole number ${range}`);
  return bounds.min;
}

function positiveNumber(text: string, place: string, problems: Problems): number {
  const number = Number(text.trim());
  if (text.trim() !== "" && Number.isFinite(number) && number > 0) return number;
  problems.note(place, "type a number above 0");
  return 1;
}
