import { describe, expect, test } from "vitest";
import { effort } from "../../../../test/support/effort.ts";
import { editDistance, naiveFuzzy } from "../../../../test/support/queries/naive-filter.ts";
import { json } from "../../../../test/support/queries/query-fixture.ts";
import {
  fuzzyTest,
  globTest,
  passes as passesTest,
  regexTest,
} from "../../../../test/support/queries/string-tests.ts";
import { pick } from "../../../../test/support/random/random-queries.ts";
import { testRandom } from "../../../../test/support/random/seed.ts";
import { type Random, seededRandom } from "../../../base/random.ts";
import { runSteps } from "../../../base/steps.ts";
import type { JsonValue } from "../../../model/json-value.ts";
import { PATTERN_DEPTH_MAX, type PatternFault } from "../../../text/patterns/pattern-tree.ts";
import { codePoints, FuzzySearch } from "./fuzzy.ts";
import {
  finishScan,
  MatcherPauses,
  passesInSteps,
  type StringTest,
  stringMatcher,
  testBytes,
} from "./string-test.ts";

/** Tells whether a clone of the test matches: nothing of it depends on the object. */
function passes(test: StringTest | PatternFault, text: string): boolean {
  return passesTest(structuredClone(test), text);
}

/** The test of an expression that is known to be one. */
function validRegex(pattern: string): StringTest {
  const made = regexTest(pattern);
  if ("fault" in made) throw new Error(made.fault);
  return made;
}

function globMatches(pattern: string, text: string, caseSensitive = true): boolean {
  const glob = globTest(pattern, caseSensitive);
  if ("fault" in glob) throw new Error(glob.fault);
  const { test, size, prefix, prefixSuffices } = glob;
  const matches = passes(test, text);
  expect(test.program.ops.length - 1).toBeLessThanOrEqual(size);
  if (matches) expect(text.startsWith(prefix)).toBe(true);
  if (prefixSuffices) expect(matches).toBe(text.startsWith(prefix));
  return matches;
}

describe("globs", () => {
  test.each([
    ["*", "", true],
    ["*", "a/b\nc", true],
    ["a*c", "abbc", true],
    ["a*c", "abbcd", false],
    ["?", "é", true],
    ["?", "🦊", true],
    ["?", "", false],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[^a-c]x", "dx", true],
    ["[]a]", "]", true],
    ["[a-]", "-", true],
    ["[-a]", "-", true],
    ["[?*]", "*", true],
    ["{foo,bar}.txt", "bar.txt", true],
    ["{foo,bar}.txt", "baz.txt", false],
    ["{a{b,c},d}", "ac", true],
    ["foo{,.txt}", "foo", false],
    ["foo{,.txt}", "foo.txt", true],
    ["a,b", "a,b", true],
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["**/foo", "foo", true],
    ["**/**/foo", "foo", true],
    ["**/**/foo", "a/foo", true],
    ["**/**/foo", "afoo", false],
    ["**/", "foo", true],
    ["**/", "", true],
    ["**/**/", "a/foo", true],
    ["**/***/foo", "foo", false],
    ["**/foo", "a/b/foo", true],
    ["**/foo", "afoo", false],
    ["a/**", "a/b/c", true],
    ["a/**", "a", false],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["a/**/b", "axb", false],
    ["a**b", "a/x/b", true],
    ["a.b+c$(d)", "a.b+c$(d)", true],
    ["a.b", "axb", false],
    ["東*", "東京", true],
  ])("%j on %j is %j", (pattern, text, expected) => {
    expect(globMatches(pattern, text)).toBe(expected);
  });

  test("without case fold every letter", () => {
    expect(globMatches("É*[A-C]", "éxb", false)).toBe(true);
    expect(globMatches("É*[A-C]", "éxb")).toBe(false);
  });

  test.each([
    ["[a", "unclosed character class"],
    ["{a,b", "unclosed alternate group"],
    ["a}", "unopened alternate group"],
    ["a\\", "dangling"],
    ["[z-a]", "invalid range"],
    ["{".repeat(8192), "nested at most"],
    ["{a".repeat(PATTERN_DEPTH_MAX) + "}".repeat(PATTERN_DEPTH_MAX), "nested at most"],
  ])("%.40j is refused: %s", (pattern, fault) => {
    expect(globTest(pattern, true)).toEqual({ fault: expect.stringContaining(fault) });
  });

  test("with many stars take linear time", () => {
    expect(globMatches(`${"*a".repeat(50)}*b`, "a".repeat(4000))).toBe(false);
  });
});

/** Globs of a few characters, and the same for JavaScript. */
function randomGlob(random: Random, depth: number): readonly [glob: string, twin: string] {
  const parts = Array.from({ length: random.below(5) }, (): readonly [string, string] => {
    const kind = random.below(depth === 0 ? 5 : 6);
    if (kind === 0) return ["*", ".*"];
    if (kind === 1) return ["?", "."];
    if (kind === 2) {
      return pick(random, [
        ["[ab]", "[ab]"],
        ["[!a]", "[^a]"],
        ["[a-c]", "[a-c]"],
      ]);
    }
    if (kind < 5) {
      const character = pick(random, ["a", "b", "É", "k", "🦊", "."]);
      return [character, character === "." ? "\\." : character];
    }
    const choices = Array.from({ length: 1 + random.below(3) }, () =>
      randomGlob(random, depth - 1),
    );
    const kept = choices.filter(([glob]) => glob !== "");
    const globs = choices.map(([glob]) => glob).join();
    return [`{${globs}}`, `(?:${kept.map(([, twin]) => twin).join("|")})`];
  });
  return [parts.map(([glob]) => glob).join(""), parts.map(([, twin]) => twin).join("")];
}

