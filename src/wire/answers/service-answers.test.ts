import { expect, test } from "vitest";
import type { ResultDocument } from "../../model/query-result.ts";
import { noPhases } from "../../model/request-stats.ts";
import {
  encodeDeleteAnswer,
  encodeExplainAnswer,
  encodeExportAnswer,
  encodeRecallAnswer,
  encodeWarmAnswer,
} from "./service-answers.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test("explain, deletion and warming", () => {
  expect(text(encodeExplainAnswer("Scan\n  a"))).toBe('{"plan_text":"Scan\\n  a"}');
  expect(text(encodeDeleteAnswer())).toBe('{"status":"OK"}');
  expect(text(encodeWarmAnswer())).toBe(
    '{"status":"ACCEPTED","message":"cache warm hint accepted"}',
  );
});

test("an analysis follows the plan", () => {
  const work = {
    documentsScanned: 1,
    valuesCompared: 12,
    stringsTested: 14,
    textsAnalyzed: 15,
    positionsRead: 16,
    entriesTouched: 13,
    postingsTouched: 2,
    blocksSkipped: 9,
    vectorsScored: 3,
    clustersProbed: 4,
    codesScanned: 5,
    candidatesReranked: 6,
    candidatesSkipped: 7,
    bytesReturned: 8,
  };
  const performance = {
    cacheHitRatio: 0.5,
    cacheTemperature: "cold",
    serverTotalMs: 3,
    executionMs: 2,
    exhaustiveCount: 0,
    namespaceDocumentCount: 9,
    lastIncludedWriteAtMs: undefined,
    embedding: undefined,
  } as const;
  const reads = { rounds: 1, loadedBytes: 10, storeBytes: 11 };
  const { plan_text, analysis } = JSON.parse(
    text(
      encodeExplainAnswer("Scan", {
        works: [work],
        reads,
        performance,
        phases: { ...noPhases(), plan: 0.12345, search: 7 },
        steps: [{ name: 'Filter: a is "b"', ms: 6.00049 }],
      }),
    ),
  );
  expect(plan_text).toBe("Scan");
  expect(analysis).toEqual({
    queries: [
      {
        documents_scanned: 1,
        values_compared: 12,
        strings_tested: 14,
        texts_analyzed: 15,
        positions_read: 16,
        entries_touched: 13,
        postings_touched: 2,
        blocks_skipped: 9,
        vectors_scored: 3,
        clusters_probed: 4,
        codes_scanned: 5,
        candidates_reranked: 6,
        candidates_skipped: 7,
        bytes_returned: 8,
      },
    ],
    reads: { rounds: 1, loaded_bytes: 10, store_bytes: 11 },
    performance: {
      cache_hit_ratio: 0.5,
      cache_temperature: "cold",
      server_total_ms: 3,
      query_execution_ms: 2,
      exhaustive_search_count: 0,
      approx_namespace_size: 9,
    },
    phases: {
      queue_ms: 0,
      parse_ms: 0,
      embed_ms: 0,
      plan_ms: 0.123,
      read_ms: 0,
      search_ms: 7,
      rerank_ms: 0,
      serialize_ms: 0,
      wait_ms: 0,
    },
    steps: [{ step: 'Filter: a is "b"', ms: 6 }],
  });
});

const vector = { kind: "vector", dimensions: 2, element: "f32" } as const;
const NEIGHBOUR: ResultDocument = {
  id: 7n,
  dist: 0,
  attributes: [["vector", vector, Float32Array.of(1, 0)]],
  computed: [],
};

test("recall shows the ground truth when it was asked for", () => {
  const means = { recall: 1, exhaustiveCount: 2, annCount: 2.5 };
  expect(text(encodeRecallAnswer({ ...means, groundTruth: undefined }))).toBe(
    '{"avg_recall":1.0,"avg_exhaustive_count":2.0,"avg_ann_count":2.5}',
  );
  const groundTruth = [{ query: Float32Array.of(0.5, 1), neighbours: [NEIGHBOUR] }];
  expect(text(encodeRecallAnswer({ ...means, groundTruth }))).toContain(
    ',"ground_truth":[{"query_vector":[0.5,1],' +
      '"nearest_neighbors":[{"id":7,"$dist":0,"vector":[1,0]}]}]}',
  );
});

test("the export is by column, null where a value is missing", () => {
  const documents: ResultDocument[] = [
    {
      id: "a",
      dist: undefined,
      attributes: [["n", { kind: "scalar", of: "int" }, 5n]],
      computed: [],
    },
    { ...NEIGHBOUR, id: "b" },
  ];
  expect(text(encodeExportAnswer(documents, "c"))).toBe(
    '{"ids":["a","b"],"vectors":[null,[1,0]],"attributes":{"n":[5,null]},"next_cursor":"c"}',
  );
  expect(text(encodeExportAnswer([], undefined))).toBe(
    '{"ids":[],"vectors":[],"attributes":{},"next_cursor":null}',
  );
});
