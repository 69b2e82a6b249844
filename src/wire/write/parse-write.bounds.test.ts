import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { runSteps } from "../../base/steps.ts";
import { WriteBodyParser } from "./parse-write.ts";

describe("steps", () => {
  test.each([
    ["rows", `{"upsert_rows":[${'{"id":1,"n":1},'.repeat(20_000)}{"id":2}]}`],
    [
      "one document",
      `{"upsert_rows":[{"id":1,${numbered(1000, (i) => `"a${i}":"${"x".repeat(300)}"`)}}]}`,
    ],
    ["columns", `{"upsert_columns":{"id":[${numbered(60_000, String)}]}}`],
    ["deletes", `{"deletes":[${numbered(60_000, String)}]}`],
    ["unknown fields", `{"deletes":[1],"unknown":[${"{},".repeat(100_000)}{}]}`],
  ])("are short, in %s too", (_, text) => {
    const parser = new WriteBodyParser({ typeOf: () => undefined });
    let steps = 0;
    for (const _step of parser.push(new TextEncoder().encode(text))) steps++;
    for (const _step of parser.finish()) steps++;
    expect(text.length / steps).toBeLessThan(8 * 1024);
  });
});

function numbered(count: number, spell: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => spell(i)).join();
}

describe("what a value may be made of", () => {
  const parse = (text: string) => {
    const parser = new WriteBodyParser({ typeOf: () => undefined });
    runSteps(parser.push(new TextEncoder().encode(text)));
    runSteps(parser.finish());
  };
  test.each([
    [
      "elements",
      `{"upsert_rows":[{"id":1,"a":[${'"",'.repeat(1_048_576)}""]}]}`,
      "upsert_rows[0].a[1048576]: an array has at most 1048576 elements in all",
    ],
    [
      "elements of elements",
      `{"upsert_rows":[{"id":1,"a":["",[${"[],".repeat(150_000)}[]],[${"1,".repeat(500_000)}1]]}]}`,
      "upsert_rows[0].a[2][298564]: an array has at most 1048576 elements in all",
    ],
    [
      "elements of columns",
      `{"upsert_columns":{"id":[1],"a":[[${'"",'.repeat(1_048_576)}""]]}}`,
      "an array has at most 1048576 elements in all",
    ],
    [
      "members",
      `{"upsert_rows":[{"id":1,"a":{${numbered(8193, (i) => `"${i}":1`)}}}]}`,
      "a sparse vector has at most 1024 entries",
    ],
    [
      "vectors of nothing",
      `{"upsert_rows":[{"id":1,"a":[[],[]]}]}`,
      "upsert_rows[0].a[0]: a vector must have numbers",
    ],
    [
      "declarations",
      `{"schema":{${numbered(65_537, (i) => `"a${i}":"int"`)}}}`,
      "schema.a4096: an object here may have at most 4096 members",
    ],
  ])("is bounded: %s", (_, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  test("is bounded before its end is there", () => {
    const parser = new WriteBodyParser({ typeOf: () => undefined });
    runSteps(parser.push(new TextEncoder().encode('{"upsert_rows":[{"id":1,"a":"')));
    const chunk = new TextEncoder().encode("x".repeat(1 << 20));
    const send = () => {
      for (let i = 0; i < 70; i++) runSteps(parser.push(chunk));
    };
    expect(send).toThrow(expect.objectContaining({ code: "too_large" }));
  });

  test("is bounded where it is read in steps", () => {
    const parser = new WriteBodyParser({ typeOf: () => undefined });
    runSteps(parser.push(new TextEncoder().encode('{"upsert_rows":[{"id":1,"a":[""')));
    const chunk = new TextEncoder().encode(`,"${"x".repeat(1 << 20)}"`);
    const send = () => {
      for (let i = 0; i < 70; i++) runSteps(parser.push(chunk));
    };
    expect(send).toThrow("upsert_rows[0].a[64]: a value of more than 67108864 bytes of JSON");
  });

  // Short vectors in one string are read above.
  test.runIf(effort({ usual: false, full: true }))(
    "is not bounded where all vectors are one string",
    () => {
      const parser = new WriteBodyParser({ typeOf: () => undefined });
      runSteps(parser.push(new TextEncoder().encode('{"upsert_columns":{"vector":"')));
      const chunk = new TextEncoder().encode("A".repeat(1 << 20));
      for (let i = 0; i < 72; i++) runSteps(parser.push(chunk));
      runSteps(parser.push(new TextEncoder().encode('","id":[1]}}')));
      expect(runSteps(parser.finish()).upserts?.attributes.get("vector")?.vectors?.dimensions).toBe(
        ((72 << 20) * 3) / 16,
      );
    },
  );
});
