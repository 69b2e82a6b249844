/** Documents on the wire: ids, types and their limits, vectors, each with status and text. */

import { describe, expect, test } from "vitest";
import { contractServer, expectError } from "../support/servers/contract-server.ts";

const { write, call, query, documents, fresh } = contractServer("documents");

const UUID = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9";
const COSINE = { distance_metric: "cosine_distance" };
const ID = "data did not match any variant of untagged enum Id";
const ID_VEC = "data did not match any variant of untagged enum IdVec";
const base64 = (values: number[]) =>
  Buffer.from(Float32Array.from(values).buffer).toString("base64");

/** Writes that must fail on a new namespace, and leave none behind. */
type Refusal = [name: string, body: unknown, status: number, ...parts: string[]];

async function refuse(body: unknown, status: number, parts: string[]): Promise<void> {
  const name = fresh();
  expectError(await write(name, body), status, ...parts);
  const metadata = await call("GET", `/v2/namespaces/${name}/metadata`);
  expectError(metadata, 404, `🤷 namespace '${name}' was not found`);
}

describe("ids", () => {
  const row = (id: unknown) => ({ upsert_rows: [{ id }] });
  const duplicates =
    "💔 This upsert contains duplicate document IDs and was not written. You should ensure that " +
    "individual upserts do not include duplicate documents. The duplicated IDs in this batch " +
    "were the following: ";
  const mixed = "; you are not allowed to mix ID types in the same namespace";
  const refusals: Refusal[] = [
    ["negative", row(-1), 422, `upsert_rows[0].id: ${ID} at line 1 column `],
    ["fraction", row(1.5), 422, `upsert_rows[0].id: ${ID} at line 1 column `],
    ["whole number with a point", '{"upsert_rows":[{"id":1.0}]}', 422, ID],
    ["beyond 64 bits", '{"upsert_rows":[{"id":18446744073709551616}]}', 422, ID],
    ["null", row(null), 422, ID],
    ["boolean", row(true), 422, ID],
    ["object", row({}), 422, ID],
    ["array", row([1]), 422, ID],
    ["missing", { upsert_rows: [{ id: 1 }, { a: 1 }] }, 422, "upsert_rows[1]: missing field `id`"],
    ["misshapen in a column", { upsert_columns: { id: [true] } }, 422, ID_VEC],
    ["null in a column", { upsert_columns: { id: [null] } }, 422, ID_VEC],
    ["column that is no list", { upsert_columns: { id: 1 } }, 422, ID_VEC],
    ["missing column", { upsert_columns: { a: [1] } }, 400, "💔 upsert_columns: missing", "`id`"],
    ["deletes that are true", { deletes: true }, 422, `deletes: ${ID_VEC}`],
    ["deletes that are an object", { deletes: {} }, 422, `deletes: ${ID_VEC}`],
    ["negative delete", { deletes: [-1] }, 422, ID_VEC],
    ["null delete", { deletes: [null] }, 422, ID_VEC],
    ["65 bytes", row("x".repeat(65)), 400, "upsert_rows[0].id", "65 bytes", "64 bytes"],
    ["33 characters of 2 bytes", row("é".repeat(33)), 400, "66 bytes"],
    [
      "string after uint",
      { upsert_rows: [{ id: 1 }, { id: "a" }] },
      400,
      `💔 namespace ID type is uint, but you sent string${mixed}`,
    ],
    [
      "uint after string",
      { upsert_rows: [{ id: "a" }], deletes: [1] },
      400,
      `💔 namespace ID type is string, but you sent uint${mixed}`,
    ],
    [
      "uint where a UUID is declared",
      { schema: { id: "uuid" }, ...row(1) },
      400,
      `namespace ID type is uuid, but you sent uint${mixed}`,
    ],
    [
      "bad UUID",
      { schema: { id: "uuid" }, ...row("zz") },
      400,
      "💔 namespace ID type is uuid, but a written ID could not be parsed as uuid",
    ],
    ["int", { schema: { id: "int" }, ...row(1) }, 400, "💔 int is not a valid ID type"],
    ["datetime", { schema: { id: { type: "datetime" } }, ...row(1) }, 400, "💔 datetime is not"],
    ["twice", { upsert_rows: [1, 1, 2, 2].map((id) => ({ id })) }, 400, `${duplicates}1, 2`],
    ["twice among deletes", { deletes: ["a", "a"] }, 400, `${duplicates}a`],
    ["twice in a column", { upsert_columns: { id: [7, 7] } }, 400, `${duplicates}7`],
  ];
  test.each(refusals)("%s is refused", (_name, body, status, ...parts) =>
    refuse(body, status, parts),
  );

  test("the longest, the empty and UUID-looking strings are ids of type string", async () => {
    const name = fresh();
    const ids = ["", "x".repeat(64), UUID.toUpperCase()];
    const sent = { upsert_rows: ids.map((id) => ({ id })), return_affected_ids: true };
    expect((await write(name, sent)).json.upserted_ids).toEqual(ids);
    const schema = await call("GET", `/v1/namespaces/${name}/schema`);
    expect(schema.json.id).toEqual({ type: "string", filterable: null, full_text_search: null });
  });

  test("UUIDs come back lower case with dashes, also from deletes", async () => {
    const name = fresh();
    await write(name, { schema: { id: "uuid" }, upsert_rows: [{ id: `urn:uuid:${UUID}` }] });
    const answer = await write(name, { deletes: [`{${UUID}}`], return_affected_ids: true });
    expect(answer.json.deleted_ids).toEqual([UUID]);
  });

  test("every id type can be declared, in either form", async () => {
    for (const [type, id] of [
      ["uint", 1],
      ["string", "a"],
      ["uuid", UUID],
    ]) {
      for (const declared of [type, { type }]) {
        const answer = await write(fresh(), { schema: { id: declared }, upsert_rows: [{ id }] });
        expect([type, answer.status]).toEqual([type, 200]);
      }
    }
  });
});

