/** Native embedding in queries: which texts need a vector, and putting the vectors in. */

import { assert } from "../../base/assert.ts";
import { clipName } from "../../base/bounded-text.ts";
import { invalid } from "../../base/errors.ts";
import type { Query, QueryRequest, VectorRank } from "../../model/query.ts";
import type { Schema } from "../../model/schema.ts";

/** A text to embed. */
export interface TextToEmbed {
  readonly text: string;
  readonly model: string;
  /** Of the vector attribute that is searched. */
  readonly dimensions: number;
}

/**
 * Lists the texts of all `Embed` operands in the order of the subqueries. On a source attribute the
 * model defaults to the schema's; on a vector attribute it must be given.
 */
export function embedTexts(request: QueryRequest, schema: Schema): TextToEmbed[] {
  return request.queries.flatMap((query) => {
    const rank = embeddedRank(query);
    if (rank?.operand.kind !== "embed") return [];
    const { text } = rank.operand;
    return [{ text, model: modelFor(rank, schema), dimensions: dimensionsFor(rank, schema) }];
  });
}

/** The request with the vectors of `embedTexts`, in its order, in place of the texts. */
export function withEmbeddings(
  request: QueryRequest,
  vectors: readonly Float32Array[],
  schema: Schema,
): QueryRequest {
  let next = 0;
  const queries = request.queries.map((query): Query => {
    const rank = embeddedRank(query);
    if (rank === undefined || query.kind !== "documents") return query;
    const values = vectors[next++];
    assert(values !== undefined, "fewer vectors than texts");
    // Ranking by a source attribute means ranking by its embedding.
    const attribute = schema.attributes.get(rank.attribute)?.embed?.attribute ?? rank.attribute;
    return { ...query, rankBy: { ...rank, attribute, operand: { kind: "vector", values } } };
  });
  assert(next === vectors.length, "more vectors than texts");
  return { ...request, queries };
}

function embeddedRank(query: Query): VectorRank | undefined {
  if (query.kind !== "documents" || query.rankBy.kind !== "vector") return undefined;
  return query.rankBy.operand.kind === "embed" ? query.rankBy : undefined;
}

function modelFor({ attribute, operand }: VectorRank, schema: Schema): string {
  const given = operand.kind === "embed" ? operand.model : undefined;
  const found = schema.attributes.get(attribute);
  const isVector = found?.type.kind === "vector";
  if (found?.embed === undefined && !isVector) {
    throw invalid(
      `💔 invalid rank_by field "${clipName(attribute)}": Embed needs a vector attribute, ` +
        "or a string attribute with `embed` in its schema",
    );
  }
  const model = given ?? found?.embed?.model;
  if (model !== undefined) return model;
  throw invalid(
    `💔 invalid rank_by field "${clipName(attribute)}": Embed on a vector attribute needs ` +
      'a model: ["Embed", text, {"model": "..."}]',
  );
}

/** Dimensions of the attribute, or of the one that receives its embeddings. */
function dimensionsFor({ attribute }: VectorRank, schema: Schema): number {
  const found = schema.attributes.get(attribute);
  const target = found?.embed ? schema.attributes.get(found.embed.attribute) : found;
  assert(target?.type.kind === "vector", "an embedded attribute has vectors");
  return target.type.dimensions;
}
