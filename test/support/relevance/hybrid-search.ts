/** Asks an engine by words, by vectors of `trawl/static-en`, and by both at once. */

import { MIB } from "../../../src/base/byte-sizes.ts";
import { noEmbeddingProvider } from "../../../src/embed/no-embedding-provider.ts";
import { StaticEmbeddingProvider } from "../../../src/embed/static/static-embedding-provider.ts";
import { STATIC_ENGLISH, staticEnglish } from "../../../src/embed/static/static-english.ts";
import { stemmerOf } from "../../../src/text/languages/language.ts";
import { InstantClock } from "../clocks/instant-clock.ts";
import { EngineFixture } from "../engine/engine-fixture.ts";
import type { JudgedSet } from "./judged-sets.ts";
import { RESULTS_MAX } from "./published-figures.ts";
import type { ScoredDocument } from "./trec-metrics.ts";

const NAMESPACE = "hybrid";
const BATCH_DOCUMENTS = 500;
const MEMORY_BYTES = 1024 * MIB;

/** How two rankings become one. */
export interface Fusion {
  readonly rankConstant: number;
  /** Of vectors, where that of words is 1. */
  readonly weight: number;
}

/** How texts are cut into words: English stems, or words as they are, with accents or without. */
export type TextLanguage = "english" | "none" | "none, folded";

const WORDS: Readonly<Record<TextLanguage, object>> = {
  english: { language: "english", stemming: true, remove_stopwords: true },
  none: { remove_stopwords: false },
  "none, folded": { remove_stopwords: false, ascii_folding: true },
};

type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** An engine with a set's documents, each of which is one text with its vector. */
export class HybridSearch {
  readonly #engine: EngineFixture;
  readonly #embed: Embed;
  /** Vectors of the queries that were asked. */
  readonly #known = new Map<string, number[]>();

  private constructor(engine: EngineFixture, embed: Embed) {
    this.#engine = engine;
    this.#embed = embed;
  }

  /** Writes and indexes a set's documents. */
  static async open(
    set: JudgedSet,
    { language }: { readonly language: TextLanguage },
  ): Promise<HybridSearch> {
    const embed = embedder();
    const sizes = { memoryBytes: MEMORY_BYTES, cacheBytes: MEMORY_BYTES, arenaBytes: 64 * MIB };
    const engine = await EngineFixture.open(sizes);
    const words = WORDS[language];
    const text = { type: "string", full_text_search: { ...words, k1: 0.9, b: 0.4, k3: 1e9 } };
    const schema = { id: "string", text, vector: { type: "[384]f16", ann: true } };
    for (let start = 0; start < set.documents.length; start += BATCH_DOCUMENTS) {
      const documents = set.documents.slice(start, start + BATCH_DOCUMENTS);
      const texts = documents.map(({ texts }) => Object.values(texts).join(" "));
      const vectors = await embed(texts);
      const upsert_rows = documents.map(({ id }, i) => {
        return { id, text: texts[i], vector: [...vectors[i]] };
      });
      await engine.write(NAMESPACE, { upsert_rows, schema, distance_metric: "cosine_distance" });
    }
    await engine.indexAll();
    return new HybridSearch(engine, embed);
  }

  byWords(text: string): Promise<ScoredDocument[]> {
    return this.#ask({ rank_by: ["text", "BM25", text], limit: RESULTS_MAX }, 1);
  }

  async byMeaning(text: string): Promise<ScoredDocument[]> {
    const rank_by = ["vector", "ANN", await this.#vectorOf(text)];
    return this.#ask({ rank_by, limit: RESULTS_MAX }, -1);
  }

  /** One request with both, fused by the engine. */
  async byBoth(text: string, { rankConstant, weight }: Fusion): Promise<ScoredDocument[]> {
    const queries = [
      { rank_by: ["text", "BM25", text], limit: RESULTS_MAX },
      { rank_by: ["vector", "ANN", await this.#vectorOf(text)], limit: RESULTS_MAX },
    ];
    const rerank_by = ["RRF", { rank_constant: rankConstant, weights: [1, weight] }];
    return this.#ask({ queries, rerank_by, limit: RESULTS_MAX }, 1);
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  async #vectorOf(text: string): Promise<number[]> {
    const known = this.#known.get(text) ?? [...(await this.#embed([text]))[0]];
    this.#known.set(text, known);
    return known;
  }

  /** `sign` makes distances scores. */
  async #ask(body: object, sign: number): Promise<ScoredDocument[]> {
    const { status, json } = await this.#engine.call("query", NAMESPACE, body);
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(json)}`);
    const { rows } = json.results?.[0] ?? json;
    return rows.map(({ id, $dist }: { id: string; $dist: number }) => {
      return { id, score: sign * $dist };
    });
  }
}

function embedder(): Embed {
  const source = staticEnglish(stemmerOf("english"));
  const provider = new StaticEmbeddingProvider({
    models: new Map([[STATIC_ENGLISH, source]]),
    others: noEmbeddingProvider,
    clock: new InstantClock(),
  });
  const { dimensions } = source;
  return async (texts) =>
    (await provider.embed({ model: STATIC_ENGLISH, texts, dimensions })).vectors;
}
