import { expect, test } from "vitest";
import { EngineFixture } from "../../test/support/engine/engine-fixture.ts";
import { namespaceName } from "../base/ids.ts";
import { seededRandom } from "../base/random.ts";
import type { IndexerStep } from "../indexer/indexer-options.ts";
import type { Span } from "../trace/span.ts";
import { traceSteps } from "./indexer-tracing.ts";

const STEP: IndexerStep = {
  kind: "index",
  namespace: namespaceName("a"),
  startMs: 1000,
  endMs: 1250,
  counts: { entries: 3, documents: 7 },
};

test("a step is a trace of its own, and some are sampled", () => {
  const spans: Span[] = [];
  const exporter = { add: (added: readonly Span[]) => void spans.push(...added) };
  const at = (sampleRate: number) => traceSteps({ exporter, random: seededRandom(3), sampleRate });
  at(0)(STEP);
  expect(spans).toEqual([]);
  at(1)(STEP);
  expect(spans).toEqual([
    {
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: "index",
      kind: "internal",
      startMs: 1000,
      endMs: 1250,
      attributes: { "trawl.namespace": "a", "trawl.entries": 3, "trawl.documents": 7 },
    },
  ]);
});

test("indexers tell of steps that changed something, and of no others", async () => {
  const engine = await EngineFixture.open();
  await engine.write("a", { upsert_rows: [{ id: 1 }, { id: 2 }] });
  const steps: IndexerStep[] = [];
  const indexer = engine.indexer({ onStep: (step) => steps.push(step) });
  const generation = { name: namespaceName("a"), generation: 1 };
  await indexer.indexAll(generation);
  await indexer.indexAll(generation);
  expect(steps).toMatchObject([
    { kind: "index", namespace: "a", counts: { entries: 1, documents: 2 } },
  ]);
  expect(steps[0].endMs).toBeGreaterThanOrEqual(steps[0].startMs);
  await engine.close();
});
