/** A namespace in the store, queries of every kind over it, and what they cost in rounds. */

import { expect } from "vitest";
import type { ListPage, ListRequest, ObjectKey } from "../../../src/storage/object-store.ts";
import { MemoryObjectStore } from "../stores/memory-object-store.ts";
import { EngineFixture, type FixtureOptions } from "./engine-fixture.ts";

/** A request as a round has it. */
export interface RoundRequest {
  readonly kind: "GET" | "LIST";
  /** Key or prefix. */
  readonly target: string;
}

/** Requests wait until nothing else moves; then all of them are answered: one round. */
export class RoundStore extends MemoryObjectStore {
  isCounting = false;
  rounds: RoundRequest[][] = [];
  #waiting: { readonly request: RoundRequest; readonly go: () => void }[] = [];

  override async get(key: ObjectKey): Promise<Uint8Array | undefined> {
    await this.#turn({ kind: "GET", target: key });
    return super.get(key);
  }

  override async getRange(key: ObjectKey, start: number, end: number) {
    await this.#turn({ kind: "GET", target: key });
    return super.getRange(key, start, end);
  }

  override async list(request: ListRequest): Promise<ListPage> {
    await this.#turn({ kind: "LIST", target: request.prefix });
    return super.list(request);
  }

  /** Rounds with at least one GET. */
  get getRounds(): number {
    return this.rounds.filter((round) => round.some(({ kind }) => kind === "GET")).length;
  }

  /** Requests for segments and their tombstones. */
  get segmentRequests(): readonly RoundRequest[] {
    return this.rounds.flat().filter(({ target }) => target.includes("/segments/"));
  }

  /** The rounds, to be shown when there are too many. */
  get shown(): string {
    const show = ({ kind, target }: RoundRequest) =>
      `${kind} ${target.split("/").slice(3).join("/")}`;
    return this.rounds.map((round) => round.map(show).join(", ")).join("\n");
  }

  /** Counts from here on. */
  count(): void {
    this.rounds = [];
    this.isCounting = true;
  }

  async #turn(request: RoundRequest): Promise<void> {
    if (!this.isCounting) return;
    await new Promise<void>((go) => {
      this.#waiting.push({ request, go });
      if (this.#waiting.length === 1) void this.#answer();
    });
  }

  async #answer(): Promise<void> {
    for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
    const round = this.#waiting;
    this.#waiting = [];
    this.rounds.push(round.map(({ request }) => request));
    for (const { go } of round) go();
  }
}

/** Of a document and of queries. */
export const VECTOR = [1, 2, 3, 4];
/** Queries of every kind. */
export const QUERIES: Readonly<Record<string, object>> = {
  vector: { rank_by: ["vector", "ANN", VECTOR], limit: 5, include_attributes: true },
  "exact vector": { rank_by: ["vector", "kNN", VECTOR], filters: ["n", "Gt", 20], limit: 5 },
  text: { rank_by: ["text", "BM25", "word other w7"], limit: 5, include_attributes: true },
  prefix: { rank_by: ["text", "BM25", "wor", { last_as_prefix: true }], limit: 5 },
  hybrid: {
    queries: [
      { rank_by: ["vector", "ANN", VECTOR], limit: 5, include_attributes: ["n"] },
      { rank_by: ["text", "BM25", "word w7"], limit: 5, include_attributes: ["n"] },
    ],
    rerank_by: ["RRF"],
    limit: 5,
  },
  order: { rank_by: ["n", "desc"], limit: 5, include_attributes: true },
  "two orders": {
    rank_by: [
      ["group", "asc"],
      ["n", "desc"],
    ],
    limit: 5,
  },
  lookup: {
    rank_by: ["id", "asc"],
    filters: ["id", "In", [3, 4]],
    limit: 5,
    include_attributes: true,
  },
  filters: {
    rank_by: ["id", "asc"],
    filters: [
      "And",
      [
        ["group", "Eq", "g1"],
        ["n", "Lt", 50],
        ["text", "ContainsAllTokens", "w7"],
      ],
    ],
    limit: 5,
  },
  sequence: {
    rank_by: ["id", "asc"],
    filters: ["text", "ContainsTokenSequence", "word w7"],
    limit: 5,
  },
  glob: { rank_by: ["id", "asc"], filters: ["group", "Glob", "g*"], limit: 5 },
  counts: { aggregate_by: { all: ["Count"] } },
  groups: { aggregate_by: { all: ["Count"] }, group_by: ["group"] },
  sums: { aggregate_by: { sum: ["Sum", "n"] }, filters: ["group", "NotEq", "g2"] },
};

/** How a namespace is filled. */
export interface Filling extends Pick<FixtureOptions, "clusters" | "probing"> {
  /** Documents of each of the three segments. */
  readonly rowCount?: number;
  /** Vector attributes beside `vector`. */
  readonly furtherVectors?: readonly string[];
  /** Words of each text beside three. */
  readonly wordCount?: number;
  /** What is in the log after the last manifest. */
  readonly tail?: readonly object[];
  /** Folds the log. */
  index?(engine: EngineFixture): Promise<void>;
}

/** Documents in several segments, some of them dead, and one in the log. */
export async function fillNamespace(
  filling: Filling = {},
): Promise<{ store: RoundStore; engine: EngineFixture }> {
  const { rowCount = 40, wordCount = 0, index = (engine) => engine.indexAll() } = filling;
  const { furtherVectors = [] } = filling;
  const vectorsOf = (vector: readonly number[], id: number) => ({
    vector,
    ...Object.fromEntries(furtherVectors.map((name) => [name, [3, (id * 37) % 101, 2, 1]])),
  });
  const last = { id: 500_000, ...vectorsOf(VECTOR, 500_000), n: 1 };
  const { tail = [{ upsert_rows: [last] }] } = filling;
  const store = new RoundStore();
  const { clusters, probing } = filling;
  const engine = await EngineFixture.open({
    store,
    ...(clusters && { clusters }),
    ...(probing && { probing }),
  });
  for (let part = 0; part < 3; part++) {
    const rows = Array.from({ length: rowCount }, (_, i) => {
      const id = part * rowCount + i;
      const more = Array.from(
        { length: wordCount },
        (__, word) => ` x${(id * 31 + word * 7) % 997}`,
      );
      const text = `word w${id % 9} other${more.join("")}`;
      const rest = { text, n: id, group: `g${id % 4}`, note: `note ${id}` };
      return { id, ...vectorsOf([id, 1, 2, 3], id), ...rest };
    });
    await engine.write("n", {
      upsert_rows: rows,
      distance_metric: "cosine_distance",
      schema: {
        text: { type: "string", full_text_search: true },
        note: { type: "string", filterable: false },
        ...Object.fromEntries(furtherVectors.map((name) => [name, { type: "[4]f32", ann: true }])),
      },
    });
    await index(engine);
  }
  await engine.write("n", { deletes: [5, 50] });
  await index(engine);
  for (const body of tail) await engine.write("n", body);
  return { store, engine };
}

/** The answer to a query, which must succeed. */
export async function answerOf(engine: EngineFixture, query: object) {
  const { status, json } = await engine.call("query", "n", query);
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
}
