/** Values of every type: what is inferred, stored and returned, and what is refused. */

import { describe, expect, test } from "vitest";
import {
  expectFault,
  nameOf,
  rawCall,
  testNamespaces,
  untyped,
} from "../support/servers/sdk-client.ts";

const namespace = testNamespaces("types");
const UUID = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9";

const base64 = (values: number[]) =>
  Buffer.from(Float32Array.from(values).buffer).toString("base64");

/** The only document of a namespace, with all attributes. */
async function only(ns: ReturnType<typeof namespace>, extra: object = {}) {
  const answer = await ns.query({
    rank_by: ["id", "asc"],
    limit: 1,
    include_attributes: true,
    ...extra,
  });
  return answer.rows?.[0];
}

test("types are inferred from the first values", async () => {
  const ns = namespace();
  await ns.write({
    distance_metric: "cosine_distance",
    upsert_rows: [
      { id: 1, vector: [1, 2], s: "x", i: 1, b: true, ss: ["x"], is: [1], bs: [true], empty: [] },
    ],
  });
  const types = Object.entries(await ns.schema()).map(([name, { type }]) => [name, type]);
  expect(Object.fromEntries(types)).toEqual({
    id: "uint",
    vector: "[2]f32",
    s: "string",
    i: "int",
    b: "bool",
    ss: "[]string",
    is: "[]int",
    bs: "[]bool",
    empty: "[]unknown",
  });
  await ns.write({ upsert_rows: [{ id: 2, vector: [1, 2], empty: ["now typed"] }] });
  expect((await ns.schema()).empty.type).toBe("[]string");
});

test("values of every declared type come back as they were", async () => {
  const ns = namespace();
  const attributes = {
    s: "naïve 東京 🐡",
    i: -5,
    u: 7,
    f: 0.1,
    b: false,
    id128: UUID,
    bytes: Buffer.from([0, 1, 255]).toString("base64"),
    ss: ["b", "a", "b"],
    is: [-1, 1],
    us: [1, 2],
    fs: [0.5, -1.25],
    ids: [UUID],
    bs: [true, false],
    sparse: { x: 0.5, y: 2 },
  };
  await ns.write({
    schema: {
      s: "string",
      i: "int",
      u: "uint",
      f: "float",
      b: "bool",
      id128: "uuid",
      bytes: "bytes",
      ss: "[]string",
      is: "[]int",
      us: "[]uint",
      fs: "[]float",
      ids: "[]uuid",
      bs: "[]bool",
      sparse: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } },
    },
    upsert_rows: [{ id: 1, ...attributes }],
  });
  expect(await only(ns)).toEqual({ id: 1, ...attributes });
});

test("datetimes are read with time and zone, and written in UTC with nine digits", async () => {
  const ns = namespace();
  await ns.write({
    schema: { at: "datetime", all: "[]datetime" },
    upsert_rows: [
      { id: 1, at: "2024-02-29", all: ["2024-02-29T12:30:00+02:00", "1969-12-31T23:59:59.5Z"] },
    ],
  });
  expect(await only(ns)).toEqual({
    id: 1,
    at: "2024-02-29T00:00:00.000000000Z",
    all: ["2024-02-29T10:30:00.000000000Z", "1969-12-31T23:59:59.500000000Z"],
  });
  const hit = await ns.query({ filters: ["at", "Gte", "2024-02-29T00:00:00Z"], top_k: 1 });
  expect(hit.rows).toHaveLength(1);
  await expectFault(ns.write({ upsert_rows: [{ id: 2, at: "yesterday" }] }), 400, "at");
});

test("integers above 2^53 stay exact, as ids and as values", async () => {
  const name = "types-exact";
  const largest = "18446744073709551615";
  const smallest = "-9223372036854775808";
  const write = await rawCall(
    "POST",
    `/v2/namespaces/${name}`,
    `{"schema":{"u":"uint"},"return_affected_ids":true,"upsert_rows":[` +
      `{"id":${largest},"i":${smallest},"u":${largest}},` +
      `{"id":9007199254740993,"i":9007199254740993}]}`,
  );
  expect(write.status, write.text).toBe(200);
  expect(write.text).toContain(`"upserted_ids":[${largest},9007199254740993]`);
  const query = await rawCall(
    "POST",
    `/v2/namespaces/${name}/query`,
    `{"rank_by":["id","desc"],"limit":5,"include_attributes":true,` +
      `"filters":["id","Gte",9007199254740993]}`,
  );
  for (const member of [`"id":${largest}`, `"i":${smallest}`, `"u":${largest}`]) {
    expect(query.text).toContain(member);
  }
  expect(query.text).toContain(`{"id":9007199254740993,"i":9007199254740993}`);
  const sum = await rawCall("POST", `/v2/namespaces/${name}/query`, {
    aggregate_by: { all: ["Sum", "i"] },
  });
  expect(sum.text).toContain(`"all":${9007199254740993n - 9223372036854775808n}`);
});

