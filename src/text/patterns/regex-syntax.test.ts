import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { randomRegex, randomRegexText } from "../../../test/support/random/random-regex.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { runSteps } from "../../base/steps.ts";
import { LazyAutomaton } from "./lazy-automaton.ts";
import { compilePattern } from "./pattern-program.ts";
import { PATTERN_DEPTH_MAX } from "./pattern-tree.ts";
import { readRegex } from "./regex-syntax.ts";

const SIZE_MAX = 50_000;

function read(pattern: string) {
  const found = runSteps(readRegex(pattern, SIZE_MAX));
  if ("fault" in found) throw new Error(found.fault);
  return found;
}

function faultOf(pattern: string): string | undefined {
  const found = runSteps(readRegex(pattern, SIZE_MAX));
  return "fault" in found ? found.fault : undefined;
}

function matches(pattern: string, text: string): boolean {
  const automaton = new LazyAutomaton(runSteps(compilePattern(read(pattern).tree)), 2 ** 16);
  const found = automaton.advance(automaton.begin(text), Number.POSITIVE_INFINITY);
  if (found === undefined) throw new Error("it did not end");
  return found;
}

describe("expressions of Rust's syntax", () => {
  test.each([
    ["o+x", "a foox b", true],
    ["^fox$", "foxes", false],
    ["(?i)FOX", "a fox", true],
    ["(?i)σ", "ς", true],
    ["(?i)ß", "ẞ", true],
    ["(?i:F)ox", "fOX", false],
    ["(?i:F)ox", "fox", true],
    ["a(?i)b|c", "aC", true],
    ["(a(?i)b)c", "aBC", false],
    ["\\d", "٣", true],
    ["^\\w+$", "naïve", true],
    ["^\\W$", "é", false],
    ["^\\w$", "Ⅷ", true],
    ["[\\d]{2}", "a12", true],
    ["\\s", "\u2003", true],
    ["\\u{1F98A}", "🦊", true],
    ["\\U{1F98A}", "🦊", true],
    ["\\U0001F98A", "🦊", true],
    ["[\\U0001F980-\\U0001F98F]", "🦊", true],
    ["\\U0001F98A", "🦉", false],
    ["\\x41\\u0042", "AB", true],
    ["\\p{Greek}", "λ", true],
    ["\\p{greek}", "λ", true],
    ["\\p{Script=Greek}", "λ", true],
    ["\\p{sc!=Greek}", "λ", false],
    ["\\p{^Greek}", "λ", false],
    ["\\pL", "λ", true],
    ["\\PL", "λ", false],
    ["\\p{old italic}", "\u{10300}", true],
    ["(?i)\\P{Lu}", "A", false],
    ["\\bfox\\b", "the fox.", true],
    ["\\bfox\\b", "thefox.", false],
    ["\\bé", "né", false],
    ["\\b{start}x\\b{end}", "a x", true],
    ["\\<ab\\>", "ab", true],
    ["a\\b{end-half}", "ab", false],
    ["(?P<name>a)(?<other>b)", "ab", true],
    ["a.c", "a🦊c", true],
    ["(?s).", "\n", true],
    [".", "\n", false],
    ["(?m)^b$", "a\nb\nc", true],
    ["^b$", "a\nb\nc", false],
    ["x\\z", "x\n", false],
    ["(?x) a b # not this\n c", "abc", true],
    ['{"a": 1}', '{"a": 1}', true],
    ["^a{2,3}$", "aaaa", false],
    ["^a{2,}$", "aaaa", true],
    ["^(?:a{2}){2}$", "aaaa", true],
    ["^(a*)*$", "aaab", false],
    ["(?:){1000000}x", "x", true],
    ["a||b", "", true],
  ])("%j on %j is %j", (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  test.each([
    ["^[[:digit:]\\s]+$", "1 2", true],
    ["^[[:^digit:]]$", "1", false],
    ["^[]\\d]+$", "]1", true],
    ["^[^]\\d]+$", "]", false],
    ["^[\\[&-]+$", "[&-", true],
    ["^[a-]+$", "a-", true],
    ["^[-a]+$", "a-", true],
    ["a&&b", "a&&b", true],
    ["^[a-z&&[^b]]+$", "ac", true],
    ["[a-z&&[^b]]", "b", false],
    ["^[a[bc]]+$", "abc", true],
    ["[a-c--b]", "b", false],
    ["^[ab~~bc]+$", "ac", true],
    ["[ab~~bc]", "b", false],
    ["(?i)[^k]", "\u212a", false],
    ["(?i)[a-c]", "B", true],
    ["(?x)[ a ]", " ", false],
  ])("classes: %j on %j is %j", (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });
});

test.each([
  ["(", "not closed"],
  ["a)", "closes no group"],
  ["[a", "missing `]`"],
  ["a(?=b)", "look-arounds"],
  ["(?<!a)b", "look-arounds"],
  ["(a)\\1", "back references"],
  ["[z-a]", "ends before it begins"],
  ["[a-\\d]", "must end by one"],
  ["[\\b]", "places"],
  ["*", "nothing before it"],
  ["a|*", "nothing before it"],
  ["\\", "ends where more"],
  ["\\q", "unknown escape"],
  ["\\é", "unknown escape"],
  ["\\p{Nobody}", "unknown Unicode class"],
  ["\\p{L}\\p{a=b}", "unknown Unicode class"],
  ["[[:none:]]", "unknown class"],
  ["\\x{110000}", "is no code point"],
  ["\\u{D800}", "is no code point"],
  ["a{3,2}", "ends before it begins"],
  ["a{9999999999}", "at most 9 digits"],
  ["(?P<a>x)(?P<a>y)", "two groups named a"],
  ["(?R)a", "unknown group"],
  ["(".repeat(PATTERN_DEPTH_MAX), "nested"],
  [`a${"*".repeat(PATTERN_DEPTH_MAX)}`, "nested"],
  [`${"[a".repeat(PATTERN_DEPTH_MAX + 1)}`, "nested"],
])("%.40j is refused: %s", (pattern, fault) => {
  expect(faultOf(pattern)).toContain(fault);
});

test("groups and repeats are nested as deep as the bound allows", () => {
  const depth = PATTERN_DEPTH_MAX - 1;
  expect(matches(`${"(".repeat(depth)}a${")".repeat(depth)}`, "a")).toBe(true);
  expect(matches(`a${"+".repeat(PATTERN_DEPTH_MAX - 2)}`, "a")).toBe(true);
});

test.each([
  ["a{0,999}".repeat(500), 999_000],
  ["((a{1,50}){1,50}){1,50}", 249_999],
  ["((((a{999}){999}){999}){999}){999}", 999 ** 5],
  [`${"(".repeat(9)}a${"{999999999})".repeat(9)}`, Number.MAX_SAFE_INTEGER],
  // A class counts its ranges once.
  ["[ac]{9}", 9 + 2],
  ["abc", 3],
  ["(?:){999999999}", 0],
])("%.40j has the size %d before it is compiled", (pattern, size) => {
  expect(read(pattern).size).toBe(size);
});

test("reading ends where the classes alone are too large", () => {
  const classes = Array.from({ length: 1600 }, (_, i) => `[\\w${String.fromCodePoint(9216 + i)}]`);
  const steps = readRegex(classes.join(""), SIZE_MAX);
  let stepCount = 1;
  let found = steps.next();
  for (; found.done !== true; found = steps.next()) stepCount++;
  expect(found.value).toMatchObject({ size: expect.any(Number) });
  const { size } = found.value as { size: number };
  expect(size).toBeGreaterThan(SIZE_MAX);
  expect(size).toBeLessThan(2 * SIZE_MAX);
  expect(stepCount).toBeGreaterThan(10);
});

test("expressions match what JavaScript's match", () => {
  const random = testRandom();
  let matchCount = 0;
  const tried = effort({ usual: 2000, full: 20_000 });
  for (let i = 0; i < tried; i++) {
    const { pattern, twin } = randomRegex(random);
    const { tree, size } = read(pattern);
    const program = runSteps(compilePattern(tree));
    expect(program.ops.length, pattern).toBe(tree.size + 1);
    expect(size).toBeGreaterThanOrEqual(tree.size);
    // So few bytes that states are forgotten all the time, or enough.
    const automata = [0, 2 ** 20].map((bytes) => new LazyAutomaton(program, bytes));
    for (let j = 0; j < 8; j++) {
      const text = randomRegexText(random);
      const expected = twin.test(text);
      if (expected) matchCount++;
      for (const automaton of automata) {
        const scan = automaton.begin(text);
        const found = automaton.advance(scan, Number.POSITIVE_INFINITY);
        expect(found, `${JSON.stringify(pattern)} on ${JSON.stringify(text)}`).toBe(expected);
      }
    }
  }
  expect(matchCount).toBeGreaterThan(tried);
});
