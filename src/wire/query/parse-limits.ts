/** `limit`, `top_k` and `offset`. */

import { invalid, malformed } from "../../base/errors.ts";
import {
  GROUP_ATTRIBUTES_MAX,
  RESULT_ROWS_MAX,
  RESULT_WINDOW_END,
} from "../../model/contract-limits.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import type { LimitPer } from "../../model/query.ts";
import {
  arrayAt,
  countAt,
  describeJson,
  memberPath,
  present,
  stringsAt,
  wrongType,
} from "../json/json-shape.ts";

const LIMIT_INPUT =
  "data did not match any variant of untagged enum LimitInput: expected an integer or " +
  '{"total": integer, "per": {"attributes": [name, …], "limit": integer}}';

/** `limit` or `top_k` as written; `total` may still be 0. */
export interface ParsedLimit {
  readonly total: number;
  readonly per: LimitPer | undefined;
  /** The path to name in messages. */
  readonly name: string;
}

/** Reads `limit` or its alias `top_k`; undefined if neither is there. */
export function parseLimit(path: string, query: JsonObject): ParsedLimit | undefined {
  const limit = present(query, "limit");
  const topK = present(query, "top_k");
  const limitPath = memberPath(path, "limit");
  const parsed = limit === undefined ? undefined : parseLimitInput(limitPath, limit);
  if (topK === undefined) return parsed;
  const topKPath = memberPath(path, "top_k");
  const total = countAt(topKPath, topK);
  if (parsed !== undefined && parsed.total !== total) {
    throw invalid(`💔 cannot specify both ${topKPath} and ${parsed.name} with different values`, {
      hint: `got ${total} and ${parsed.total}`,
    });
  }
  return parsed ?? { total, per: undefined, name: topKPath };
}

/** Checks that the number of documents asked for is in its range. */
export function checkDocumentLimit(limit: ParsedLimit): void {
  if (limit.total >= 1 && limit.total <= RESULT_ROWS_MAX) return;
  throw invalid(`💔 ${limit.name} must be between 1 and ${RESULT_ROWS_MAX}, got ${limit.total}`);
}

/**
 * Reads `offset`, by default 0, and bounds the window that it opens with the limit. Without an
 * offset, the whole range of limits is allowed.
 */
export function parseOffset(path: string, query: JsonObject, limit: number): number {
  const value = present(query, "offset");
  if (value === undefined) return 0;
  const offset = countAt(memberPath(path, "offset"), value);
  if (offset > 0 && limit + offset >= RESULT_WINDOW_END) {
    throw invalid(
      `💔 limit + offset must be less than ${RESULT_WINDOW_END}, got ${limit} + ${offset}; ` +
        "to read on, filter by the last document's place in the order instead",
    );
  }
  return offset;
}

/** Reads the window of a multi-query's one ranking: of all its documents, if no limit is given. */
export function parseRerankedWindow(root: JsonObject): { limit: number; offset: number } {
  const limit = parseLimit("", root);
  if (limit) checkDocumentLimit(limit);
  if (limit?.per) throw invalid("💔 limit.per cannot be used with rerank_by");
  const total = limit?.total ?? RESULT_ROWS_MAX;
  return { limit: total, offset: parseOffset("", root, total) };
}

function parseLimitInput(path: string, value: JsonValue): ParsedLimit {
  if (typeof value === "bigint" && value >= 0n) {
    return { total: Number(value), per: undefined, name: path };
  }
  const total = value instanceof Map ? value.get("total") : undefined;
  if (!(value instanceof Map) || typeof total !== "bigint" || total < 0n) {
    const shown = value instanceof Map ? (total ?? value) : value;
    throw malformed(path, LIMIT_INPUT, `got ${describeJson(shown)}`);
  }
  const per = value.get("per") ?? undefined;
  return {
    total: Number(total),
    per: per === undefined ? undefined : parsePer(`${path}.per`, per, Number(total)),
    name: `${path}.total`,
  };
}

function parsePer(path: string, value: JsonValue, total: number): LimitPer {
  if (!(value instanceof Map)) throw wrongType(path, value, "a map with `attributes` and `limit`");
  const attributes = value.get("attributes") ?? [];
  arrayAt(`${path}.attributes`, attributes);
  const names = stringsAt(`${path}.attributes`, attributes);
  if (names.length === 0) throw invalid(`💔 ${path}.attributes must name at least one attribute`);
  if (names.length > GROUP_ATTRIBUTES_MAX) {
    throw invalid(
      `💔 ${path}.attributes: at most ${GROUP_ATTRIBUTES_MAX} attributes, got ${names.length}`,
    );
  }
  if (new Set(names).size < names.length) {
    throw invalid(`💔 ${path}.attributes must not name an attribute twice`);
  }
  const limit = value.get("limit");
  if (limit === null) throw wrongType(`${path}.limit`, limit, "an integer");
  if (typeof limit !== "bigint" || limit < 1n || limit > BigInt(total)) {
    const what = limit === undefined ? "it is missing" : `got ${describeJson(limit)}`;
    throw invalid(
      `💔 ${path}.limit must be an integer between 1 and ${path.slice(0, -4)}.total, which is ` +
        `${total}; ${what}`,
    );
  }
  return { attributes: names, limit: Number(limit) };
}
