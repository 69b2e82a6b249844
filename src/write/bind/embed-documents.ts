/** Native embedding of upserts: which texts need a vector, and the documents with the vectors in. */

import { invalid } from "../../base/errors.ts";
import type { EmbeddingProvider } from "../../embed/embedding-provider.ts";
import type { VectorElement } from "../../model/attribute-type.ts";
import { EMBEDDED_ROWS_MAX } from "../../model/contract-limits.ts";
import type { Schema } from "../../model/schema.ts";
import type { LooseColumn, LooseDocuments, LooseValue } from "../../model/write-request.ts";
import { placeOf } from "./loose-source.ts";

/** Texts of one source attribute. */
export interface EmbeddingJob {
  readonly source: string;
  /** Vector attribute that they fill. */
  readonly target: string;
  readonly model: string;
  readonly dimensions: number;
  readonly element: VectorElement;
  /** Which documents, and their texts. */
  readonly indexes: readonly number[];
  readonly texts: readonly string[];
}

/** Largest i8; embeddings for i8 attributes are scaled so that their greatest element is this. */
const SMALL_INTEGER_MAX = 127;

/**
 * Lists what must be embedded before upserts can be bound: documents that bring no vector of their
 * own for an embedded attribute. Empty for most writes. Throws (400) where there is no text either.
 */
export function planEmbeddings(upserts: LooseDocuments, schema: Schema): EmbeddingJob[] {
  const jobs: EmbeddingJob[] = [];
  const documents = new Set<number>();
  for (const [source, { embed }] of schema.attributes) {
    if (!embed) continue;
    const type = schema.attributes.get(embed.attribute)?.type;
    if (type?.kind !== "vector") continue;
    const indexes = withoutVector(upserts, embed.attribute);
    if (indexes.length === 0) continue;
    const texts = indexes.map((index) => textOf(upserts, source, embed.attribute, index));
    for (const index of indexes) documents.add(index);
    const { model, attribute: target } = embed;
    const { dimensions, element } = type;
    jobs.push({ source, target, model, dimensions, element, indexes, texts });
  }
  if (documents.size > EMBEDDED_ROWS_MAX) {
    throw invalid(
      `💔 a write can embed at most ${EMBEDDED_ROWS_MAX} documents, was ${documents.size}: ` +
        "split it, or send the vectors",
    );
  }
  return jobs;
}

/** Embeds what `planEmbeddings` listed and puts the vectors in; `tokens` are those that it took. */
export async function embedDocuments(
  upserts: LooseDocuments,
  jobs: readonly EmbeddingJob[],
  provider: EmbeddingProvider,
): Promise<{ readonly upserts: LooseDocuments; readonly tokens: number }> {
  const attributes = new Map(upserts.attributes);
  let tokens = 0;
  for (const job of jobs) {
    const { model, texts, dimensions } = job;
    const embeddings = await provider.embed({ model, texts, dimensions });
    tokens += embeddings.tokens;
    attributes.set(job.target, filledColumn(upserts, job, embeddings.vectors));
  }
  return { upserts: { ...upserts, attributes }, tokens };
}

function withoutVector(upserts: LooseDocuments, target: string): number[] {
  const values = upserts.attributes.get(target)?.values;
  const indexes: number[] = [];
  for (let i = 0; i < upserts.count; i++) {
    const value = values?.[i];
    if (value === null || value === undefined) indexes.push(i);
  }
  return indexes;
}

function textOf(upserts: LooseDocuments, source: string, target: string, index: number): string {
  const text = upserts.attributes.get(source)?.values[index];
  if (typeof text === "string" && text !== "") return text;
  throw invalid(
    `💔 ${placeOf(upserts, "upsert", source, index)} must be a non-empty string to embed, ` +
      `or the document must bring its own vector as '${target}'`,
  );
}

function filledColumn(
  upserts: LooseDocuments,
  job: EmbeddingJob,
  vectors: readonly Float32Array[],
): LooseColumn {
  const sent = upserts.attributes.get(job.target);
  const values: LooseValue[] = Array.from(
    { length: upserts.count },
    (_, index) => sent?.values[index] ?? null,
  );
  job.indexes.forEach((index, position) => {
    const vector = vectors[position];
    values[index] = job.element === "i8" ? toSmallIntegers(vector) : vector;
  });
  return { values, integersOnly: sent?.integersOnly ?? true };
}

/** Keeps the direction, which is all that an embedding means. */
function toSmallIntegers(vector: Float32Array): Float32Array {
  const greatest = vector.reduce((max, element) => Math.max(max, Math.abs(element)), 0);
  const scale = greatest === 0 ? 0 : SMALL_INTEGER_MAX / greatest;
  return vector.map((element) => Math.round(element * scale));
}