describe("values", () => {
  const typed = (type: unknown, a: unknown) => ({
    schema: { a: type },
    upsert_rows: [{ id: 1, a }],
  });
  const untyped = (a: unknown) => ({ upsert_rows: [{ id: 1, a }] });
  const sparse = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`d${i}`, 1]));
  const place = "attribute 'a' at upsert_rows[0].a";
  const refusals: Refusal[] = [
    ["undeclared decimal", untyped(1.5), 400, place, "signed 64-bit integer", '"float"'],
    ["undeclared decimals in an array", untyped([1.5]), 400, place, '"[]float"'],
    ["int beyond 64 bits", '{"upsert_rows":[{"id":1,"a":9223372036854775808}]}', 400, place],
    ["string for int", typed("int", "5"), 400, place, 'string "5"'],
    ["int for string", typed("string", 5), 400, place, "expected string, but got integer 5"],
    ["string for bool", typed("bool", "true"), 400, place, "expected bool"],
    ["fraction for int", typed("int", 1.5), 400, place, "decimal 1.5", '"float"'],
    ["negative for uint", typed("uint", -1), 400, place, "integer -1", '"int"'],
    ["object", untyped({ b: 1 }), 400, place, "{}f16"],
    ["array for a scalar", typed("string", ["x"]), 400, place, "expected string, but got array"],
    ["scalar for an array", typed("[]string", "x"), 400, place, "expected an array"],
    [
      "null in an array",
      untyped(["x", null]),
      422,
      "upsert_rows[0].a[1]: invalid",
      "must not be null",
    ],
    [
      "null alone in an array",
      typed("[]int", [null]),
      422,
      "upsert_rows[0].a[0]",
      "must not be null",
    ],
    [
      "mixed array",
      untyped(["x", 1]),
      422,
      "upsert_rows[0].a[1]: invalid type: number, expected string",
    ],
    ["numbers and text", untyped([1.5, "x"]), 422, "upsert_rows[0].a[1]: invalid type: string"],
    ["mixed declared array", typed("[]bool", [true, 1]), 422, "upsert_rows[0].a[1]", "of one type"],
    ["text in an array of numbers", typed("[]int", ["x"]), 400, `${place}[0]`, "expected int"],
    ["array of objects", untyped([{}]), 400, place],
    ["bad uuid", typed("uuid", "x"), 400, place, "expected uuid"],
    ["number for datetime", typed("datetime", 1700000000), 400, place, "ISO 8601 string"],
    ["month 13", typed("datetime", "2024-13-01"), 400, place, "month 13"],
    ["30 February", typed("datetime", "2024-02-30"), 400, place, "day 30"],
    ["bad base64", typed("bytes", "%%"), 400, place, "base64"],
    ["1025 sparse entries", typed("{}f16", sparse(1025)), 400, place, "at most 1024"],
    ["sparse weight that is a string", typed("{}f16", { x: "1" }), 400, place],
    ["sparse weight beyond f16", typed("{}f16", { x: 1e9 }), 400, place, "f16"],
    ["filterable value of 4097 bytes", untyped("x".repeat(4097)), 400, place, "4096", "filterable"],
    ["filterable element of 4097 bytes", untyped(["x".repeat(4097)]), 400, "a[0]", "4096"],
    [
      "value above 8 MiB",
      typed({ type: "string", filterable: false }, "x".repeat(8 * 1024 * 1024 + 1)),
      400,
      place,
      "8388608",
    ],
    ["name with $", { upsert_rows: [{ id: 1, $a: 1 }] }, 400, '"$a" must not start with `$`'],
    ["empty name", { upsert_rows: [{ id: 1, "": 1 }] }, 400, "must not be empty"],
    [
      "name of 129 characters",
      { upsert_rows: [{ id: 1, ["é".repeat(129)]: 1 }] },
      400,
      "limit is 128 characters",
    ],
    [
      "one of two values",
      {
        upsert_rows: [
          { id: 1, a: 1 },
          { id: 2, a: "x" },
        ],
      },
      400,
      "[1].a",
    ],
  ];
  test.each(refusals)("%s is refused", (_name, body, status, ...parts) =>
    refuse(body, status, parts),
  );

  test("values at their limits are stored", async () => {
    const name = fresh();
    const filterable = "é".repeat(2048);
    const large = "x".repeat(8 * 1024 * 1024);
    const values = { filterable, elements: [filterable, filterable], sparse: sparse(1024), large };
    const answer = await write(name, {
      schema: { sparse: "{}f16", large: { type: "string", filterable: false } },
      upsert_rows: [{ id: 1, ["é".repeat(128)]: 1, ...values }],
    });
    expect(answer.status, answer.text).toBe(200);
    expect(await documents(name)).toEqual([{ id: 1, ["é".repeat(128)]: 1, ...values }]);
  });

  test("1024 names fit beside the id, one more does not, in one write or in two", async () => {
    const names = Array.from({ length: 1024 }, (_, i) => [`a${i}`, 1]);
    const full = { id: 1, ...Object.fromEntries(names) };
    await refuse({ upsert_rows: [{ ...full, more: 1 }] }, 400, ["at most 1024 attributes"]);
    const name = fresh();
    expect((await write(name, { upsert_rows: [full] })).status).toBe(200);
    expectError(await write(name, { upsert_rows: [{ id: 2, more: 1 }] }), 400, "at most 1024");
  });

  test("null is absence: it clears, and is left out of answers even by name", async () => {
    const name = fresh();
    await write(name, { upsert_rows: [{ id: 1, a: 1, b: null }] });
    await write(name, { patch_rows: [{ id: 1, a: null }] });
    const asked = { rank_by: ["id", "asc"], limit: 1, include_attributes: ["a"] };
    expect((await query(name, asked)).json.rows).toEqual([{ id: 1 }]);
  });
});

