import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { unpackGzip } from "../../console/screens/import/unpack-gzip.ts";
import { seededRandom } from "../../src/base/random.ts";

async function unpack(bytes: Uint8Array, chunkBytes: () => number): Promise<string> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; ) {
      const end = at + chunkBytes();
      yield bytes.subarray(at, end);
      at = end;
    }
  }
  const texts: Uint8Array[] = [];
  for await (const text of unpackGzip(chunks(), "a.gz")) texts.push(text);
  return Buffer.concat(texts).toString();
}

test("files of several members are unpacked as a whole, wherever they are cut", async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = seededRandom(seed);
    const parts = Array.from(
      { length: 1 + random.below(4) },
      (_, i) => `${i} ${"word ".repeat(random.below(2000))}`,
    );
    const packed = Buffer.concat(parts.map((part) => gzipSync(part)));
    const most = random.below(2) === 0 ? 3 : packed.length;
    const text = await unpack(packed, () => 1 + random.below(most));
    expect(text, `seed ${seed}`).toBe(parts.join(""));
  }
});

test("what is longer than what is handed on at once comes whole", async () => {
  const text = "0123456789abcdef".repeat(100_000);
  expect(await unpack(gzipSync(text), () => 1000)).toBe(text);
});

test("a member that ends with a chunk does not end the file", async () => {
  const first = gzipSync("first ");
  const packed = Buffer.concat([first, gzipSync("second")]);
  expect(await unpack(packed, () => first.length)).toBe("first second");
});

test("what is cut off, or was changed, is refused", async () => {
  const packed = gzipSync("a text that is long enough to be cut off somewhere");
  for (const end of [packed.length - 1, packed.length - 9, 12]) {
    await expect(unpack(packed.subarray(0, end), () => 7)).rejects.toThrow(
      "a.gz is no whole gzip file: unexpected end of file",
    );
  }
  const changed = Buffer.from(packed);
  changed[changed.length - 7] ^= 1;
  await expect(unpack(changed, () => 1000)).rejects.toThrow(
    "a.gz is no whole gzip file: incorrect data check",
  );
});
