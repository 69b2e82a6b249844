/** Bodies of about the greatest length whose tokens, lists or trees are as large as they may be. */

import { ARRAY_ELEMENTS_MAX } from "../../../src/model/contract-limits.ts";
import {
  EXPRESSION_DEPTH_MAX,
  EXPRESSION_NODES_MAX,
} from "../../../src/wire/query/expression-budget.ts";
import { VECTOR_PARTS, VECTORS_PARTS_MAX } from "../../../src/wire/write/body-bounds.ts";

/** Bytes of bodies that are no write: some less than their limit. */
const BODY_BYTES = 60_000_000;

type Body = () => Buffer;

/** `unit` over and over between `head` and `tail`. */
function full(head: string, unit: string, tail: string, bytes = BODY_BYTES): Body {
  const length = bytes - (bytes % Buffer.byteLength(unit));
  return () => Buffer.concat([Buffer.from(head), Buffer.alloc(length, unit), Buffer.from(tail)]);
}

/** So many of what `spell` makes. */
function listed(
  [head, tail]: readonly [head: string, tail: string],
  count: number,
  spell: (i: number) => string,
): Body {
  return () => Buffer.from(head + Array.from({ length: count }, (_, i) => spell(i)).join() + tail);
}

const FILTER = ['{"limit":1,"filters":["a","Eq",', "]}"] as const;
const UNKNOWN = ['{"limit":1,"filters":["a","Eq",1],"x":', "}"] as const;
const ROW = ['{"upsert_rows":[{"id":1,"a":', "}]}"] as const;
/** Expressions between the root and the innermost of the deepest that may be. */
const NOTS = EXPRESSION_DEPTH_MAX - 2;
const not = (filter: string) => `${'["Not",'.repeat(NOTS)}${filter}${"]".repeat(NOTS)}`;

/** Clauses of a sum. */
const SUMMED = EXPRESSION_NODES_MAX - 1;

/** Bodies of queries; a body that is refused is read up to the fault. */
export const WORST_QUERY_BODIES: Readonly<Record<string, Body>> = {
  "a string": full(`${FILTER[0]}"`, "abcdefgh", `"${FILTER[1]}`),
  "a string of escapes": full(`${FILTER[0]}"`, "\\u00e9", `"${FILTER[1]}`),
  space: full('{"limit":1,', " ", '"filters":["a","Eq",1]}'),
  "lines before a fault": full('{"limit":1,"filters":["a","In",[1', "\n,1", ']],"limit":x}'),
  "empty lines": full('{"limit":1,', "\n", '"filters":["a","Eq",1]}'),
  digits: full(FILTER[0], "7", FILTER[1]),
  "a fraction": full(`${FILTER[0]}0.`, "7", FILTER[1]),
  "a list of strings": full('{"limit":1,"filters":["a","In",["x"', ',"abc"', "]]}"),
  "a list of integers": full('{"limit":1,"filters":["a","In",[1', ",7", "]]}"),
  "a wide filter": listed(
    ['{"limit":1,"filters":["Or",[', "]]}"],
    EXPRESSION_NODES_MAX - 1,
    (i) => `["a","Eq",${i}]`,
  ),
  "a deep filter": listed(
    ['{"limit":1,"filters":["Or",[', "]]}"],
    Math.floor((EXPRESSION_NODES_MAX - 1) / (NOTS + 1)),
    () => not('["a","Eq",1]'),
  ),
  "texts of a filter": listed(
    ['{"limit":1,"filters":["Or",[', "]]}"],
    7000,
    () => `["a","ContainsAllTokens","${"x".repeat(8000)}"]`,
  ),
  "unknown members": listed(
    ['{"limit":1,"filters":["a","Eq",1],', "}"],
    2_500_000,
    (i) => `"b${i}":1`,
  ),
  "an unknown string": full(`${UNKNOWN[0]}"`, "\\u00e9", `"${UNKNOWN[1]}`),
  "unknown arrays": full(`${UNKNOWN[0]}[1`, ",[]", `]${UNKNOWN[1]}`),
  "a sum": listed(['{"limit":1,"rank_by":["Sum",[', "]]}"], SUMMED, () => '["a","BM25","x y z"]'),
  "names to include": listed(
    ['{"limit":1,"rank_by":["a","asc"],"include_attributes":[', "]}"],
    1_000_000,
    (i) => `"a${i}"`,
  ),
  "numbers to include": full(
    '{"limit":1,"rank_by":["a","asc"],"include_attributes":[1',
    ",7",
    "]}",
  ),
  groups: listed(
    ['{"aggregate_by":{"c":["Count"]},"group_by":[', "]}"],
    1_000_000,
    (i) => `"a${i}"`,
  ),
  aggregates: listed(['{"aggregate_by":{', "}}"], 250_000, (i) => `"a${i}":["Count"]`),
  orders: listed(['{"limit":1,"rank_by":[', "]}"], 250_000, (i) => `["a${i}","asc"]`),
  "a sparse vector": listed(
    ['{"limit":1,"rank_by":["a","SparseKNN",{', "}]}"],
    1_000_000,
    (i) => `"a${i}":1`,
  ),
  "a vector": full('{"limit":1,"rank_by":["a","ANN",[1.5', ",7.25", "]]}"),
  "a vector in base64": full('{"limit":1,"rank_by":["a","ANN","', "AAAA", '"]}'),
  weights: listed(
    [
      '{"queries":[{"rank_by":["a","asc"],"limit":1},{"rank_by":["a","asc"],"limit":1}],' +
        '"rerank_by":["RRF",{"weights":[',
      "]}]}",
    ],
    1_000_000,
    () => "1.5",
  ),
};