describe("ids", () => {
  test("strings are ids of up to 64 bytes", async () => {
    const ns = namespace();
    const long = "é".repeat(32);
    await ns.write({ upsert_rows: [{ id: "a" }, { id: long }] });
    const answer = await ns.query({ rank_by: ["id", "desc"], limit: 5 });
    expect(answer.rows).toEqual([{ id: long }, { id: "a" }]);
    await expectFault(ns.write({ upsert_rows: [{ id: `${long}x` }] }), 400);
    await expectFault(
      ns.write({ upsert_rows: [{ id: 1 }] }),
      400,
      "namespace ID type is string, but you sent uint; " +
        "you are not allowed to mix ID types in the same namespace",
    );
  });

  test("UUIDs are ids if declared, in any spelling", async () => {
    const ns = namespace();
    const spellings = [
      UUID.toUpperCase(),
      UUID.replaceAll("-", ""),
      `{${UUID}}`,
      `urn:uuid:${UUID}`,
    ];
    const first = await ns.write({
      schema: { id: "uuid" },
      upsert_rows: [{ id: spellings[0], n: 1 }],
      return_affected_ids: true,
    });
    expect(first.upserted_ids).toEqual([UUID]);
    for (const spelling of spellings) {
      const answer = await ns.query({ filters: ["id", "Eq", spelling], top_k: 1 });
      expect(answer.rows).toEqual([{ id: UUID }]);
    }
    const text = "filter error in key `id`: type mismatch, Eq expects uuid, but got 'not-a-uuid'";
    await expectFault(ns.query({ filters: ["id", "Eq", "not-a-uuid"], top_k: 1 }), 400, text);
    const twice = ns.write({ upsert_rows: spellings.slice(0, 2).map((id) => ({ id })) });
    await expectFault(twice, 400, "duplicate document IDs");
    await expectFault(
      ns.write({ upsert_rows: [{ id: "x" }] }),
      400,
      "namespace ID type is uuid, but a written ID could not be parsed as uuid",
    );
  });

  test("other types of ids and misshapen ids are refused", async () => {
    const ns = namespace();
    const declared = ns.write({ schema: { id: "int" }, upsert_rows: [{ id: 1 }] });
    await expectFault(declared, 400, "int is not a valid ID type");
    for (const id of [-1, 1.5, true, {}]) {
      const write = ns.write({ upsert_rows: untyped([{ id }]) });
      await expectFault(write, 422, "data did not match any variant of untagged enum Id");
    }
    await expectFault(ns.write({ upsert_rows: untyped([{ a: 1 }]) }), 422, "missing field `id`");
    await expectFault(ns.write({ deletes: untyped(true) }), 422, "untagged enum IdVec");
  });
});

