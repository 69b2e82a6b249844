import { expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { BytesMissing } from "../../segment/format/bytes-missing.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { countMissing } from "./missing-bytes.ts";

const object = "o" as ObjectKey;

test("missing bytes are counted, in steps", () => {
  const looks = Array.from({ length: 10_000 }, (_, i) => () => {
    if (i % 2 === 0) throw new BytesMissing([{ object, start: 100, end: 107 }]);
  });
  const { result, count } = countSteps(countMissing(looks));
  expect(result).toBe(5000 * 7);
  expect(count).toBeGreaterThanOrEqual(10_000 / 64);
});

test("no other error is taken for missing bytes", () => {
  const look = () => {
    throw new Error("damaged");
  };
  expect(() => countSteps(countMissing([look]))).toThrow("damaged");
});
