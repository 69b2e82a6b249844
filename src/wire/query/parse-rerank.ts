/** `rerank_by` with a model, of a query or of several. */

import { clipName, hasMoreCodePoints } from "../../base/bounded-text.ts";
import { invalid } from "../../base/errors.ts";
import {
  RERANK_DOCUMENTS_MAX,
  RESULT_ROWS_MAX,
  TEXT_QUERY_CHARS_MAX,
} from "../../model/contract-limits.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import type { AttributeSelection, ModelRerank, Query } from "../../model/query.ts";
import { memberPath, missingMember, modelNameAt, present, stringAt } from "../json/json-shape.ts";
import { parseRerankedWindow } from "./parse-limits.ts";

/**
 * Reads `{model, attribute, query}`, and checks that every query returns the attribute and that no
 * more documents than the limit can come together.
 */
export function parseModelRerank(
  root: JsonObject,
  value: JsonObject,
  queries: readonly Query[],
): ModelRerank {
  const isMulti = present(root, "queries") !== undefined;
  const rerank = {
    model: modelNameAt("rerank_by.model", requiredMember(value, "model")),
    attribute: stringAt("rerank_by.attribute", requiredMember(value, "attribute")),
    query: stringAt("rerank_by.query", requiredMember(value, "query")),
    // The limit and the offset of a plain query say what is reranked: all of that comes back.
    ...(isMulti ? parseRerankedWindow(root) : { limit: RESULT_ROWS_MAX, offset: 0 }),
  };
  checkQueryText(rerank.query);
  let documentsMax = 0;
  queries.forEach((query, i) => {
    const path = isMulti ? `queries[${i}]` : "";
    if (query.kind === "aggregate") {
      throw invalid("💔 rerank_by cannot be used with queries that aggregate");
    }
    checkReturned(memberPath(path, "include_attributes"), rerank.attribute, query.selection);
    documentsMax += query.limit;
  });
  if (documentsMax <= RERANK_DOCUMENTS_MAX) return rerank;
  const limits = isMulti ? "the limits of the queries add up to" : "the query's limit is";
  throw invalid(
    `💔 rerank_by with a model takes at most ${RERANK_DOCUMENTS_MAX} documents, but ${limits} ` +
      `${documentsMax}; lower it`,
  );
}

function requiredMember(value: JsonObject, name: string): JsonValue {
  const member = value.get(name);
  if (member === undefined) throw missingMember("rerank_by", name);
  return member;
}

function checkQueryText(query: string): void {
  if (query === "") throw invalid("💔 rerank_by.query must not be empty");
  if (!hasMoreCodePoints(query, TEXT_QUERY_CHARS_MAX)) return;
  throw invalid(`💔 rerank_by.query must have at most ${TEXT_QUERY_CHARS_MAX} characters`);
}

/** The model reads what the client reads. */
function checkReturned(path: string, attribute: string, selection: AttributeSelection): void {
  if (selection.kind === "all") return;
  if (selection.kind === "include" && selection.names.has(attribute)) return;
  if (selection.kind === "exclude" && !selection.names.has(attribute)) return;
  throw invalid(`💔 rerank_by.attribute "${clipName(attribute)}" must be part of ${path}`);
}