describe("vectors", () => {
  const one = (vector: unknown) => ({ ...COSINE, upsert_rows: [{ id: 1, vector }] });
  const typed = (type: string, v: unknown) => ({
    ...COSINE,
    schema: { v: { type, ann: true } },
    upsert_rows: [{ id: 1, v }],
  });
  const late = (t: unknown) => ({
    ...COSINE,
    schema: { t: { type: "[][2]f32", ann: { late_interaction: true } } },
    upsert_rows: [{ id: 1, t }],
  });
  const several = (letters: string, of: (letter: string) => unknown) =>
    Object.fromEntries([...letters].map((letter) => [letter, of(letter)]));
  const vectors = (letters: string) => ({
    ...COSINE,
    schema: several(letters, () => ({ type: "[1]f32", ann: true })),
    upsert_rows: [{ id: 1, ...several(letters, () => [1]) }],
  });
  const refusals: Refusal[] = [
    ["no metric", { upsert_rows: [{ id: 1, vector: [1] }] }, 400, "💔 distance_metric must be"],
    ["empty vector", one([]), 400, "upsert_rows[0].vector", "0 dimensions"],
    ["string element", one([1, "2"]), 422, "upsert_rows[0].vector[1]: invalid type: string"],
    ["null element", one([1, null]), 422, "upsert_rows[0].vector[1]: invalid type: null"],
    ["text that is no base64", one("%%%%"), 400, "upsert_rows[0].vector", "invalid base64"],
    ["base64 of 3 bytes", one("AAAA"), 400, "base64 of 3 bytes", "multiple of the 4 bytes"],
    ["base64 of NaN", one(base64([Number.NaN])), 400, "element 0 of the vector is not a number"],
    ["number beyond f32", one([1e39]), 400, "upsert_rows[0].vector[0]", "out of range"],
    ["object", one({ a: 1 }), 400, "upsert_rows[0].vector", "expected a vector"],
    ["10753 dimensions", one(new Array(10753).fill(1)), 400, "at most 10752 dimensions"],
    [
      "other dimensions in the same write",
      {
        ...COSINE,
        upsert_rows: [
          { id: 1, vector: [1, 2] },
          { id: 2, vector: [1] },
        ],
      },
      400,
      "upsert_rows[1].vector",
    ],
    [
      "one document without",
      { ...COSINE, upsert_rows: [{ id: 1, vector: [1] }, { id: 2 }] },
      400,
      "upsert_rows[1].vector",
    ],
    ["fraction as i8", typed("[1]i8", [0.5]), 400, "-128 to 127"],
    ["fraction as i8 in base64", typed("[1]i8", base64([1.5])), 400, "-128 to 127"],
    ["129 below zero as i8", typed("[1]i8", [-129]), 400, "-128 to 127"],
    ["65520 as f16", typed("[1]f16", [65520]), 400, "out of range of f16"],
    ["nine vector attributes", vectors("abcdefghi"), 400, "at most 8 vector attributes"],
    ["wrong inner dimension", late([[1, 0, 1]]), 400, "upsert_rows[0].t[0]"],
    ["no inner vector", late([]), 400, "upsert_rows[0].t"],
    [
      "flat column that does not divide",
      { ...COSINE, upsert_columns: { id: [1, 2], vector: [1, 2, 3] } },
      400,
      "upsert_columns.vector",
    ],
    [
      "null in a column",
      { ...COSINE, upsert_columns: { id: [1, 2], vector: [[1], null] } },
      400,
      "upsert_columns.vector[1]",
    ],
  ];
  test.each(refusals)("%s is refused", (_name, body, status, ...parts) =>
    refuse(body, status, parts),
  );

  const accepted: [name: string, body: object, stored: object][] = [
    ["10752 dimensions", one(new Array(10752).fill(1)), { vector: new Array(10752).fill(1) }],
    ["eight vector attributes", vectors("abcdefgh"), several("abcdefgh", () => [1])],
    ["base64 without padding", one(base64([1, 2]).replace("=", "")), { vector: [1, 2] }],
    ["f16 at its end", typed("[1]f16", [-65504]), { v: [-65504] }],
    ["i8 from base64 of float32", typed("[2]i8", base64([-128, 127])), { v: [-128, 127] }],
    [
      "base64 among inner vectors",
      late([base64([1, 0]), [0, 1]]),
      {
        t: [
          [1, 0],
          [0, 1],
        ],
      },
    ],
    [
      "nested numbers without a declaration",
      { ...COSINE, upsert_rows: [{ id: 1, t: [[1, 0]] }] },
      { t: [[1, 0]] },
    ],
    [
      "a column of arrays and base64",
      { ...COSINE, upsert_columns: { id: [1], vector: [base64([3, 4])] } },
      { vector: [3, 4] },
    ],
  ];
  test.each(accepted)("%s is stored", async (_name, body, stored) => {
    const name = fresh();
    const answer = await write(name, body);
    expect(answer.status, answer.text).toBe(200);
    expect(await documents(name)).toEqual([{ id: 1, ...stored }]);
  });

  test("every later document must have each vector, of the same dimensions", async () => {
    const name = fresh();
    await write(name, one([1, 2]));
    for (const row of [{}, { vector: null }, { vector: [] }, { vector: [1] }]) {
      expectError(await write(name, { upsert_rows: [{ id: 2, ...row }] }), 400, "vector");
    }
    expectError(await write(name, { upsert_columns: { id: [2] } }), 400, "upsert_columns.vector");
  });
});
