import { expect, test } from "vitest";
import { formatDatetime } from "../../model/datetime.ts";
import { parquetColumn } from "./parquet-column.ts";

test.each([0n, -1n, 253_402_300_799_999n, 253_402_300_800_000n, 10n ** 17n, -(10n ** 17n)])(
  "the datetime of %s ms is exported exactly, also beyond JavaScript's dates",
  (ms) => {
    const { value } = parquetColumn("t", "datetime");
    expect(value(JSON.stringify(formatDatetime(ms)))).toBe(ms);
  },
);
