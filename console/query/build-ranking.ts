/** Rankings of the builder to the JSON of requests. */

import { parseJsonText } from "./json-source.ts";
import { isList, isMembers, type Json, type JsonMembers } from "./json-value.ts";
import type { Problems } from "./problems.ts";
import type { Ranking, TextRanking, VectorRanking } from "./query-model.ts";
import type { RequestSchema } from "./request-schema.ts";

/** What rankings are built with. */
export interface RankingScope {
  readonly schema: RequestSchema;
  readonly problems: Problems;
  /** Of the ranking's controls, as `rankings.0`. */
  readonly place: string;
}

/** The member `rank_by`; no member for an order without keys, which is that of `id`. */
export function buildRanking(ranking: Ranking, scope: RankingScope): JsonMembers {
  switch (ranking.kind) {
    case "text":
      return { rank_by: textJson(ranking, scope) };
    case "vector":
      return { rank_by: vectorJson(ranking, scope) };
    case "sparse": {
      const entries = parseJsonText(ranking.entries);
      if (!isMembers(entries)) {
        const example = 'type the dimensions and their weights, as {"walrus": 0.8}';
        scope.problems.note(`${scope.place}.entries`, example);
      }
      return { rank_by: [ranking.attribute, "SparseKNN", entries ?? {}] };
    }
    case "order": {
      const keys = ranking.keys.map(({ attribute, direction }) => [attribute, direction]);
      if (keys.length === 0) return {};
      return { rank_by: keys.length === 1 ? keys[0] : keys };
    }
  }
}

/** The member `compute_attributes` that asks for fragments of each text that is ranked by. */
export function highlightsOf(ranking: Ranking): JsonMembers {
  if (ranking.kind !== "text") return {};
  const options = { include_offsets: "utf-16" };
  const all = ranking.attributes
    .filter(({ name }) => name !== "")
    .map(({ name }) => [highlightName(name), ["Highlight", name, options]] as const);
  return { compute_attributes: Object.fromEntries(all) };
}

/** Under which name a document's fragments of an attribute come back. */
export function highlightName(attribute: string): string {
  return `highlight_${attribute}`;
}

function textJson(ranking: TextRanking, { schema, problems, place }: RankingScope): Json {
  const { query, attributes, lastAsPrefix, combine } = ranking;
  if (query.trim() === "") problems.note(`${place}.query`, "type what to look for");
  if (attributes.length === 0) {
    problems.note(`${place}.attributes`, "choose an attribute with full-text search");
  }
  const clauses = attributes.map(({ name, weight }, i): Json => {
    const words = schema.get(name)?.preTokenized ? query.split(/\s+/).filter(Boolean) : query;
    const clause = [name, "BM25", words, ...(lastAsPrefix ? [{ last_as_prefix: true }] : [])];
    const factor = Number(weight.trim());
    if (weight.trim() === "" || !(factor >= 0) || !Number.isFinite(factor)) {
      problems.note(`${place}.attributes.${i}`, "type a weight of 0 or more");
    }
    return factor === 1 ? clause : ["Product", factor, clause];
  });
  return clauses.length === 1 ? clauses[0] : [combine, clauses];
}

function vectorJson(ranking: VectorRanking, scope: RankingScope): Json {
  return [ranking.attribute, ranking.method, queryVector(ranking, scope)];
}

function queryVector(ranking: VectorRanking, { schema, problems, place }: RankingScope): Json {
  const attribute = schema.get(ranking.attribute);
  if (ranking.from === "text") {
    if (ranking.text.trim() === "") problems.note(`${place}.text`, "type what to look for");
    const needsModel = attribute !== undefined && attribute.embedModel === undefined;
    if (needsModel && ranking.model === "") {
      problems.note(`${place}.model`, "name the model that makes the text a vector");
    }
    const model = ranking.model === "" ? [] : [{ model: ranking.model }];
    return ["Embed", ranking.text, ...model];
  }
  const values = readVector(ranking.values);
  if (values === undefined) {
    problems.note(`${place}.values`, "paste a vector, as [0.1, 0.9], or take that of a document");
    return [];
  }
  const wanted = attribute?.type?.kind === "vector" ? attribute.type.dimensions : undefined;
  if (wanted !== undefined && isList(values) && values.length !== wanted) {
    problems.note(
      `${place}.values`,
      `${ranking.attribute} has ${wanted} dimensions, these are ${values.length}`,
    );
  }
  return values;
}

/** A vector as people paste it: JSON, numbers with commas or spaces, or base64. */
function readVector(text: string): Json | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const json = parseJsonText(trimmed);
  if (isList(json)) return json.length > 0 ? json : undefined;
  const numbers = trimmed
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);
  if (numbers.every(Number.isFinite)) return numbers;
  return /^[A-Za-z0-9+/]{8,}={0,2}$/.test(trimmed) ? trimmed : undefined;
}
