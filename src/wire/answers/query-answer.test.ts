import { expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { QueryResult, ResultDocument } from "../../model/query-result.ts";
import type { QueryPerformance } from "../../model/request-stats.ts";
import type { AttributeValue } from "../../model/value.ts";
import { parseJson } from "../json/json-reader.ts";
import { ANSWER_PIECE_BYTES, encodeQueryAnswer, type QueryAnswer } from "./query-answer.ts";

const decoder = new TextDecoder();

const PERFORMANCE: QueryPerformance = {
  cacheHitRatio: 1,
  cacheTemperature: "hot",
  serverTotalMs: 3.2,
  executionMs: 0.1,
  exhaustiveCount: 3,
  namespaceDocumentCount: 3,
  lastIncludedWriteAtMs: undefined,
  embedding: undefined,
};
const TAIL =
  ',"billing":{"billable_logical_bytes_queried":1280000000,"billable_logical_bytes_returned":24},' +
  '"performance":{"cache_hit_ratio":1.0,"cache_temperature":"hot","server_total_ms":4,' +
  '"query_execution_ms":1,"exhaustive_search_count":3,"approx_namespace_size":3}}';

function encode(results: QueryResult[], answer: Partial<QueryAnswer> = {}): string {
  const steps = encodeQueryAnswer({
    kind: "single",
    results,
    vectorEncoding: "float",
    billing: { bytesQueried: 1_280_000_000, bytesReturned: 24 },
    performance: () => PERFORMANCE,
    ...answer,
  });
  const pieces = runSteps(steps);
  expect(pieces).toHaveLength(1);
  const [bytes] = pieces;
  expect(bytes.buffer.byteLength).toBe(bytes.length);
  return decoder.decode(bytes);
}

const document = (members: Partial<ResultDocument> = {}): ResultDocument => ({
  id: 1n,
  dist: undefined,
  attributes: [],
  computed: [],
  ...members,
});
const documents = (...list: ResultDocument[]): QueryResult => ({
  kind: "documents",
  documents: list,
});

test("documents have the id first and the distance second", () => {
  const first = document({
    dist: Math.fround(0.7),
    attributes: [["title", { kind: "scalar", of: "string" }, 'a "b" é\n']],
  });
  const result = documents(first, document({ id: 18_446_744_073_709_551_615n }));
  expect(encode([result])).toBe(
    `{"rows":[{"id":1,"$dist":0.7,"title":"a \\"b\\" é\\n"},{"id":18446744073709551615}]${TAIL}`,
  );
});

const scalar = (of: string) => ({ kind: "scalar", of }) as AttributeType;
const array = (of: string) => ({ kind: "array", of }) as AttributeType;
const vector: AttributeType = { kind: "vector", dimensions: 2, element: "f16" };

test.each<[AttributeType, AttributeValue, string]>([
  [scalar("string"), "", '""'],
  [scalar("int"), -9_223_372_036_854_775_808n, "-9223372036854775808"],
  [scalar("uint"), 18_446_744_073_709_551_615n, "18446744073709551615"],
  [scalar("float"), 1, "1.0"],
  [scalar("float"), 0.1, "0.1"],
  [scalar("float"), -0, "-0.0"],
  [scalar("float"), 1e21, "1e+21"],
  [scalar("float"), 1e20, "100000000000000000000.0"],
  [scalar("float"), 5e-324, "5e-324"],
  [scalar("bool"), false, "false"],
  [
    scalar("uuid"),
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    '"f47ac10b-58cc-4372-a567-0e02b2c3d479"',
  ],
  [scalar("datetime"), 1_767_225_600_123n, '"2026-01-01T00:00:00.123000000Z"'],
  [scalar("datetime"), 253_402_300_800_000n, '"+010000-01-01T00:00:00.000000000Z"'],
  [{ kind: "bytes" }, Uint8Array.of(255, 254), '"//4="'],
  [array("string"), ["a", "é"], '["a","é"]'],
  [array("int"), [1n, -2n], "[1,-2]"],
  [array("float"), [1, 2.5], "[1.0,2.5]"],
  [array("bool"), [true, false], "[true,false]"],
  [array("datetime"), [0n], '["1970-01-01T00:00:00.000000000Z"]'],
  [array("unknown"), [], "[]"],
  [vector, Float32Array.of(0.7, -1), "[0.7,-1]"],
  [
    { kind: "multi_vector", dimensions: 2 },
    [Float32Array.of(1, 0), Float32Array.of(0, 1)],
    "[[1,0],[0,1]]",
  ],
  [
    { kind: "sparse" },
    { names: ["a", 'b"'], weights: Float32Array.of(0.5, 2) },
    '{"a":0.5,"b\\"":2}',
  ],
])("a value of type %j", (type, value, text) => {
  const result = documents(document({ attributes: [["x", type, value]] }));
  expect(encode([result])).toBe(`{"rows":[{"id":1,"x":${text}}]${TAIL}`);
});

test("vectors come as base64 of float32 when asked for", () => {
  const multi: AttributeType = { kind: "multi_vector", dimensions: 1 };
  const result = documents(
    document({
      attributes: [
        ["vector", vector, Float32Array.of(1, 2)],
        ["m", multi, [Float32Array.of(1), Float32Array.of(2)]],
      ],
    }),
  );
  expect(encode([result], { vectorEncoding: "base64" })).toContain(
    '"vector":"AACAPwAAAEA=","m":["AACAPw==","AAAAQA=="]',
  );
});

test("null attributes are left out; a computed member hides an attribute of its name", () => {
  const result = documents(
    document({
      attributes: [
        ["id", scalar("uint"), 1n],
        ["gone", scalar("int"), null],
        ["x", scalar("int"), 5n],
      ],
      computed: [
        ["x", 0.5],
        ["none", null],
        ["score", 0],
      ],
    }),
  );
  expect(encode([result])).toContain('[{"id":1,"x":0.5,"none":null,"score":0}]');
});

test("highlights have ranges and the element's index where these are known", () => {
  const fragments = [
    { text: "a fish", fragmentRange: [0, 6], matchRanges: [[2, 6]], arrayIndex: 1 },
    { text: "no ranges" },
  ] as const;
  const result = documents(
    document({
      computed: [
        ["h", fragments],
        ["none", []],
      ],
    }),
  );
  expect(encode([result])).toContain(
    '"h":[{"text":"a fish","fragment_range":[0,6],"match_ranges":[[2,6]],"array_index":1},' +
      '{"text":"no ranges"}],"none":[]',
  );
});

test("aggregates keep integers exact", () => {
  const aggregates: QueryResult = {
    kind: "aggregates",
    aggregates: [
      ["n", 3n],
      ["sum", 18_446_744_073_709_551_617n],
      ["none", 0],
    ],
  };
  expect(encode([aggregates])).toBe(
    `{"aggregations":{"n":3,"sum":18446744073709551617,"none":0.0}${TAIL}`,
  );
});

test("groups show null keys", () => {
  const groups: QueryResult = {
    kind: "groups",
    groups: [
      { keys: [["city", scalar("string"), null]], aggregates: [["n", 2n]] },
      {
        keys: [
          ["city", scalar("string"), "Oslo"],
          ["year", scalar("int"), 5n],
        ],
        aggregates: [["n", 1n]],
      },
    ],
  };
  expect(encode([groups])).toBe(
    `{"aggregation_groups":[{"city":null,"n":2},{"city":"Oslo","year":5,"n":1}]${TAIL}`,
  );
});

test("a multi-query has a result for each query, a fused one has one", () => {
  const aggregates: QueryResult = { kind: "aggregates", aggregates: [["n", 3n]] };
  expect(encode([documents(document()), aggregates], { kind: "multi" })).toBe(
    `{"results":[{"rows":[{"id":1}]},{"aggregations":{"n":3}}]${TAIL}`,
  );
  expect(encode([documents(document({ dist: 0.5 }))], { kind: "multi" })).toBe(
    `{"results":[{"rows":[{"id":1,"$dist":0.5}]}]${TAIL}`,
  );
});

test("optional performance members appear when they are known", () => {
  const performance = () => ({
    ...PERFORMANCE,
    cacheHitRatio: 0.25,
    lastIncludedWriteAtMs: 0,
    embedding: { tokens: 4, ms: 19.5 },
  });
  const text = encode([documents()], { performance });
  expect(text).toContain('"cache_hit_ratio":0.25,');
  expect(text).toContain(
    ',"last_included_write_at":"1970-01-01T00:00:00.000000000Z",' +
      '"embedding_tokens":4,"embedding_ms":20}}',
  );
});

test("random documents are read back as they were", () => {
  const seed = 33;
  const random = seededRandom(seed);
  for (let round = 0; round < 200; round++) {
    const text = String.fromCharCode(...Array.from({ length: 6 }, () => random.below(0xd800)));
    const float = (random.next() - 0.5) * 10 ** (random.below(600) - 300);
    const integer = random.bytes(8).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
    const values = Float32Array.from({ length: 20 }, () => random.next() * 1e5);
    const result = documents(
      document({
        id: integer,
        attributes: [
          [text, scalar("string"), text],
          ["float", scalar("float"), float],
          ["vector", vector, values],
        ],
      }),
    );
    const answer = parseJson(new TextEncoder().encode(encode([result])));
    const rows = answer instanceof Map ? answer.get("rows") : undefined;
    const [row] = Array.isArray(rows) ? rows : [];
    const read = row instanceof Map ? row : new Map();
    expect(read.get("id"), `seed ${seed}`).toBe(integer);
    expect(read.get(text), `seed ${seed}`).toBe(text);
    expect(read.get("float"), `seed ${seed}`).toBe(float);
    expect(Float32Array.from(read.get("vector").values), `seed ${seed}`).toEqual(values);
  }
});

test("large answers come in pieces that end after rows, and are counted as they are made", () => {
  const text = "x".repeat(10_000);
  const type = { kind: "scalar", of: "string" } as const;
  const documents = Array.from({ length: 100 }, (_, i) =>
    document({ id: BigInt(i), attributes: [["text", type, text]] }),
  );
  const counted: number[] = [];
  const answer: QueryAnswer = {
    kind: "multi",
    results: [
      { kind: "documents", documents },
      { kind: "documents", documents: documents.slice(0, 1) },
    ],
    vectorEncoding: "float",
    billing: { bytesQueried: 0, bytesReturned: 0 },
    performance: () => PERFORMANCE,
  };
  const pieces = runSteps(encodeQueryAnswer(answer, (bytes) => counted.push(bytes)));
  expect(pieces.length).toBeGreaterThan(2);
  expect(counted).toEqual(pieces.map(({ length }) => length));
  const most = Math.max(...counted);
  expect(most).toBeLessThan(ANSWER_PIECE_BYTES + 16 * 11_000);
  const { results } = JSON.parse(decoder.decode(Buffer.concat(pieces)));
  expect(results[0].rows).toHaveLength(100);
  expect(results[0].rows[99]).toEqual({ id: 99, text });
  expect(results[1].rows).toHaveLength(1);
});

test("long arrays are written in steps and pieces, and read as they are", () => {
  const texts = Array.from({ length: 40_000 }, (_, i) => `text ${i} é`);
  const numbers = Array.from({ length: 50_000 }, (_, i) => BigInt(i) - 9n);
  const vectors = Array.from({ length: 20_000 }, (_, i) => Float32Array.of(i, 0.5));
  const long = document({
    attributes: [
      ["texts", { kind: "array", of: "string" }, texts],
      ["between", { kind: "scalar", of: "bool" }, true],
      ["numbers", { kind: "array", of: "int" }, numbers],
      ["vectors", { kind: "multi_vector", dimensions: 2 }, vectors],
    ],
    computed: [["score", 0.5]],
  });
  const pieces: Uint8Array[] = [];
  let steps = 0;
  const writing = encodeQueryAnswer({
    kind: "single",
    results: [documents(long, document({ id: 2n }))],
    vectorEncoding: "float",
    billing: { bytesQueried: 0, bytesReturned: 0 },
    performance: () => PERFORMANCE,
  });
  for (let next = writing.next(); ; next = writing.next(), steps++) {
    if (next.done !== true) continue;
    pieces.push(...next.value);
    break;
  }
  expect(steps).toBeGreaterThan(5);
  expect(pieces.length).toBeGreaterThan(2);
  for (const piece of pieces) expect(piece.length).toBeLessThan(2 * 1024 * 1024);
  const { rows } = JSON.parse(decoder.decode(Buffer.concat(pieces)));
  expect(rows).toEqual([
    {
      id: 1,
      texts,
      between: true,
      numbers: numbers.map(Number),
      vectors: vectors.map((vector) => [...vector]),
      score: 0.5,
    },
    { id: 2 },
  ]);
});

test("a document of many short values is written in steps, and read as it is", () => {
  const type = { kind: "array", of: "float" } as const;
  const values = Array.from({ length: 2000 }, (_, e) => e / 7);
  const attributes = Array.from({ length: 200 }, (_, a): ResultDocument["attributes"][number] => {
    return [`a${a}`, type, values];
  });
  const writing = encodeQueryAnswer({
    kind: "single",
    results: [documents(document({ attributes }), document({ id: 2n, attributes }))],
    vectorEncoding: "float",
    billing: { bytesQueried: 0, bytesReturned: 0 },
    performance: () => PERFORMANCE,
  });
  const { result, count } = countSteps(writing);
  expect(count).toBeGreaterThan(20);
  const { rows } = JSON.parse(decoder.decode(Buffer.concat(result)));
  const members = Object.fromEntries(attributes.map(([name]) => [name, values]));
  expect(rows).toEqual([
    { id: 1, ...members },
    { id: 2, ...members },
  ]);
});
