import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { unpackHadoopLz4, unpackLz4Block, unpackLz4Frame } from "./lz4.ts";

type Sequence = readonly [literals: string, distance?: number, length?: number];

/** A block of these sequences, and their text put together one letter at a time. */
function blockOf(sequences: readonly Sequence[]): { packed: Uint8Array; text: string } {
  const bytes: number[] = [];
  let text = "";
  for (const [literals, distance, length] of sequences) {
    const extra = (count: number) => {
      const more: number[] = [];
      if (count < 15) return more;
      let left = count - 15;
      for (; left >= 255; left -= 255) more.push(255);
      return [...more, left];
    };
    const match = length === undefined ? 0 : length - 4;
    bytes.push((Math.min(15, literals.length) << 4) | Math.min(15, match));
    bytes.push(...extra(literals.length), ...Buffer.from(literals, "latin1"));
    text += literals;
    if (distance === undefined || length === undefined) continue;
    bytes.push(distance & 0xff, distance >> 8, ...extra(match));
    for (let i = 0; i < length; i++) text += text[text.length - distance];
  }
  return { packed: Uint8Array.from(bytes), text };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

test("random blocks unpack as a naive reader puts them together", () => {
  const seed = 20_261_128;
  const random = seededRandom(seed);
  for (let run = 0; run < 500; run++) {
    const sequences: Sequence[] = [];
    let length = 0;
    for (let i = random.below(8); i > 0; i--) {
      const literals = "x"
        .repeat(1 + random.below(i === 3 ? 600 : 20))
        .replaceAll("x", () => String.fromCharCode(random.below(256)));
      const distance = 1 + random.below(length + literals.length);
      const matched = 4 + random.below(random.below(4) === 0 ? 900 : 20);
      sequences.push([literals, distance, matched]);
      length += literals.length + matched;
    }
    const { packed, text } = blockOf([...sequences, ["the end"]]);
    const message = `seed ${seed}, run ${run}`;
    expect(latin1(unpackLz4Block(packed, text.length)), message).toBe(text);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(text.length);
    head.writeUInt32BE(packed.length, 4);
    const hadoop = Buffer.concat([head, packed, head, packed]);
    expect(latin1(unpackHadoopLz4(hadoop, 2 * text.length)), message).toBe(text + text);
    expect(latin1(unpackHadoopLz4(packed, text.length)), message).toBe(text);
    expect(() => unpackLz4Block(packed, text.length + 1)).toThrow();
    expect(() => unpackLz4Block(packed.subarray(0, packed.length - 1), text.length)).toThrow();
  }
});

/** Output of `lz4` 1.9.4 with the options named. */
test.each([
  [
    "-1",
    "BCJNGGRAp0sAAADxC2xpbmUgMCBvZiBhIHdhbHJ1cyBhdCBzZWEKGgAfMRoABh8yGgAGHzMaAAYfNBoA" +
      "Bh81GgAGHzYaAAYPtgD//////0pQIHNlYQoAAAAANPK1LQ==",
  ],
  [
    "-9 --content-size -BX -B4 -BD",
    "BCJNGHxAGAYAAAAAAADBSwAAAPELbGluZSAwIG9mIGEgd2FscnVzIGF0IHNlYQoaAB8xGgAGHzIaAAYf" +
      "MxoABh80GgAGHzUaAAYfNhoAAQ+2AP//////T1Agc2VhCrXLdCoAAAAANPK1LQ==",
  ],
])("a frame that lz4 %s wrote", (_, base64) => {
  const text = FRAME_LINES.join("");
  expect(latin1(unpackLz4Frame(Buffer.from(base64, "base64"), text.length))).toBe(text);
});

const FRAME_LINES = Array.from({ length: 60 }, (_, i) => `line ${i % 7} of a walrus at sea\n`);

test("a length that no memory has is refused", () => {
  expect(() => unpackLz4Block(Uint8Array.of(0), 2 ** 40)).toThrow("out of range");
});
