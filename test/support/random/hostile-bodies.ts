/** Bodies that cost more than they look: valid or nearly valid JSON, much of one thing. */

import type { Random } from "../../../src/base/random.ts";

/** A body that is made while it is read. */
export interface HostileBody {
  readonly title: string;
  readonly method: "POST" | "PATCH";
  /** With `$NAMESPACE` where one that is new belongs. */
  readonly path: string;
  /** Latin-1, so that it may be no UTF-8. */
  chunks(): Iterable<string>;
}

const WRITE = "/v2/namespaces/$NAMESPACE";
const QUERY = "/v2/namespaces/known/query";
const SCHEMA = "/v1/namespaces/known/schema";
const METADATA = "/v1/namespaces/known/metadata";

/** Bodies that are no write are refused beyond this. */
const OTHER_BYTES_MAX = 67_000_000;
const CHUNK_CHARS = 65_536;

/** What a body is full of: the index-th of many. */
type Filling = (index: number) => string;

/** What arrays can be full of. */
const ELEMENTS: Readonly<Record<string, Filling>> = {
  "empty strings": () => '""',
  "empty objects": () => "{}",
  "empty arrays": () => "[]",
  nulls: () => "null",
  digits: () => "1",
  "long numbers": (i) => `${"7".repeat(300)}${i}`,
  exponents: () => "1e308",
  decimals: (i) => `${i}.5`,
  strings: (i) => `"${i}"`,
  escapes: () => `"${"\\u00e9".repeat(20)}"`,
  surrogates: () => `"${"\\ud83d\\udc21".repeat(10)}"`,
  mixed: (i) => ["1", '"a"', "null", "[1]", "{}"][i % 5],
  deep: () => `${"[".repeat(40)}${"]".repeat(40)}`,
  "deeper objects": () => `${'{"a":'.repeat(3000)}1${"}".repeat(3000)}`,
  "numbers of a megabyte": () => "7".repeat(1_000_000),
  "strings of a megabyte": (i) => `"${String(i % 10).repeat(1_000_000)}"`,
  vectors: (i) => `[${i},1]`,
  "vectors of one number": () => "[1]",
  objects: (i) => `{"a":${i},"b":[${i}]}`,
  filters: (i) => `["n","Eq",${i}]`,
};

/** What objects can be full of. */
const MEMBERS: Readonly<Record<string, Filling>> = {
  numbers: (i) => `"a${i}":${i}`,
  types: (i) => `"a${i}":"int"`,
  declarations: (i) => `"a${i}":{"type":"string","full_text_search":true}`,
  "long names": (i) => `"${"y".repeat(5000)}${i}":1`,
  objects: (i) => `"a${i}":{"b":{}}`,
};

/** What lists of documents can be full of. */
const ROWS: Readonly<Record<string, Filling>> = {
  ids: (i) => `{"id":${i}}`,
  "equal ids": () => '{"id":1}',
  "small documents": (i) => `{"id":${i},"n":${i % 7},"s":"${i}"}`,
  "sparse documents": (i) => `{"id":${i},"a${i % 1000}":1}`,
  "new attributes": (i) => `{"id":${i},"a${i}":1}`,
  texts: (i) => `{"id":${i},"text":"${"word ".repeat(50)}${i}"}`,
  vectors: (i) => `{"id":${i},"vector":[${"0.25,".repeat(127)}${i}]}`,
  arrays: (i) => `{"id":${i},"tags":["",""${',""'.repeat(100)}]}`,
  objects: (i) => `{"id":${i},"s":{"a":1,"b${i}":2}}`,
  "mixed values": (i) => `{"id":${i},"n":${["1", '"a"', "null", "[]"][i % 4]}}`,
  "string ids": (i) => `{"id":"${i}"}`,
  "short vectors": (i) => `{"id":${i},"v":[${"[1],".repeat(100)}[1]]}`,
  "sparse vectors": (i) => `{"id":${i},"s":{"${i}":1,"x":2}}`,
  "late attributes": (i) => (i < 300_000 ? `{"id":${i}}` : `{"id":${i},"a${i % 3000}":"x"}`),
};

