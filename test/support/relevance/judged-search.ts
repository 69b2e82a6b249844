/** Asks a whole engine in one thread the queries of a judged set, as a client would. */

import { MIB } from "../../../src/base/byte-sizes.ts";
import { EngineFixture } from "../engine/engine-fixture.ts";
import type { ScoredDocument } from "./trec-metrics.ts";

const NAMESPACE = "judged";
/** Of a write's body, about. */
const BATCH_CHARACTERS_MAX = 4_000_000;
const MEMORY_BYTES = 512 * MIB;

/** A document, or the text of a query, as the wire has it. */
export type TextValue = string | readonly string[];

/** A document as the wire has it. */
export interface TextRow {
  readonly id: string;
  readonly [attribute: string]: TextValue;
}

/** Options of full-text search as the wire has them. */
export type FullTextSettings = Readonly<Record<string, string | number | boolean>>;

/** An engine with documents in a namespace. */
export class JudgedSearch {
  readonly #engine: EngineFixture;

  private constructor(engine: EngineFixture) {
    this.#engine = engine;
  }

  /** Writes the documents; all attributes have the same settings. */
  static async open(rows: readonly TextRow[], settings: FullTextSettings): Promise<JudgedSearch> {
    const sizes = { memoryBytes: MEMORY_BYTES, cacheBytes: MEMORY_BYTES, arenaBytes: 64 * MIB };
    const engine = await EngineFixture.open(sizes);
    const { id: _, ...texts } = rows[0];
    const attributes = Object.entries(texts).map(([name, value]) => {
      const type = typeof value === "string" ? "string" : "[]string";
      return [name, { type, full_text_search: settings }];
    });
    const schema = { id: "string", ...Object.fromEntries(attributes) };
    for (const upsert_rows of batchesOf(rows)) {
      await engine.write(NAMESPACE, { upsert_rows, schema });
    }
    return new JudgedSearch(engine);
  }

  /** Lets an indexer put everything into stored segments, which queries read from then on. */
  index(): Promise<void> {
    return this.#engine.indexAll();
  }

  /** The best documents of one ranking, in the engine's order. */
  async search(rankBy: unknown, limit: number): Promise<ScoredDocument[]> {
    const body = { rank_by: rankBy, limit };
    const { status, json } = await this.#engine.call("query", NAMESPACE, body);
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(json)}`);
    return json.rows.map(({ id, $dist }: { id: string; $dist: number }) => {
      return { id, score: Math.fround($dist) };
    });
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

function* batchesOf(rows: readonly TextRow[]): Generator<TextRow[]> {
  let batch: TextRow[] = [];
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    for (const text of Object.values(row)) characters += text.length;
    if (characters < BATCH_CHARACTERS_MAX) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
