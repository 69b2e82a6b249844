import { expect, test } from "vitest";
import { ATTRIBUTE_VALUE_BYTES_MAX } from "../../model/contract-limits.ts";
import { formatDatetime } from "../../model/datetime.ts";
import { parquetColumn } from "./parquet-column.ts";

test.each([0n, -1n, 253_402_300_799_999n, 253_402_300_800_000n, 10n ** 17n, -(10n ** 17n)])(
  "the datetime of %s ms is exported exactly, also beyond JavaScript's dates",
  (ms) => {
    const { value } = parquetColumn("t", "datetime");
    expect(value(JSON.stringify(formatDatetime(ms)))).toBe(ms);
  },
);

test("elements of arrays are exported exactly, up to the longest string", () => {
  const { value } = parquetColumn("t", "[]string");
  const odd = ["", "a,b", 'a "b"', "\\", '\\"', " [1, 2] ", "\n", "é\u2028", "]"];
  const long = "a".repeat(ATTRIBUTE_VALUE_BYTES_MAX);
  const escaped = "\n".repeat(ATTRIBUTE_VALUE_BYTES_MAX / 2);
  for (const elements of [[], odd, odd.toReversed(), [long], [escaped]]) {
    expect(value(JSON.stringify(elements))).toEqual(elements);
  }
  const integers = parquetColumn("n", "[]int").value("[1, -2,9223372036854775807]");
  expect(integers).toEqual([1n, -2n, 9223372036854775807n]);
});
