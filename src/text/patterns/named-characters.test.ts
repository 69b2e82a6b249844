import { expect, test } from "vitest";
import { runSteps } from "../../base/steps.ts";
import { isInSet } from "./character-set.ts";
import { asciiClass, findNamedCharacters, perlClass, unicodeClass } from "./named-characters.ts";

test.each([
  ["L", "\\p{L}"],
  ["uppercase letter", "\\p{Lu}"],
  ["gc=Nd", "\\p{Nd}"],
  ["Han", "\\p{Script=Han}"],
  ["scx:Hira", "\\p{Script_Extensions=Hira}"],
  ["Cn", "\\p{Cn}"],
  ["Co", "\\p{Co}"],
  ["noncharacter_code_point", "\\p{Noncharacter_Code_Point}"],
  ["ascii", "\\p{ASCII}"],
])("%s has the characters that JavaScript's %s has", (name, source) => {
  const set = unicodeClass(name);
  const has = new RegExp(source, "u");
  if (set === undefined) throw new Error("unknown");
  // Surrogates are no characters.
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += codePoint === 0xd7ff ? 2049 : 1) {
    if (isInSet(set, codePoint) !== has.test(String.fromCodePoint(codePoint))) {
      throw new Error(`${codePoint.toString(16)} of ${name}`);
    }
  }
});

test.each(["Nobody", "sc=L", "a=b", "L}", "", "x".repeat(65)])("%j is unknown", (name) => {
  expect(unicodeClass(name)).toBeUndefined();
});

test("sets are found in steps, once", () => {
  const steps = () => {
    let count = 1;
    const found = findNamedCharacters("\\p{Deseret}\\p{Deseret}[\\p{^Deseret}\\PL]");
    while (found.next().done !== true) count++;
    return count;
  };
  expect(steps()).toBeGreaterThan(100);
  expect(steps()).toBe(1);
});

test("classes of ASCII and of Perl", () => {
  expect([...(asciiClass("xdigit") ?? [])]).toEqual([48, 57, 65, 70, 97, 102]);
  expect(asciiClass("none")).toBeUndefined();
  expect(isInSet(perlClass("s"), 0x85)).toBe(true);
  expect(isInSet(perlClass("w"), 0x200d)).toBe(true);
  runSteps(findNamedCharacters("\\b"));
});
