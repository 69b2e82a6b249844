import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { scanArray, scanObject } from "./scan-object.ts";

function scan(text: string): unknown {
  const bytes = Buffer.from(text);
  const members = scanObject(bytes);
  if (typeof members === "string") return members;
  return members.map(({ name, start, end }) => [name, bytes.subarray(start, end).toString()]);
}

test("members are cut out as they are written", () => {
  expect(scan("{}")).toEqual([]);
  expect(scan('{ "id" : 18446744073709551615 ,"v":[-1.50,2e3, 3] , "t":"a]\\"}" }')).toEqual([
    ["id", "18446744073709551615"],
    ["v", "[-1.50,2e3, 3]"],
    ["t", '"a]\\"}"'],
  ]);
  expect(scan('{"\\u0061\\n":null,"o":{"a":[1,[2,"]"]],"b":{}}}')).toEqual([
    ["a\n", "null"],
    ["o", '{"a":[1,[2,"]"]],"b":{}}'],
  ]);
});

test("elements are cut out as they are written, from anywhere in a text", () => {
  const elements = (text: string, from: number) =>
    scanArray(Buffer.from(text), from)?.map(({ start, end }) => text.slice(start, end));
  expect(elements("[]", 0)).toEqual([]);
  expect(elements('[ 1,-2.50 ,"a]," , [3,[]],{"b":"}"}, null ]', 0)).toEqual([
    "1",
    "-2.50",
    '"a],"',
    "[3,[]]",
    '{"b":"}"}',
    "null",
  ]);
  const whole = '{"rows":[{"id":1},{"id":"]"}],"n":[2]}';
  expect(elements(whole, 8)).toEqual(['{"id":1}', '{"id":"]"}']);
  for (let end = 9; end < whole.indexOf(',"n"') - 1; end++) {
    expect(elements(whole.slice(0, end), 8), `${end} characters`).toBeUndefined();
  }
});

test("what JSON.parse reads is cut as it reads it, and what is cut is balanced", () => {
  const parts = [
    '{"a":',
    '"b":',
    "1",
    "[1,2]",
    "[",
    "]",
    "{",
    "}",
    ",",
    '"x]}"',
    ":",
    " ",
    "[1}",
    '\\"',
  ];
  let objects = 0;
  for (let seed = 1; seed <= 30_000; seed++) {
    const random = seededRandom(seed);
    const pieces = Array.from(
      { length: 1 + random.below(7) },
      () => parts[random.below(parts.length)],
    );
    const text = `{"a":${pieces.join("")}`.trim();
    let parsed: Record<string, unknown> | undefined;
    try {
      parsed = JSON.parse(text);
    } catch {
      parsed = undefined;
    }
    const scanned = scan(text);
    if (parsed !== undefined) {
      objects++;
      expect(Array.isArray(scanned), `seed ${seed}: ${text}`).toBe(true);
      const values = Object.fromEntries(
        (scanned as [string, string][]).map(([name, value]) => [name, JSON.parse(value)]),
      );
      expect(values, `seed ${seed}: ${text}`).toEqual(parsed);
    } else if (Array.isArray(scanned)) {
      // The text is wrong inside of a value: put beside others it still is one element.
      expect(depthAtEnd(text), `seed ${seed}: ${text}`).toEqual([0, 1]);
    }
  }
  expect(objects).toBeGreaterThan(100);
});

/** Open containers behind the text, and how often there were none behind one of its bytes. */
function depthAtEnd(text: string): [depth: number, times: number] {
  let depth = 0;
  let times = 0;
  const bare = text.replace(/"(?:\\.|[^"\\])*"/gs, "");
  for (const char of bare) {
    if (char === "{" || char === "[") depth++;
    if (char === "}" || char === "]") {
      depth--;
      if (depth === 0) times++;
    }
  }
  return [depth, times];
}

test.each([
  ["[1]", 'expected a JSON object, got "[1]"'],
  ['{"a":1} {"b":2}', 'broken JSON: expected one object in a line, got "{\\"b\\":2}" at byte 9'],
  ['{"a":1', "broken JSON: expected a comma or the object's end, got its end at byte 7"],
  ["{'a':1}", `broken JSON: expected the name of a member in quotes, got "'a':1}" at byte 2`],
  ['{"a" 1}', 'broken JSON: expected a colon, got "1}" at byte 6'],
  ['{"a":[1}]}', 'broken JSON: expected a value, got "[1}]}" at byte 6'],
  ['{"a":}', 'broken JSON: expected a value, got "}" at byte 6'],
  [`{"a":${"[".repeat(65)}${"]".repeat(65)}}`, expect.stringContaining("expected a value")],
])("%s is refused", (text, message) => {
  expect(scan(text)).toEqual(message);
});
