import { expect, test } from "vitest";
import { runSteps } from "../../base/steps.ts";
import { LazyAutomaton } from "./lazy-automaton.ts";
import { compilePattern, type PatternProgram, programBytes } from "./pattern-program.ts";
import { readRegex } from "./regex-syntax.ts";

function programOf(pattern: string): PatternProgram {
  const read = runSteps(readRegex(pattern, 50_000));
  if ("fault" in read) throw new Error(read.fault);
  return runSteps(compilePattern(read.tree));
}

test("states are made once, and a character then takes one lookup", () => {
  const automaton = new LazyAutomaton(programOf("needle|haystack"), 2 ** 20);
  const text = "hayneedhayst ".repeat(1000);
  automaton.advance(automaton.begin(text), Number.POSITIVE_INFINITY);
  const { stateCount, work } = automaton;
  expect(stateCount).toBeLessThan(16);
  expect(automaton.advance(automaton.begin(text), Number.POSITIVE_INFINITY)).toBe(false);
  expect(automaton.work - work).toBe(text.length + 1);
  expect(automaton.stateCount).toBe(stateCount);
});

test("states take the memory that they may, and are forgotten beyond it", () => {
  // A deterministic automaton has 2^15 states.
  const automaton = new LazyAutomaton(programOf("(?:a|b)*a(?:a|b){14}c"), 65_536);
  let text = "";
  for (let i = 0, bits = 1; i < 20_000; i++) {
    bits = (bits >>> 1) ^ (-(bits & 1) & 0xb400);
    text += (bits & 1) === 0 ? "a" : "b";
  }
  let bytesMost = 0;
  const scan = automaton.begin(text);
  let passes: boolean | undefined;
  for (; passes === undefined; passes = automaton.advance(scan, 500)) {
    bytesMost = Math.max(bytesMost, automaton.bytes);
  }
  expect(passes).toBe(false);
  expect(bytesMost).toBeLessThanOrEqual(65_536);
  expect(bytesMost).toBeGreaterThan(16_384);
});

test("a pattern of all the instructions that it may have takes time for each at most", () => {
  const program = programOf("(?:a?){24000}b");
  expect(program.ops.length).toBe(48_002);
  expect(programBytes(program)).toBeLessThan(2 ** 20);
  const automaton = new LazyAutomaton(program, 2 ** 21);
  const text = "a".repeat(20);
  expect(automaton.advance(automaton.begin(text), Number.POSITIVE_INFINITY)).toBe(false);
  expect(automaton.work).toBeLessThan(4 * program.ops.length * text.length);
});

test("texts that are read in turns do not disturb each other", () => {
  for (const bytes of [0, 2 ** 16]) {
    const automaton = new LazyAutomaton(programOf("^(?:ab|ba)*$"), bytes);
    const texts = ["ab".repeat(50), `${"ba".repeat(50)}a`, "abba".repeat(20), "abbab"];
    const scans = texts.map((text) => automaton.begin(text));
    const found: (boolean | undefined)[] = texts.map(() => undefined);
    while (found.includes(undefined)) {
      for (const [i, scan] of scans.entries()) found[i] ??= automaton.advance(scan, 1);
    }
    expect(found).toEqual([true, false, true, false]);
  }
});

test("an anchored pattern ends where nothing is left to wait for", () => {
  const automaton = new LazyAutomaton(programOf("^x"), 2 ** 16);
  expect(automaton.advance(automaton.begin("y".repeat(1e6)), 200)).toBe(false);
});

test("programs are written in steps", () => {
  const read = runSteps(readRegex("(?:ab){20000}", 50_000));
  if ("fault" in read) throw new Error(read.fault);
  let stepCount = 1;
  const steps = compilePattern(read.tree);
  while (steps.next().done !== true) stepCount++;
  expect(stepCount).toBeGreaterThan(15);
});
