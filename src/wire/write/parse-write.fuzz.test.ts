import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqual } from "../../../test/support/expect-equal.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { parseAttributeType } from "../../model/attribute-type.ts";
import type { WriteRequest } from "../../model/write-request.ts";
import { parseJson } from "../json/json-reader.ts";
import { parseQueryBody } from "../query/parse-query.ts";
import { WriteBodyParser } from "./parse-write.ts";

const encoder = new TextEncoder();
const TYPES: Record<string, string> = { vector: "[3]f32", score: "float", multi: "[][2]f32" };

function parse(chunks: readonly Uint8Array[]): WriteRequest {
  const parser = new WriteBodyParser({ typeOf: (name) => parseAttributeType(TYPES[name] ?? "") });
  for (const chunk of chunks) runSteps(parser.push(chunk));
  return runSteps(parser.finish());
}

const BODY = encoder.encode(
  JSON.stringify({
    unknown: { deep: [[], {}, [1.5, "a\u00e9\n"]] },
    upsert_rows: [
      { id: 1, name: "Ærø 🐡", vector: [0.25, -1e-3, 3], tags: ["a", "b"], score: 1 },
      { id: 18446744073709552n.toString(), vector: "AACAPwAAgD8AAIA/", s: { x: 0.5 }, score: 2.5 },
      {
        n: 7,
        id: 3,
        multi: [
          [1, 2],
          [3, 4],
        ],
        long: Array.from({ length: 20 }, (_, i) => i),
      },
      { n: 7.5, id: 4, ok: false, nothing: null },
    ],
    patch_columns: { score: [1, null], id: [8, 9], vector: [1, 2, 3, 4, 5, 6], s: ["x", "y"] },
    deletes: [10, 11, 9007199254740992, "x"],
    delete_condition: [
      "And",
      [
        ["a", "Eq", 1],
        ["Not", ["b", "In", ["x", "y"]]],
      ],
    ],
    schema: { a: "uint", t: { type: "string", full_text_search: true } },
    distance_metric: "cosine_distance",
  }).replace("9007199254740992", "9007199254740993"),
);

test("a body may be cut anywhere", () => {
  const whole = parse([BODY]);
  expect(whole.upserts?.count).toBe(4);
  for (let cut = 0; cut <= BODY.length; cut += effort({ usual: 5, full: 1 })) {
    expectEqual(parse([BODY.subarray(0, cut), BODY.subarray(cut)]), whole, `cut at ${cut}`);
  }
});

test("a body may come byte by byte", () => {
  const bytes = Array.from(BODY, (_, i) => BODY.subarray(i, i + 1));
  expect(parse(bytes)).toEqual(parse([BODY]));
});

test("steps that are interrupted in long lists are repeated", () => {
  const upsert_rows = Array.from({ length: effort({ usual: 1200, full: 3000 }) }, (_, i) => ({
    id: i,
    n: i % 7 === 0 ? i + 0.5 : i,
    vector: [i, i / 2, 1 / (i + 1)],
    ...(i % 5 === 0 && { rare: "x".repeat(i % 300) }),
  }));
  const bytes = encoder.encode(
    JSON.stringify({ upsert_rows, deletes: upsert_rows.map((r) => r.id) }),
  );
  const whole = parse([bytes]);
  expect(whole.upserts?.attributes.get("rare")?.values[5]).toBe("x".repeat(5));
  for (const size of [1, 17, 1000, 4096, 5000, 65_536]) {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    expectEqual(parse(chunks).upserts, whole.upserts, `chunks of ${size}`);
  }
});

test("arrays that take several steps are what they are when read at once", () => {
  const names = (count: number, spell: (i: number) => unknown) =>
    Array.from({ length: count }, (_, i) => spell(i));
  const arrays = [
    names(2000, (i) => `value ${i}`),
    names(900, (i) => (i % 3 === 0 ? null : i % 3 === 1 ? "é\n".repeat(i % 90) : i % 2 === 0)),
    ["first", ...names(600, (i) => [i, [`${i}`, { x: i / 4 }], 2 ** 53])],
    names(5000, () => ""),
  ];
  const rows = arrays.map((a, id) => ({ before: "x".repeat(id), a, id, after: [id, "y"] }));
  const columns = { id: names(4, (i) => i), a: arrays };
  for (const body of [{ upsert_rows: rows }, { upsert_columns: columns }]) {
    const bytes = encoder.encode(JSON.stringify(body));
    const expected = arrays.map((array) => parseJson(encoder.encode(JSON.stringify(array))));
    for (const size of [7, 1000, 4096, 5000, 65_536, bytes.length]) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      const found = parse(chunks).upserts?.attributes.get("a")?.values;
      expectEqual(found, expected, `chunks of ${size}`);
    }
  }
});

test("an array of many strings is no long step", () => {
  const bytes = encoder.encode(`{"upsert_rows":[{"id":1,"a":[${'"x",'.repeat(100_000)}"y"]}]}`);
  const parser = new WriteBodyParser({ typeOf: () => undefined });
  let steps = 0;
  for (const _ of parser.push(bytes)) steps++;
  expect(steps).toBe(Math.floor(bytes.length / 4096));
});

const QUERY = encoder.encode(
  JSON.stringify({
    queries: [
      {
        rank_by: [
          "Sum",
          [
            ["t", "BM25", "q", { last_as_prefix: true }],
            ["Product", 2, ["a", "Eq", 1]],
          ],
        ],
        limit: { total: 5, per: { attributes: ["a"], limit: 1 } },
        include_attributes: ["a"],
        compute_attributes: { h: ["Highlight", "t", { fragment_by: "word" }] },
      },
      { rank_by: ["v", "kNN", [0.5, 1, 2]], filters: ["And", [["a", "Eq", null]]], top_k: 3 },
      { rank_by: ["Decay", ["Dist", ["Attribute", "d"], 5], { midpoint: "7d" }], limit: 3 },
    ],
    rerank_by: ["RRF", { weights: [1, 2.5, 1] }],
    limit: 10,
  }),
);

test("a damaged body is refused with a documented error, whatever the damage", () => {
  const seed = 20_260_101;
  const random = seededRandom(seed);
  const rounds = effort({ usual: 400, full: 6000 });
  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const body = damaged(round % 2 === 0 ? BODY : QUERY, random);
    try {
      if (round % 2 === 0) parse([body.subarray(0, 200), body.subarray(200)]);
      else runSteps(parseQueryBody(body));
    } catch (error) {
      refused++;
      const text = `seed ${seed}, round ${round}: ${Buffer.from(body).toString("latin1")}`;
      expect(isDatabaseError(error, "invalid", "malformed", "too_large"), text).toBe(true);
    }
  }
  expect(refused).toBeGreaterThan(rounds / 2);
});

const TOKENS = [
  "null",
  "true",
  "[]",
  "{}",
  '""',
  "-1",
  "1e400",
  "[[",
  "]",
  ",",
  '"\\ud800"',
  "0.5",
];

/** One to three damages: bytes changed, cut out, doubled or swapped for tokens. */
function damaged(body: Uint8Array, random: Random): Uint8Array {
  let bytes = Buffer.from(body);
  for (let i = random.below(3); i >= 0; i--) {
    const at = random.below(bytes.length);
    const end = Math.min(bytes.length, at + 1 + random.below(6));
    const middle = [
      random.bytes(end - at),
      new Uint8Array(0),
      Buffer.concat([bytes.subarray(at, end), bytes.subarray(at, end)]),
      encoder.encode(TOKENS[random.below(TOKENS.length)]),
    ][random.below(4)];
    bytes = Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(end)]);
  }
  return bytes;
}
