import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { parseAttributeType } from "../../model/attribute-type.ts";
import { DecimalCell } from "../read/decimal-cell.ts";
import { InvalidText } from "../read/decode-text.ts";
import type { CellValue, RowContent, SourceColumn } from "../read/source-row.ts";
import { type PlanOptions, planImport } from "./import-plan.ts";
import { COMMAND_WORDS } from "./plan-words.ts";
import { RowEncoder } from "./row-encoder.ts";

const AT = { line: 1, next: { rows: 1, line: 2, offset: 0 } };

/** The document of a row that is a sample of itself. */
function encode(
  content: RowContent,
  columns: readonly SourceColumn[] | undefined,
  options: Partial<PlanOptions> = {},
): string {
  const rows = [{ ...AT, content }];
  const plan = planImport([{ name: "a", columns, rows }], {
    renames: new Map(),
    schema: {},
    existing: undefined,
    isResumed: false,
    words: COMMAND_WORDS,
    ...options,
  });
  const encoded = new RowEncoder(plan, columns).encode(content, 7);
  return typeof encoded === "string" ? `fault: ${encoded}` : Buffer.from(encoded).toString();
}

function object(text: string, options: Partial<PlanOptions> = {}): string {
  return encode({ kind: "json", text: Buffer.from(text) }, undefined, options);
}

function texts(
  row: Record<string, string | undefined>,
  options: Partial<PlanOptions> = {},
): string {
  const columns = Object.keys(row).map((name) => ({ name }));
  return encode({ kind: "texts", texts: Object.values(row) }, columns, options);
}

function value(cell: CellValue, type: SourceColumn["type"]): string {
  const columns = [{ name: "id" }, { name: "v", ...(type && { type }) }];
  return encode({ kind: "values", values: [1n, cell] }, columns);
}

test("objects stay as they are written, but for what is asked for", () => {
  const text = '{ "id": 18446744073709551615, "n" :1.50 }';
  expect(object(text)).toBe(text);
  expect(object(text, { renames: new Map([["n", "m"]]) })).toBe(
    '{"id":18446744073709551615,"m":1.50}',
  );
  expect(object(text, { renames: new Map([["n", undefined]]) })).toBe(
    '{"id":18446744073709551615}',
  );
  expect(object('{"_id":"a","n":[1, 2]}')).toBe('{"id":"a","n":[1, 2]}');
  expect(object('{"n":1}')).toBe('{"id":7,"n":1}');
  expect(object("{}")).toBe('{"id":7}');
  expect(object('{"id":5}', { existing: new Map([["id", "string"]]) })).toBe('{"id":"5"}');
});

test("objects without what is needed are faults", () => {
  const idColumn = "id";
  const other = encode({ kind: "json", text: Buffer.from('{"a":1}') }, undefined);
  expect(other).toBe('{"id":7,"a":1}');
  const plan = planImport(
    [
      {
        name: "a",
        columns: undefined,
        rows: [{ ...AT, content: { kind: "json", text: Buffer.from('{"id":1}') } }],
      },
    ],
    {
      renames: new Map(),
      schema: {},
      existing: undefined,
      isResumed: false,
      words: COMMAND_WORDS,
      idColumn,
    },
  );
  const encoder = new RowEncoder(plan, undefined);
  const json = (text: string): RowContent => ({ kind: "json", text: Buffer.from(text) });
  expect(encoder.encode(json('{"a":1}'), 1)).toBe('the id is missing: there is no member "id"');
  expect(encoder.encode(json("[1]"), 1)).toBe('expected a JSON object, got "[1]"');
  expect(encoder.raw(json('{"a":\n1}'))).toBe('{"a": 1}');
  expect(encoder.raw(json('{"a":'))).toBe('"{\\"a\\":"');
});

test("texts become what their column is", () => {
  expect(
    texts({ id: "007", n: "900719925474099", f: "1.0e3", b: "True", s: 'a"b', e: undefined }),
  ).toBe('{"id":"007","n":900719925474099,"f":1000,"b":true,"s":"a\\"b"}');
  expect(texts({ id: "a", vector: "[1, 0.5]" })).toBe('{"id":"a","vector":"AACAPwAAAD8="}');
  const schema = { n: "int", f: "float", b: "bool", l: "[]int" };
  expect(texts({ id: "1", n: "1.5" }, { schema })).toBe('fault: n: "1.5" is no integer');
  expect(texts({ id: "1", n: "+0012" }, { schema })).toBe('{"id":1,"n":12}');
  expect(texts({ id: "1", f: "nan" }, { schema })).toBe(
    'fault: f: "nan" is no number that JSON has',
  );
  expect(texts({ id: "1", b: "yes" }, { schema })).toBe(
    'fault: b: "yes" is neither true nor false',
  );
  expect(texts({ id: "1", l: "[1" }, { schema })).toBe('fault: l: "[1" is no JSON array or object');
  const uint = { existing: new Map([["id", "uint"]]) };
  expect(texts({ id: "x" }, uint)).toBe('fault: the id "x" is no integer from 0 on');
  expect(texts({ id: "", n: "1" }, uint)).toBe("fault: the id is missing");
});