/** Bodies of writes. */
export const WORST_WRITE_BODIES: Readonly<Record<string, Body>> = {
  "a string": full(`${ROW[0]}"`, "abcdefgh", `"${ROW[1]}`),
  "a string of escapes": full(`${ROW[0]}"`, "\\u0001", `"${ROW[1]}`, 48_000_000),
  "an element of escapes": full(`${ROW[0]}["x","`, "\\u0001", `"]${ROW[1]}`, 48_000_000),
  "an id": full('{"upsert_rows":[{"id":"', "abcdefgh", '"}]}'),
  "empty lines in a row": full('{"upsert_rows":[{"id":1,', "\n", '"a":1}]}'),
  "empty lines between rows": full('{"upsert_rows":[{"id":1},', "\n", '{"id":2}]}'),
  digits: full(ROW[0], "7", ROW[1]),
  "an array of integers": listed([`${ROW[0]}[`, `]${ROW[1]}`], ARRAY_ELEMENTS_MAX, String),
  "an array of fractions": listed(
    [`${ROW[0]}[`, `]${ROW[1]}`],
    ARRAY_ELEMENTS_MAX,
    (i) => `${i}.5`,
  ),
  "long fractions": full(`${ROW[0]}[1`, `,0.${"7".repeat(60_000)}`, `]${ROW[1]}`),
  "rows with ever new attributes": listed(['{"upsert_rows":[', "]}"], 120_000, (i) =>
    i < 100_000 ? `{"id":${i}}` : `{"id":${i},"a${i % 700}":"x"}`,
  ),
  "wide rows": listed(['{"upsert_rows":[', "]}"], 200, (i) => {
    const members = Array.from({ length: 1000 }, (_, a) => `"a${a}":1`);
    return `{"id":${i},${members.join()}}`;
  }),
  "an array of strings": listed([`${ROW[0]}[`, `]${ROW[1]}`], ARRAY_ELEMENTS_MAX, (i) => `"${i}"`),
  "vectors of a document": listed(
    [`${ROW[0]}[`, `]${ROW[1]}`],
    Math.floor(VECTORS_PARTS_MAX / (VECTOR_PARTS + 2)),
    (i) => `[${i},1.5]`,
  ),
  "vectors of one dimension": listed(
    [`${ROW[0]}[`, `]${ROW[1]}`],
    Math.floor(VECTORS_PARTS_MAX / (VECTOR_PARTS + 1)),
    () => "[1]",
  ),
  "a vector of millions": listed(
    ['{"upsert_rows":[{"id":1,"vector":[', "]}]}"],
    4_000_000,
    () => "0.25",
  ),
  "a string in an object": full(`${ROW[0]}{"a":"`, "abcdefgh", `"}${ROW[1]}`),
  "a schema with unknown options": listed(
    ['{"upsert_rows":[{"id":1}],"schema":{"a":{"type":"int",', "}}}"],
    2_000_000,
    (i) => `"b${i}":1`,
  ),
  "a patch": listed(
    ['{"patch_by_filter":{"filters":["n","Eq",1],"patch":{"a":[', "]}}}"],
    2_000_000,
    () => '"x"',
  ),
  "a patch of as many elements as there may be": listed(
    ['{"patch_by_filter":{"filters":["n","Eq",1],"patch":{"a":[', "]}}}"],
    ARRAY_ELEMENTS_MAX,
    () => '"x"',
  ),
  "a list of a filter": full('{"delete_by_filter":["a","In",["x"', ',"abc"', "]]}"),
  "a condition": listed(
    ['{"upsert_rows":[{"id":1}],"upsert_condition":["Or",[', "]]}"],
    EXPRESSION_NODES_MAX - 1,
    (i) => `["a","Eq",${i}]`,
  ),
  "an unknown string": full('{"deletes":[1],"x":"', "\\u00e9", '"}'),
};

/** Bodies of imports. */
export const WORST_LINES: Readonly<Record<string, Body>> = {
  "empty lines": full("", "\n", ""),
  "lines of space": full("", "  \r\n", ""),
  "empty objects": full("", "{}\n", "", 20_000_000),
  "a line of one string": full('{"a":["', "abcdefgh", '"]}\n', 16_000_000),
  "a line of members": listed(["{", "}\n"], 1_000_000, (i) => `"a${i}":1`),
  "a line of arrays": full('{"a":[[]', ",[]", "]}\n", 16_000_000),
};
