import { expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { fullText, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import type { NamespaceState } from "../../namespace/published-state.ts";
import type { TakeSteps } from "../../query/executor/run-on-snapshot.ts";
import { QueryMemory } from "../../query/operator/query-memory.ts";
import { UnknownMembers } from "../../wire/json/unknown-members.ts";
import {
  type OperationsThread,
  type QueryMessage,
  QueryOperations,
  type QueryOperationsOptions,
} from "./query-operations.ts";
import { NamespaceReplica } from "./snapshots/namespace-replica.ts";
import { QueryLife } from "./turns/query-life.ts";

const SCHEMA = schemaOf({ text: { type: "string", fullTextSearch: fullText() } });
const BUILD = {
  attribute: "text",
  index: "full_text_search",
  documentsDone: 0,
  documentsTotal: 9,
} as const;

function updateOf(version: number, facts: Partial<NamespaceState>) {
  const index = { isUpToDate: true, unindexedBytes: 0, unindexedCount: 0 };
  const common = { instance: "movies/1/1", schema: SCHEMA, index, logicalBytes: 0 };
  const change = { full: true, added: [], deleted: [], dropped: [] };
  const state = { ...common, ...facts } as NamespaceState;
  return { deltas: [{ version, change }], state, version };
}

/** Attempts begin with their first step, as in a thread. */
const READS = {
  runCounted: async <T>(attempt: () => Steps<T>, take: TakeSteps) => {
    function* begun(): Steps<T> {
      return yield* attempt();
    }
    return { result: await take(begun()), stats: undefined };
  },
};

test("a query that waits for its turn knows the indexes that its own snapshot lacks", async () => {
  const clock = new InstantClock();
  const replica = new NamespaceReplica(updateOf(1, { builds: [BUILD], buildsSinceMs: 0 }), {
    open: () => expect.unreachable(),
    applied: () => {},
  });
  const turns = {
    // The index is there when its turn comes, in segments that it does not see.
    run: async <T>(steps: Steps<T>) => {
      replica.apply(updateOf(2, { builds: [] }));
      return runSteps(steps);
    },
  };
  const operations = new QueryOperations(
    { clock, reads: READS } as unknown as QueryOperationsOptions,
    { turns, replica: () => replica } as unknown as OperationsThread,
  );
  const memory = new QueryMemory(new MemoryPool(1e6));
  const life = new QueryLife(
    { key: "", namespace: "movies" },
    { clock, timeoutMs: 1000, waitedMs: 0, memory },
  );
  const body = new TextEncoder().encode('{"rank_by":["text","BM25","a"],"limit":1}');
  const message = { operation: "explain", body, parameters: {} } as unknown as QueryMessage;
  const explain = () => operations.perform(message, life, new UnknownMembers());
  await expect(explain()).rejects.toThrow("0 of 9 documents done");
  expect((await explain()).status).toBe(200);
});
