import { describe, expect, test } from "vitest";
import { editDistance, naiveFuzzy } from "../../../../test/support/queries/naive-filter.ts";
import { json } from "../../../../test/support/queries/query-fixture.ts";
import { seededRandom } from "../../../base/random.ts";
import type { JsonValue } from "../../../model/json-value.ts";
import { codePoints, hasFuzzySubstring } from "./fuzzy.ts";
import { translateGlob } from "./glob.ts";
import { type PatternFault, regexTest, wholeTest } from "./regex.ts";
import { type StringTest, stringMatcher } from "./string-test.ts";

/** Tells whether a clone of the test matches: nothing of it depends on the object. */
function passes(test: StringTest | PatternFault, text: string): boolean {
  if ("fault" in test) throw new Error(test.fault);
  return stringMatcher(structuredClone(test))(text);
}

function globMatches(pattern: string, text: string, caseSensitive = true): boolean {
  const glob = translateGlob(pattern);
  if ("fault" in glob) throw new Error(glob.fault);
  const matches = passes(wholeTest(glob.expression, caseSensitive), text);
  if (caseSensitive && matches) expect(text.startsWith(glob.prefix)).toBe(true);
  const { prefix, prefixSuffices } = glob;
  if (caseSensitive && prefixSuffices) expect(matches).toBe(text.startsWith(prefix));
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
  ])("%j is refused: %s", (pattern, fault) => {
    expect(translateGlob(pattern)).toEqual({ fault: expect.stringContaining(fault) });
  });

  test("with many stars take linear time", () => {
    expect(globMatches(`${"*a".repeat(50)}*b`, "a".repeat(4000))).toBe(false);
  });
});

describe("regular expressions", () => {
  test.each([
    ["o+x", "a foox b", true],
    ["^fox$", "foxes", false],
    ["(?i)FOX", "a fox", true],
    ["\\d", "٣", true],
    ["^\\w+$", "naïve", true],
    ["^\\W$", "é", false],
    ["[\\d]{2}", "a12", true],
    ["\\s", "\u2003", true],
    ["\\u{1F98A}", "🦊", true],
    ["\\U{1F98A}", "🦊", true],
    ["\\U0001F98A", "🦊", true],
    ["[\\U0001F980-\\U0001F98F]", "🦊", true],
    ["\\U0001F98A", "🦉", false],
    ["\\p{Greek}", "λ", true],
    ["\\bfox\\b", "the fox.", true],
    ["(?P<name>a)b", "ab", true],
    ["a.c", "a🦊c", true],
  ])("%j on %j is %j", (pattern, text, expected) => {
    expect(passes(regexTest(pattern), text)).toBe(expected);
  });

  const classes = ["[a-z&&[^b]]", "[a[bc]]", "[a-c--b]", "[ab~~b]"];
  const others = ["(", "a(?=b)", "(?<!a)b", "(a)\\1", "[z-a]", "*", "\\"];
  test.each([...others, ...classes])("%j is refused", (pattern) => {
    expect(regexTest(pattern)).toEqual({ fault: expect.any(String) });
  });

  test.each([
    ["^[[:digit:]\\s]+$", "1 2", true],
    ["^[]\\d]+$", "]1", true],
    ["^[^]\\d]+$", "]", false],
    ["^[\\[&-]+$", "[&-", true],
    ["a&&b", "a&&b", true],
  ])("classes: %j in %j is %j", (pattern, text, expected) => {
    expect(passes(regexTest(pattern), text)).toBe(expected);
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
    expect(hasFuzzySubstring(codePoints(pattern), text, distance)).toBe(expected);
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
      expect(
        hasFuzzySubstring(codePoints(pattern), text, distance),
        `seed ${seed} ${pattern} ${text} ${distance}`,
      ).toBe(naiveFuzzy(pattern, options, text));
    }
  });

  test("the twin's distance is Levenshtein's", () => {
    expect(editDistance([..."kitten"], [..."sitting"])).toBe(3);
  });
});
