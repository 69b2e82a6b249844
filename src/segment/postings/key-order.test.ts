import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { runSteps } from "../../base/steps.ts";
import { StringCodes } from "../../base/string-codes.ts";
import { compareStrings } from "../../model/value.ts";
import { KeyOrder } from "./key-order.ts";
import { BY_BYTES } from "./term-section.ts";

const STARTS = ["", "a", "\u{1f421}", "\uffee", "é"];

describe("codes are in the order of their strings", () => {
  test.each([10, 1_000, 40_000])("of some %i new ones a time", (newMax) => {
    const random = testRandom();
    const strings = new StringCodes();
    const order = new KeyOrder(strings, BY_BYTES);
    for (let round = 0; round < effort({ usual: 4, full: 12 }); round++) {
      for (let n = random.below(newMax); n > 0; n--) {
        strings.codeOf(STARTS[random.below(STARTS.length)] + random.below(1e6).toString(36));
      }
      const share = 1 + random.below(20);
      const codes: number[] = [];
      for (let code = 0; code < strings.size; code++) {
        if (random.below(share) === 0) codes.push(code);
      }
      if (random.below(2) === 0) codes.reverse();
      const sorted = [...runSteps(order.sorted(Uint32Array.from(codes)))];
      const expected = codes.map((code) => strings.stringOf(code)).sort(compareStrings);
      expect(sorted.map((code) => strings.stringOf(code))).toEqual(expected);
    }
  });
});

test("many new strings are sorted in many steps", () => {
  const strings = new StringCodes();
  for (let n = 0; n < 100_000; n++) strings.codeOf(String(n));
  const codes = Uint32Array.from({ length: 100_000 }, (_, code) => code);
  expect([...new KeyOrder(strings, BY_BYTES).sorted(codes)].length).toBeGreaterThan(100);
});
