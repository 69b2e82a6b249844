/** Writes the artworks: schema, documents, several writes under way at once. */

import type { Turbopuffer } from "@turbopuffer/turbopuffer";
import type { Artwork } from "./artworks.ts";
import { WORD_DIMENSIONS, wordVectors } from "./word-vectors.ts";

/** A namespace as the SDK sees it. */
export type Namespace = Turbopuffer.Namespace;

/** The embedding model that ships with Trawl. */
export const MODEL = "trawl/static-en";

/** Most documents of a write that embeds. */
const BATCH = 30;
/** Writes that arrive while one commits share the next commit, so several at once are faster. */
const CONCURRENCY = 8;

const SCHEMA: Record<string, Turbopuffer.AttributeSchema> = {
  title: { type: "string", full_text_search: { stemming: true }, filterable: true, fuzzy: true },
  medium: { type: "string", full_text_search: true, glob: true },
  about: {
    type: "string",
    full_text_search: { stemming: true },
    embed: { model: MODEL, attribute: "about_vector" },
  },
  about_vector: { type: "[384]f16", ann: true },
  subject_words: { type: `[][${WORD_DIMENSIONS}]f32`, ann: { late_interaction: true } },
  subject_weights: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } },
  acquired: "datetime",
  width: "float",
  height: "float",
  credit: { type: "string", filterable: false },
};

/** Writes all artworks; `onProgress` hears how many documents are durable. */
export async function loadArtworks(
  namespace: Namespace,
  artworks: readonly Artwork[],
  onProgress: (done: number) => void,
): Promise<{ writes: number; tokens: number }> {
  let next = 0;
  let done = 0;
  const totals = { writes: 0, tokens: 0 };
  const writeOne = async () => {
    const batch = artworks.slice(next, next + BATCH);
    next += BATCH;
    const answer = await namespace.write({
      distance_metric: "cosine_distance",
      schema: SCHEMA,
      upsert_rows: batch.map(documentOf),
    });
    done += batch.length;
    totals.writes++;
    totals.tokens += tokensOf(answer.performance);
    onProgress(done);
  };
  // The first write alone creates the namespace.
  await writeOne();
  const writer = async () => {
    while (next < artworks.length) await writeOne();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, writer));
  return totals;
}

/** The count is newer than the SDK's types. */
function tokensOf(performance: { server_total_ms: number; embedding_tokens?: number } | undefined) {
  return performance?.embedding_tokens ?? 0;
}

function documentOf(artwork: Artwork): Turbopuffer.Row {
  const { title, subjects } = artwork;
  return {
    ...artwork,
    about: [title, ...subjects].join(". "),
    subject_words: wordVectors(subjects.join(" ")),
    // Cataloguers name the main subjects first.
    subject_weights: Object.fromEntries(subjects.map((subject, i) => [subject, 1 / (1 + i / 4)])),
  };
}