test("globs match what JavaScript's expressions match", () => {
  const random = testRandom();
  let matchCount = 0;
  const rounds = effort({ usual: 200, full: 1000 });
  for (let i = 0; i < rounds; i++) {
    const [glob, twin] = randomGlob(random, 2);
    // Two stars at the ends mean directories.
    if (/^\*\*|\*\*$/.test(glob)) continue;
    const caseSensitive = random.below(2) === 0;
    const expected = new RegExp(`^(?:${twin})$`, caseSensitive ? "su" : "isu");
    for (let j = 0; j < 8; j++) {
      const characters = ["a", "b", "É", "é", "\u212a", "🦊", "."];
      const text = Array.from({ length: random.below(6) }, () => pick(random, characters)).join("");
      const matches = expected.test(text);
      if (matches) matchCount++;
      const seen = `${JSON.stringify(glob)} on ${JSON.stringify(text)}`;
      expect(globMatches(glob, text, caseSensitive), seen).toBe(matches);
    }
  }
  expect(matchCount).toBeGreaterThan(rounds / 2);
});

describe("what all matches contain", () => {
  test.each([
    ["foo.*barbaz", "barbaz"],
    ["^foo$", "foo"],
    ["(?i)foo", ""],
    ["foo|bar", ""],
    ["a(?:bc)+d", "bc"],
    ["(?:bc)*", ""],
    ["ab\\bcd", "abcd"],
    ["x".repeat(100), "x".repeat(16)],
  ])("of %.20j is %j", (pattern, required) => {
    expect(regexTest(pattern)).toMatchObject({ required });
  });
});

describe("fuzzy text", () => {
  test.each([
    ["fox", "the fox jumps", 0, true],
    ["fox", "the fix jumps", 0, false],
    ["jumps", "jmups", 1, false],
    ["jumps", "jmups", 2, true],
    ["quick", "a quik one", 1, true],
    ["quick", "a quicck one", 1, true],
    ["naïve", "NAIVE naive", 1, true],
    ["🦊🦊🦊🦊", "🦊🦊x🦊", 1, true],
    ["abcdef", "", 2, false],
  ])("%j in %j within %j edits is %j", (pattern, text, distance, expected) => {
    expect(passes(fuzzyTest(pattern, distance), text)).toBe(expected);
  });

  test("agrees with a search of every substring", () => {
    const seed = 31;
    const random = seededRandom(seed);
    const letters = ["a", "b", "c", "é", "🦊"];
    const word = (length: number): string =>
      Array.from({ length }, () => letters[random.below(letters.length)]).join("");
    for (let i = 0; i < 400; i++) {
      const distance = random.below(3);
      const pattern = word(3 * (distance + 1) + random.below(3));
      const text = word(random.below(14));
      const steps = [{ min_query_chars: 3, distance }];
      const options = json({ max_edit_distance: steps }) as ReadonlyMap<string, JsonValue>;
      const search = new FuzzySearch(codePoints(pattern), distance);
      // The result is the same with pauses after each character, and with states of an earlier
      // text.
      for (const [earlier, workMax] of [
        ["", Number.POSITIVE_INFINITY],
        [text.repeat(2), 1],
      ] as const) {
        search.begin(earlier);
        search.advance(Number.POSITIVE_INFINITY);
        search.begin(text);
        let found = search.advance(workMax);
        while (found === undefined) found = search.advance(workMax);
        const seen = `seed ${seed} ${pattern} ${text} ${distance}`;
        expect(found, seen).toBe(naiveFuzzy(pattern, options, text));
      }
    }
  });

  test("the twin's distance is Levenshtein's", () => {
    expect(editDistance([..."kitten"], [..."sitting"])).toBe(3);
  });
});

describe("long strings", () => {
  const long = "a".repeat(200_000);
  const tests: [string, StringTest][] = [
    ["an expression", validRegex("^(?:aa)*b$")],
    ["fuzzy text", fuzzyTest(`${"a".repeat(500)}bcd`, 2, false)],
  ];

  test.each(tests)("are tested in steps by %s, and several in turns", (_name, test) => {
    const matcher = stringMatcher(test);
    const passing = test.kind === "fuzzy" ? `${long}bcd` : `${long}b`;
    const stepsOf = (text: string) => {
      const steps = passesInSteps(matcher, text);
      return { steps, count: 0, found: undefined as boolean | undefined };
    };
    const all = [long, passing, long, passing].map(stepsOf);
    while (all.some(({ found }) => found === undefined)) {
      for (const one of all) {
        if (one.found !== undefined) continue;
        one.count++;
        const next = one.steps.next();
        if (next.done === true) one.found = next.value;
      }
    }
    expect(all.map(({ found }) => found)).toEqual([false, true, false, true]);
    for (const { count } of all) expect(count).toBeGreaterThan(10);
  });

  test("pause for the work that is done, however short the strings are", () => {
    const matcher = stringMatcher(validRegex("[ab]{20}[cd]"));
    const pauses = new MatcherPauses(matcher);
    let pauseCount = 0;
    for (let i = 0; i < 10_000; i++) {
      const found = matcher.test("ab".repeat(10));
      if (typeof found !== "boolean") runSteps(finishScan(found));
      if (pauses.isDue) pauseCount++;
    }
    expect(pauseCount).toBeGreaterThan(10);
    expect(pauseCount).toBeLessThan(50);
  });

  test("their tests say what memory they take", () => {
    expect(testBytes(validRegex("abc"))).toBeLessThan(16_384);
    expect(testBytes(validRegex("(?:a?){20000}"))).toBeLessThan(2 ** 21 + 2 ** 20);
    expect(testBytes(fuzzyTest("a".repeat(8192), 2))).toBeLessThan(2 ** 17);
  });
});