test("codes stay texts unless a schema makes numbers of them", () => {
  const codes = { id: "1", a: "+14155550100", b: "007", c: "9007199254740993", d: "1e5" };
  expect(texts(codes)).toBe(
    '{"id":1,"a":"+14155550100","b":"007","c":"9007199254740993","d":"1e5"}',
  );
  const schema = { a: "int", b: "int", c: "int", d: "float" };
  expect(texts(codes, { schema })).toBe(
    '{"id":1,"a":14155550100,"b":7,"c":9007199254740993,"d":100000}',
  );
});

test("an integer that a float cannot represent is refused, unless a schema declares float", () => {
  const refused = (digits: string) =>
    `fault: f: float64 does not keep all digits of "${digits}"; give the attribute the type ` +
    "float in the schema to take the nearest, or write it as text";
  const existing = new Map([
    ["id", "uint"],
    ["f", "float"],
    ["l", "[]float"],
  ]);
  const digits = "9007199254740993";
  const schema = { f: "float", l: "[]float" };
  expect(texts({ id: "1", f: digits }, { existing })).toBe(refused(digits));
  expect(texts({ id: "1", f: digits }, { schema })).toBe('{"id":1,"f":9007199254740992}');
  expect(object(`{"id":1,"f":${digits}}`, { existing })).toBe(refused(digits));
  expect(object(`{"id":1,"l":[0.5,${digits}]}`, { existing })).toMatch(/^fault: l: float64 does/);
  const kept = `{"id":1,"f":${digits},"l":[0.1234567890123456789]}`;
  expect(object(kept, { schema })).toBe(kept);
  // Columns without numbers in the sample have no type yet, so their integers keep 64 bits.
  expect(object(`{"id":1,"n":${digits},"x":100000000000000000000}`)).toMatch(/^\{"id":1,/);
  const columns = [{ name: "id" }, { name: "f", type: { kind: "scalar", of: "int" } as const }];
  const row = { kind: "values", values: [1n, BigInt(digits)] } as const;
  expect(encode(row, columns, { existing })).toBe(refused(digits));
});

test("decimals become the nearest float, or keep all digits if the schema declares string", () => {
  const decimal = (text: string, options: Partial<PlanOptions> = {}) => {
    const type = { kind: "scalar", of: "float" } as const;
    const columns = [{ name: "id" }, { name: "v", type, rounds: true }];
    return encode({ kind: "values", values: [1n, new DecimalCell(text)] }, columns, options);
  };
  expect(decimal("19.99")).toBe('{"id":1,"v":19.99}');
  expect(decimal("12345678901234567890.5")).toBe('{"id":1,"v":12345678901234567000}');
  const schema = { v: "string" };
  expect(decimal("12345678901234567890.5", { schema })).toBe(
    '{"id":1,"v":"12345678901234567890.5"}',
  );
});

test("ids of decimals are never merged", () => {
  const existing = new Map([["id", "uint"]]);
  const id = (cell: CellValue) =>
    encode({ kind: "values", values: [cell] }, [{ name: "id" }], { existing });
  expect(id(9007199254740993n)).toBe('{"id":9007199254740993}');
  expect(id(new DecimalCell("9007199254740992.5"))).toBe(
    'fault: the id "9007199254740992.5" must be an integer from 0 to 2^64 − 1',
  );
});

test("texts that are no UTF-8 are refused with their bytes", () => {
  const invalid = new InvalidText(Uint8Array.of(0x61, 0xff));
  expect(value(invalid, { kind: "scalar", of: "string" })).toBe(
    "fault: v: the text must be UTF-8, and has the bytes 61 ff",
  );
  expect(value(["a", invalid], { kind: "array", of: "string" })).toMatch(/bytes 61 ff$/);
  const content: RowContent = { kind: "values", values: [invalid, invalid] };
  const columns = [{ name: "id" }, { name: "v" }];
  expect(encode(content, columns)).toBe("fault: the text must be UTF-8, and has the bytes 61 ff");
  const encoder = new RowEncoder({ schema: {}, columns: [] } as never, columns);
  expect(encoder.raw(content)).toBe('{"id":{"base64":"Yf8="},"v":{"base64":"Yf8="}}');
});

test("vectors of integers of 64 bits and of decimals are numbers", () => {
  const vector = { kind: "vector", dimensions: 2, element: "f32" } as const;
  expect(value([1n, new DecimalCell("0.5")], vector)).toBe('{"id":1,"v":"AACAPwAAAD8="}');
});

test("messages quote a long value in part", () => {
  const long = "x".repeat(1_000_000);
  const schema = { n: "int" };
  expect(texts({ id: "1", n: long }, { schema }).length).toBeLessThan(200);
  expect(texts({ id: long }, { existing: new Map([["id", "uint"]]) }).length).toBeLessThan(200);
});

test("an empty text is one where the column has texts, and a cell of nothing is no value", () => {
  const schema = { s: "string", b: "bytes", n: "int", d: "datetime", l: "[]string", v: "[2]f32" };
  const all = (text: string | undefined) =>
    texts({ id: "1", s: text, b: text, n: text, d: text, l: text, v: text }, { schema });
  expect(all("")).toBe('{"id":1,"s":"","b":""}');
  expect(all(undefined)).toBe('{"id":1}');
  expect(texts({ id: "1", unknown: "", none: undefined })).toBe('{"id":1,"unknown":""}');
  expect(texts({ id: undefined, n: "1" }, { schema })).toBe("fault: the id is missing");
});

test("values of binary tables are exact, and missing ones left out", () => {
  expect(value(2n ** 64n - 1n, { kind: "scalar", of: "uint" })).toBe(
    '{"id":1,"v":18446744073709551615}',
  );
  expect(value(undefined, { kind: "scalar", of: "int" })).toBe('{"id":1}');
  expect(value(Number.NaN, { kind: "scalar", of: "float" })).toBe('{"id":1}');
  expect(value(Number.POSITIVE_INFINITY, { kind: "scalar", of: "float" })).toBe(
    "fault: v: Infinity is no number that JSON has",
  );
  expect(value(["a", "b"], { kind: "array", of: "string" })).toBe('{"id":1,"v":["a","b"]}');
  expect(value(["a", undefined], { kind: "array", of: "string" })).toBe(
    "fault: v: element 1 is null, and arrays have no nulls",
  );
  const vector = { kind: "vector", dimensions: 2, element: "f32" } as const;
  expect(value([1, 0.5], vector)).toBe('{"id":1,"v":"AACAPwAAAD8="}');
  expect(value(new Float32Array([1, 0.5]), vector)).toBe('{"id":1,"v":"AACAPwAAAD8="}');
  expect(value([1, Number.NaN], vector)).toBe(
    "fault: v: element 1 of the vector is NaN; it must be a finite float32",
  );
  expect(value([1, undefined], vector)).toMatch(/element 1 of the vector is null/);
  const vectors = { kind: "multi_vector", dimensions: 0 } as const;
  expect(
    value(
      [
        [1, 0.5],
        [1, 0.5],
      ],
      vectors,
    ),
  ).toBe('{"id":1,"v":["AACAPwAAAD8=","AACAPwAAAD8="]}');
});

test("views of floats are written and refused as arrays of the same numbers are", () => {
  const seed = 20_261_126;
  const random = seededRandom(seed);
  const odd = [Number.NaN, Number.POSITIVE_INFINITY, -0, 1e300, 7];
  for (let run = 0; run < 300; run++) {
    const numbers = Array.from({ length: random.below(12) }, () =>
      random.next() < 0.05 ? odd[random.below(odd.length)] : random.next() * 2 - 1,
    );
    for (const view of [Float32Array.from(numbers), Float64Array.from(numbers)]) {
      for (const type of ["[4]f32", "[]float", "string", undefined]) {
        const parsed = type === undefined ? undefined : parseAttributeType(type);
        const message = `seed ${seed}, run ${run}, ${type}`;
        expect(value(view, parsed), message).toBe(value(Array.from(view), parsed));
      }
      const row = (cell: CellValue): RowContent => ({ kind: "values", values: [1n, cell] });
      const encoder = new RowEncoder({ schema: {}, columns: [] } as never, [
        { name: "id" },
        { name: "v" },
      ]);
      expect(encoder.raw(row(view))).toBe(encoder.raw(row(Array.from(view))));
    }
  }
});
