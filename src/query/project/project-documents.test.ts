import { describe, expect, test } from "vitest";
import {
  BY_ID,
  documentOf,
  documentQuery,
  fullText,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { type RemoteSource, runReads } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import type { ComputedAttribute, ScoreExpression } from "../../model/query.ts";
import type { ReadRequest } from "../../segment/format/bytes-missing.ts";
import type { ReadingSteps } from "../../segment/format/reading-steps.ts";
import { runRequest } from "../executor/run-request.ts";
import { QueryMemory } from "../operator/query-memory.ts";
import type { Snapshot } from "../operator/snapshot.ts";

const METRIC = { distanceMetric: "cosine_distance" } as const;
const SCHEMA = schemaOf(
  {
    text: { type: "string", fullTextSearch: fullText() },
    vector: { type: "[8]f32", ann: { ...METRIC, lateInteraction: false } },
  },
  METRIC,
);
const TEXT_LENGTH = 2000;
const DOCUMENTS = Array.from({ length: 60 }, (_, i) =>
  documentOf(BigInt(i), {
    text: `red fox ${i} ${"x".repeat(TEXT_LENGTH)}`,
    vector: Float32Array.from({ length: 8 }, (_, d) => d + i + 1),
  }),
);
const BM25: ScoreExpression = {
  kind: "bm25",
  attribute: "text",
  query: "fox",
  lastAsPrefix: false,
};
const COMPUTED = new Map<string, ComputedAttribute>([
  [
    "fragments",
    {
      kind: "highlight",
      attribute: "text",
      fragmentBy: "sentence",
      fragmentLimit: 1,
      offsets: undefined,
      rankFragmentsBy: BM25,
    },
  ],
]);

/** All documents by id, with all of their values. */
const QUERY = {
  ...documentQuery(BY_ID, { limit: DOCUMENTS.length, computed: COMPUTED }),
  selection: { kind: "all" },
} as const;

const near = (): Snapshot =>
  openSnapshot(
    SCHEMA,
    [0, 20, 40].map((start) => ({ documents: DOCUMENTS.slice(start, start + 20) })),
  );

/** A snapshot with its first segment in memory and the others in a store. */
function partlyFar(): { snapshot: Snapshot; sources: RemoteSource[] } {
  const here = near();
  const far = remoteSnapshot(here);
  const segments = [here.segments[0], ...far.snapshot.segments.slice(1)];
  return { snapshot: { ...here, segments }, sources: far.sources };
}

/** Runs steps to their end; `load` is called for each request. */
function served<T>(steps: ReadingSteps<T>, load: (request: ReadRequest) => void): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (value !== undefined) load(value);
  }
}

describe("documents of which bytes are missing", () => {
  test("are requested together, and nothing is found again for them", () => {
    const { snapshot, sources } = partlyFar();
    const log: string[] = [];
    const enter = (_step: () => string, operator: string) => void log.push(operator);
    const steps = runRequest(snapshot, requestOf(QUERY), { kernels: KERNELS, enter });
    let lastWanted = 0;
    const found = served(steps, ({ wanted }) => {
      log.push("load");
      lastWanted = new Set(wanted.map(({ object }) => object)).size;
      for (const source of sources) source.load(wanted);
    });
    expect(found.results).toEqual(
      runReads(runRequest(near(), requestOf(QUERY), { kernels: KERNELS })).results,
    );
    // Both segments were asked for at once; the ranking before them was found once more at most.
    expect(lastWanted).toBe(2);
    expect(log.slice(log.lastIndexOf("load") - 1)).toEqual(["return", "load", "return"]);
    expect(log.filter((step) => step === "load").length).toBeLessThanOrEqual(3);
  });

  test("those before them are not read again: memory is taken once, and kept meanwhile", () => {
    const whole = new QueryMemory(new MemoryPool(2 ** 30));
    runReads(runRequest(near(), requestOf(QUERY), { kernels: KERNELS, memory: whole }));
    const { snapshot, sources } = partlyFar();
    const memory = new QueryMemory(new MemoryPool(whole.bytes));
    let held = 0;
    served(runRequest(snapshot, requestOf(QUERY), { kernels: KERNELS, memory }), ({ wanted }) => {
      held = memory.bytes;
      for (const source of sources) source.load(wanted);
    });
    expect(memory.bytes).toBe(whole.bytes);
    // The twenty documents that were in memory, at least.
    expect(held).toBeGreaterThan(20 * TEXT_LENGTH);
    expect(held).toBeLessThan(whole.bytes / 2);
  });
});
