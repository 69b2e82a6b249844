import { expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { BytesMissing } from "../../segment/format/bytes-missing.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { ScanProgress } from "./scan-progress.ts";

const object = "o" as ObjectKey;

test("missing bytes are counted, in steps", () => {
  const looks = Array.from({ length: 10_000 }, (_, i) => () => {
    if (i % 2 === 0) throw new BytesMissing([{ object, start: 100, end: 107 }]);
  });
  const { result, count } = countSteps(new ScanProgress(1).missingBytes(looks));
  expect(result).toBe(5000 * 7);
  expect(count).toBeGreaterThanOrEqual(4);
});

test("no other error is taken for missing bytes", () => {
  const look = () => {
    throw new Error("damaged");
  };
  expect(() => countSteps(new ScanProgress(1).missingBytes([look]))).toThrow("damaged");
});
