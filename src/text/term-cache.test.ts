import { expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import { TERM_CACHE_TOKEN_UNITS_MAX, TermCache } from "./term-cache.ts";

test("a token is normalized once while it is remembered, wherever it stands", () => {
  const calls: string[] = [];
  const cache = new TermCache((token) => {
    calls.push(token);
    return token === "the" ? undefined : token.toUpperCase();
  });
  const terms = [cache.get("the fox", 4, 7), cache.get("fox", 0, 3), cache.get("the", 0, 3)];
  expect([terms, cache.get("bathe", 2, 5)]).toEqual([["FOX", "FOX", undefined], undefined]);
  expect(calls).toEqual(["fox", "the"]);
});

test("empty and long tokens are normalized too", () => {
  const cache = new TermCache((token) => `<${token}>`);
  const long = "x".repeat(TERM_CACHE_TOKEN_UNITS_MAX + 1);
  expect([cache.get("abc", 1, 1), cache.get(long, 0, long.length)]).toEqual(["<>", `<${long}>`]);
});

test("tokens that are too long are dropped before they are copied", () => {
  const cache = new TermCache(() => {
    throw new Error("normalized");
  }, 100);
  const long = "x".repeat(101);
  expect(cache.get(long, 0, long.length)).toBeUndefined();
});

test("tokens that share a place never get each other's term", () => {
  const seed = 3;
  const random = seededRandom(seed);
  const cache = new TermCache((token) => `${token}!`);
  for (let round = 0; round < 200_000; round++) {
    const token = random.below(150_000).toString(36);
    const term = cache.get(`.${token}.`, 1, token.length + 1);
    if (term !== `${token}!`) expect.fail(`seed ${seed}: ${token} became ${term}`);
  }
});