/** Where the filling stands, by the shape around it. */
const WRITE_SHAPES: readonly {
  readonly title: string;
  readonly method?: "PATCH";
  readonly path: string;
  readonly fillings: Readonly<Record<string, Filling>>;
  readonly around: readonly [string, string];
}[] = [
  ...["upsert_rows", "patch_rows"].map((name) => {
    const around = [`{"${name}":[`, "]}"] as const;
    return { title: name, path: WRITE, fillings: ROWS, around };
  }),
  ...[
    ["a value", '{"upsert_rows":[{"id":1,"a":[', "]}]}"],
    ["a vector", '{"upsert_rows":[{"id":1,"vector":[', "]}]}"],
    ["ids", '{"upsert_columns":{"id":[', "]}}"],
    ["a column", '{"upsert_columns":{"id":[1],"a":[', "]}}"],
    ["deletes", '{"deletes":[', "]}"],
    ["a list of rows", '{"upsert_rows":[', "]}"],
    ["an unknown field", '{"deletes":[1],"unknown":[', "]}"],
    ["a filter", '{"delete_by_filter":["n","In",[', "]]}"],
    ["a conjunction", '{"delete_by_filter":["And",[', "]]}"],
    ["a condition", '{"upsert_rows":[{"id":1}],"upsert_condition":["Or",[', "]]}"],
    ["a patch", '{"patch_by_filter":{"filters":["n","Eq",1],"patch":{"a":[', "]}}}"],
  ].map(([title, head, tail]) => {
    return { title, path: WRITE, fillings: ELEMENTS, around: [head, tail] as const };
  }),
  ...[
    ["a schema", '{"upsert_rows":[{"id":1}],"schema":{', "}}"],
    ["a document", '{"upsert_rows":[{"id":1,', "}]}"],
    ["an object", '{"upsert_rows":[{"id":1,"a":{', "}}]}"],
    ["columns", '{"upsert_columns":{"id":[1],', "}}"],
    ["a write", '{"deletes":[1],', "}"],
  ].map(([title, head, tail]) => {
    return { title, path: WRITE, fillings: MEMBERS, around: [head, tail] as const };
  }),
];

/** The same for bodies that are no writes. */
const OTHER_SHAPES: typeof WRITE_SHAPES = [
  ...[
    ["a filter", '{"limit":1,"filters":["n","In",[', "]]}"],
    ["a conjunction", '{"limit":1,"filters":["And",[', "]]}"],
    ["an unknown field", '{"limit":1,"unknown":[', "]}"],
    ["attributes", '{"limit":1,"include_attributes":[', "]}"],
    ["a vector", '{"limit":1,"rank_by":["vector","ANN",[', "]]}"],
    ["subqueries", '{"queries":[', "]}"],
    ["groups", '{"aggregate_by":{"c":["Count"]},"group_by":[', "]}"],
    ["a sum", '{"limit":1,"rank_by":["Sum",[', "]]}"],
    ["a text", '{"limit":1,"rank_by":["text","BM25",[', "]]}"],
  ].map(([title, head, tail]) => {
    return { title, path: QUERY, fillings: ELEMENTS, around: [head, tail] as const };
  }),
  { title: "a schema's update", path: SCHEMA, fillings: MEMBERS, around: ["{", "}"] },
  {
    title: "metadata",
    method: "PATCH",
    path: METADATA,
    fillings: MEMBERS,
    around: ["{", "}"],
  },
  { title: "a query", path: QUERY, fillings: MEMBERS, around: ['{"limit":1,', "}"] },
];

/** A body of about so many bytes; those of queries and declarations are smaller. */
export function hostileBody(random: Random, bytes: number, isWrite: boolean): HostileBody {
  const shapes = isWrite ? WRITE_SHAPES : OTHER_SHAPES;
  const { title, method = "POST", path, fillings, around } = shapes[random.below(shapes.length)];
  const names = Object.keys(fillings);
  const name = names[random.below(names.length)];
  const bytesMax = path === WRITE ? bytes : Math.min(bytes, OTHER_BYTES_MAX);
  const damage = random.below(6);
  return {
    title: `${title} of ${name}, damage ${damage}`,
    method,
    path,
    chunks: () => chunksOf(fillings[name], around, { bytesMax, damage }),
  };
}

function* chunksOf(
  filling: Filling,
  [head, tail]: readonly [string, string],
  { bytesMax, damage }: { readonly bytesMax: number; readonly damage: number },
): Generator<string> {
  let part = head;
  let bytes = 0;
  for (let i = 0; bytes + part.length < bytesMax; i++) {
    part += i === 0 ? filling(i) : `,${filling(i)}`;
    if (part.length < CHUNK_CHARS) continue;
    yield part;
    bytes += part.length;
    part = "";
  }
  // One long string at the end, bytes that are no UTF-8, an end that is missing, or none of it.
  if (damage === 0) yield `${part},"${"x".repeat(CHUNK_CHARS)}`;
  else if (damage === 1) yield `${part},"\xff\xfe"${tail}`;
  else if (damage === 2) yield part;
  else yield part + tail;
}
