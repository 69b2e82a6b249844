import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KIB, MIB } from "../base/byte-sizes.ts";
import { NAMESPACE_NAME_CHARS_MAX } from "../base/ids.ts";
import { VECTOR_DIMENSIONS_MAX } from "../kernel/kernel.ts";
import {
  ATTRIBUTE_COUNT_MAX,
  ATTRIBUTE_NAME_CHARS_MAX,
  ATTRIBUTE_VALUE_BYTES_MAX,
  DOCUMENT_BYTES_MAX,
  FILTERABLE_VALUE_BYTES_MAX,
  ID_BYTES_MAX,
  QUERY_SLOT_WAIT_MS_MAX,
  QUERY_SLOTS,
  RESULT_ROWS_MAX,
  SPARSE_ENTRIES_MAX,
  SUBQUERIES_MAX,
  VECTOR_ATTRIBUTES_MAX,
  WRITE_BODY_BYTES_MAX,
} from "./contract-limits.ts";

test("README.md names the limits as they are", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const section = readme.slice(readme.indexOf("## Limits"), readme.indexOf("## Security"));
  const numbers = section.split("\n").flatMap((line) => {
    const [, what, limit] = line.split("|").map((cell) => cell.trim());
    return what === undefined || limit === undefined || !/\d/.test(limit) ? [] : [[what, limit]];
  });
  const counts = (...values: number[]) => values.map((n) => n.toLocaleString("en")).join("; ");
  expect(ATTRIBUTE_NAME_CHARS_MAX).toBe(NAMESPACE_NAME_CHARS_MAX);
  expect(numbers).toEqual([
    ["Write request", `${WRITE_BODY_BYTES_MAX / MIB} MiB decompressed`],
    [
      "Document; attribute value; filterable value",
      `${DOCUMENT_BYTES_MAX / MIB} MiB; ${ATTRIBUTE_VALUE_BYTES_MAX / MIB} MiB; ` +
        `${FILTERABLE_VALUE_BYTES_MAX / KIB} KiB`,
    ],
    ["Document id", `unsigned 64-bit integer, UUID, or a string of ${ID_BYTES_MAX} bytes`],
    ["Namespace name; attribute name", `${NAMESPACE_NAME_CHARS_MAX} characters`],
    [
      "Attributes; vector attributes of a namespace",
      counts(ATTRIBUTE_COUNT_MAX, VECTOR_ATTRIBUTES_MAX),
    ],
    ["Dense dimensions; sparse entries", counts(VECTOR_DIMENSIONS_MAX, SPARSE_ENTRIES_MAX)],
    ["Results of a query; subqueries of a multi-query", counts(RESULT_ROWS_MAX, SUBQUERIES_MAX)],
    [
      "Concurrent queries of a namespace",
      `${QUERY_SLOTS} slots; after ${QUERY_SLOT_WAIT_MS_MAX} ms of waiting 429`,
    ],
  ]);
});