describe("vectors", () => {
  test("arrays and base64 are the same vector, and answers come in either form", async () => {
    const ns = namespace();
    const vector = [0.1, -2.5, 3];
    await ns.write({
      distance_metric: "euclidean_squared",
      upsert_rows: [{ id: 1, vector: base64(vector) }],
    });
    await ns.write({ upsert_columns: { id: [2], vector: [vector] } });
    const floats = await ns.query({
      rank_by: ["vector", "ANN", vector],
      limit: 2,
      include_attributes: true,
    });
    expect(floats.rows).toEqual([
      { id: 1, $dist: 0, vector },
      { id: 2, $dist: 0, vector },
    ]);
    expect(await only(ns, { vector_encoding: "base64" })).toEqual({
      id: 1,
      vector: base64(vector),
    });
    const operand = untyped<number[]>(base64(vector));
    const packed = await ns.query({ rank_by: ["vector", "ANN", operand], limit: 1 });
    expect(packed.rows).toEqual([{ id: 1, $dist: 0 }]);
  });

  test("a column of vectors may be one flat array or one base64 string", async () => {
    const ns = namespace();
    const schema = { vector: { type: "[2]f32", ann: true } };
    const distance_metric = "euclidean_squared";
    await ns.write({
      schema,
      distance_metric,
      upsert_columns: { id: [1, 2], vector: [1, 2, 3, 4] },
    });
    await ns.write({ upsert_columns: { id: [3, 4], vector: base64([5, 6, 7, 8]) } });
    const answer = await ns.query({
      rank_by: ["id", "asc"],
      limit: 9,
      include_attributes: ["vector"],
    });
    expect(answer.rows?.map(({ vector }) => vector)).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
    ]);
  });

  test("the stored precision can be seen", async () => {
    const ns = namespace();
    await ns.write({
      distance_metric: "euclidean_squared",
      schema: {
        f32: { type: "[1]f32", ann: true },
        f16: { type: "[1]f16", ann: true },
        i8: { type: "[1]i8", ann: true },
      },
      upsert_rows: [{ id: 1, f32: [0.123456789], f16: [0.123456789], i8: [-128] }],
    });
    const answer = await rawCall("POST", `/v2/namespaces/${nameOf(ns)}/query`, {
      rank_by: ["id", "asc"],
      limit: 1,
      include_attributes: true,
    });
    expect(answer.text).toContain('"f32":[0.12345679]');
    expect(answer.text).toContain('"f16":[0.12347412]');
    expect(answer.text).toContain('"i8":[-128]');
    const valid = { f32: [0], f16: [0], i8: [0] };
    await expectFault(ns.write({ upsert_rows: [{ id: 2, ...valid, i8: [0.5] }] }), 400, "i8");
    await expectFault(ns.write({ upsert_rows: [{ id: 2, ...valid, i8: [128] }] }), 400, "i8");
    await expectFault(ns.write({ upsert_rows: [{ id: 2, ...valid, f16: [1e6] }] }), 400, "f16");
    await expectFault(ns.write({ upsert_rows: [{ id: 2, f32: [0], f16: [0] }] }), 400, "i8");
  });

  test("dimensions, presence and the metric are checked", async () => {
    const ns = namespace();
    await expectFault(
      ns.write({ upsert_rows: [{ id: 1, vector: [1, 2] }] }),
      400,
      "distance_metric must be specified for write to namespace with a vector",
    );
    await ns.write({
      distance_metric: "cosine_distance",
      upsert_rows: [{ id: 1, vector: [1, 2] }],
    });
    await expectFault(ns.write({ upsert_rows: [{ id: 2, vector: [1] }] }), 400);
    await expectFault(ns.write({ upsert_rows: [{ id: 2 }] }), 400);
    await expectFault(ns.write({ upsert_rows: untyped([{ id: 2, vector: null }]) }), 400);
    await expectFault(
      ns.write({ distance_metric: "euclidean_squared", upsert_rows: [{ id: 2, vector: [1, 2] }] }),
      400,
      "distance metric mismatch, expected cosine_distance, got euclidean_squared",
    );
    await expectFault(ns.query({ rank_by: ["vector", "ANN", [1]], limit: 1 }), 400, "dimensions");
    const plain = namespace();
    await plain.write({ upsert_rows: [{ id: 1 }] });
    await expectFault(
      plain.write({ distance_metric: "cosine_distance", upsert_rows: [{ id: 2, vector: [1, 2] }] }),
      400,
      "Vector provided for namespace without vector attribute",
    );
  });
});

test("values that do not fit their attribute are refused by name", async () => {
  const ns = namespace();
  await ns.write({
    schema: { u: "uint", blob: "bytes", f: "float" },
    upsert_rows: [{ id: 1, s: "x", n: 1, ss: ["x"] }],
  });
  for (const bad of [{ s: 1 }, { n: "x" }, { n: 1.5 }, { u: -1 }, { blob: "%" }, { ss: [1, 2] }]) {
    const [name] = Object.keys(bad);
    await expectFault(ns.write({ upsert_rows: [{ id: 2, ...bad }] }), 400, name);
  }
  for (const ss of [["x", 1], ["x", null], [null], [true, "x"]]) {
    const write = ns.write({ upsert_rows: [{ id: 2, ss: untyped<string[]>(ss) }] });
    await expectFault(write, 422, "upsert_rows[0].ss[");
  }
  await expectFault(
    ns.write({ upsert_rows: [{ id: 2, fresh: 1.5 }] }),
    400,
    "signed 64-bit integer",
  );
  await expectFault(ns.write({ upsert_rows: [{ id: 2, $x: 1 }] }), 400, "$x");
  await expectFault(ns.write({ upsert_rows: [{ id: 2, ["n".repeat(129)]: 1 }] }), 400);
  await expectFault(ns.write({ upsert_rows: [{ id: 2, s: "x".repeat(4097) }] }), 400, "s");
});
