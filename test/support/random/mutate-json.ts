/** Damage to JSON bodies, from a wrong value in the right place to random bytes. */

import type { Random } from "../../../src/base/random.ts";

/** A damaged body, and whether it is to be sent as gzip. */
export interface Mutant {
  readonly body: Uint8Array;
  readonly gzip: "none" | "whole" | "damaged";
}

/** Values that look right, nearly right, or like nothing that was expected. */
const VALUES: readonly string[] = [
  ...["null", "true", "false", "0", "-0", "1", "-1", "1.5", "1e400", "-1e-400", "1e5"],
  ...["9007199254740993", "18446744073709551615", "18446744073709551616", "-9223372036854775809"],
  ...["123456789012345678901234567890", "0.1e-999999999", '""', '"x"', '"id"', '"\\u0000"'],
  ...['"\\ud800"', '"🐡"', '"2024-02-30"', '"////"', '"Eq"', '"constructor"', '"__proto__"'],
  ...["[]", "{}", "[[]]", "[null]", "[{}]", '{"a":1}', '{"":{}}', "[1,2,3]", "[1,[2,[3]]]"],
  ...[
    '["id","Eq",1]',
    '["And",[]]',
    '["And",5]',
    '["Not"]',
    '["vector","ANN",[1]]',
    '"a".b',
    "NaN",
  ],
  ...[
    '{"__proto__":1}',
    '{"$ref_new":"n"}',
    '["Embed","x"]',
    '{"total":1,"per":{}}',
    "{",
    "]",
    ",",
  ],
];

/** Bytes that are not UTF-8. */
const NOT_UTF8 = [[0xff], [0xc0, 0xaf], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]];

const DEPTH = 200;

/** Damages the body `text`, once or a few times. */
export function mutateJson(random: Random, text: string): Mutant {
  let body = text;
  for (let times = random.below(4) === 0 ? 3 : 1; times > 0; times--)
    body = mutateText(random, body);
  let bytes: Uint8Array = Buffer.from(body);
  if (random.below(6) === 0) bytes = mutateBytes(random, bytes);
  const gzip = random.below(12);
  return { body: bytes, gzip: gzip === 0 ? "damaged" : gzip === 1 ? "whole" : "none" };
}

/** One change that keeps most of the text's grammar, most of the time. */
function mutateText(random: Random, text: string): string {
  const spans = valueSpans(text);
  if (spans.length === 0) return text;
  const span = spans[random.below(spans.length)];
  const [start, end] = span;
  const value = text.slice(start, end);
  const replace = (by: string) => text.slice(0, start) + by + text.slice(end);
  switch (random.below(9)) {
    case 0:
    case 1:
    case 2:
      return replace(VALUES[random.below(VALUES.length)]);
    case 3: {
      // A value from elsewhere in the body.
      const [from, to] = spans[random.below(spans.length)];
      return replace(text.slice(from, to));
    }
    case 4:
      return replace(`${value},${value}`);
    case 5: {
      const depth = 1 + random.below(DEPTH);
      return replace("[".repeat(depth) + value + "]".repeat(depth));
    }
    case 6:
      return duplicateMember(random, text);
    case 7:
      return text.slice(0, random.below(text.length + 1));
    default:
      return replace(value.startsWith('"') ? `"${"x".repeat(1 << random.below(16))}"` : "1");
  }
}

/** Repeats one `"name":value` of the body, at its end. */
function duplicateMember(random: Random, text: string): string {
  const members = [...text.matchAll(/"[^"\\]*":(?:"[^"\\]*"|-?[\d.]+|true|false|null)/g)];
  if (members.length === 0) return text;
  const [member] = members[random.below(members.length)];
  return text.replace(/\}$/, `,${member}}`);
}

function mutateBytes(random: Random, bytes: Uint8Array): Uint8Array {
  const at = random.below(bytes.length + 1);
  switch (random.below(4)) {
    case 0:
      return splice(bytes, at, NOT_UTF8[random.below(NOT_UTF8.length)]);
    case 1:
      return splice(bytes, at, random.bytes(1 + random.below(8)));
    case 2:
      return bytes.map((byte, i) => (i === at ? byte ^ (1 << random.below(8)) : byte));
    default:
      return random.bytes(random.below(100));
  }
}

function splice(bytes: Uint8Array, at: number, inserted: ArrayLike<number>): Uint8Array {
  return Buffer.concat([bytes.subarray(0, at), Uint8Array.from(inserted), bytes.subarray(at)]);
}

/** Where each value of a body begins and ends; good enough for bodies that were damaged before. */
function valueSpans(text: string): [number, number][] {
  const spans: [number, number][] = [];
  const open: number[] = [];
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{}]/g)) {
    const [token] = match;
    const end = match.index + token.length;
    if (token === "[" || token === "{") open.push(match.index);
    else if (token === "]" || token === "}") {
      const start = open.pop();
      if (start !== undefined) spans.push([start, end]);
    } else spans.push([match.index, end]);
  }
  return spans;
}
