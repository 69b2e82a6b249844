import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { flattenObject } from "./flatten-object.ts";

function flat(text: string, kept: readonly string[] = []): string {
  const result = flattenObject(Buffer.from(text), (name) => kept.includes(name));
  return typeof result === "string" ? `fault: ${result}` : Buffer.from(result).toString();
}

test.each([
  [
    '{"id":1,"author":{"name":"Ann","born":{"year":1950}}}',
    '{"id":1,"author.name":"Ann","author.born.year":1950}',
  ],
  ['{"a":{},"b":null,"c":{"d":null}}', '{"b":null,"c.d":null}'],
  [
    '{"n":18446744073709551616,"f":1.50,"s":"\\u00e9"}',
    '{"n":18446744073709551616,"f":1.50,"s":"\\u00e9"}',
  ],
  ['{"l":[{"a":1},{"a":2}]}', '{"l":"[{\\"a\\":1},{\\"a\\":2}]"}'],
  ['{"l":["{",1],"v":[[0.5],[1]]}', '{"l":["{",1],"v":[[0.5],[1]]}'],
  ['{"a.b":1,"a":{"b":2}}', 'fault: two values are named "a.b" without nesting'],
  ["[1]", 'fault: expected a JSON object, got "[1]"'],
])("%s becomes %s", (text, expected) => {
  expect(flat(text)).toBe(expected);
});

test("members that are kept stay objects", () => {
  const text = '{"sparse":{"a":0.5},"m":{"sparse":{"a":1}}}';
  expect(flat(text, ["sparse", "m.sparse"])).toBe('{"sparse":{"a":0.5},"m.sparse":{"a":1}}');
});

test("bytes that are no UTF-8 are not replaced", () => {
  const text = Buffer.from('{"a":"\xff"}', "latin1");
  expect(flattenObject(text, () => false)).toBe("the row must be UTF-8");
});

type Nested = string | { [name: string]: Nested };

test("random objects have the values of a naive walk", () => {
  const seed = 20_261_128;
  const random = seededRandom(seed);
  for (let run = 0; run < 300; run++) {
    const expected: Record<string, string> = {};
    let count = 0;
    const object = (prefix: string, depth: number): { [name: string]: Nested } => {
      const members: { [name: string]: Nested } = {};
      for (let i = random.below(4); i > 0; i--) {
        const name = `m${count++}`;
        const isObject = depth < 6 && random.below(2) === 0;
        if (!isObject) expected[prefix + name] = `{"${count}`;
        members[name] = isObject ? object(`${prefix}${name}.`, depth + 1) : `{"${count}`;
      }
      return members;
    };
    const text = JSON.stringify(object("", 0));
    expect(JSON.parse(flat(text)), `seed ${seed}, run ${run}`).toEqual(expected);
  }
});
