import { constants as ZLIB, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { unpackZstd } from "../../console/screens/import/unpack-zstd.ts";
import { unpackZstd as unpackByNode } from "../../src/transfer/read/unpack-zstd.ts";
import { testRandom } from "../support/random/seed.ts";

const WITH_SUM = { params: { [ZLIB.ZSTD_c_checksumFlag]: 1 } };

async function* cut(bytes: Uint8Array, chunkBytes: () => number) {
  for (let at = 0; at < bytes.length; ) {
    const end = at + chunkBytes();
    yield bytes.subarray(at, end);
    at = end;
  }
}

async function textOf(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const texts: Uint8Array[] = [];
  for await (const text of parts) texts.push(text);
  return Buffer.concat(texts).toString("latin1");
}

const unpack = (bytes: Uint8Array, chunkBytes: () => number = () => 1000) =>
  textOf(unpackZstd(cut(bytes, chunkBytes), "a.zst"));

/** A frame that decompressors pass over. */
function skippable(bytes: number): Buffer {
  const frame = Buffer.alloc(8 + bytes, 0x28);
  frame.writeUInt32LE(0x184d2a53, 0);
  frame.writeUInt32LE(bytes, 4);
  return frame;
}

test("files of any frames have the text that Node unpacks, wherever they are cut", async () => {
  const random = testRandom();
  for (let i = 0; i < 60; i++) {
    const frames = Array.from({ length: 1 + random.below(4) }, (_, number) => {
      if (random.below(6) === 0) return skippable(random.below(50));
      const words = Array.from(
        { length: random.below(4000) },
        () => `${number} ${random.below(99)}`,
      );
      return zstdCompressSync(words.join(" "), random.below(2) === 0 ? WITH_SUM : {});
    });
    const packed = Buffer.concat(frames);
    const most = random.below(2) === 0 ? 3 : packed.length;
    const text = await unpack(packed, () => 1 + random.below(most));
    expect(text).toBe(
      await textOf(
        unpackByNode(
          cut(packed, () => 1000),
          1000,
        ),
      ),
    );
  }
});

test("a text larger than its window comes whole", async () => {
  const text = Array.from({ length: 300_000 }, (_, i) => `line ${i * 7919}\n`).join("");
  const params = { [ZLIB.ZSTD_c_checksumFlag]: 1, [ZLIB.ZSTD_c_windowLog]: 15 };
  expect((await unpack(zstdCompressSync(text, { params }), () => 5000)) === text).toBe(true);
});

test("what is cut off is refused, wherever", async () => {
  const packed = zstdCompressSync("a text that is long enough to be cut off somewhere", WITH_SUM);
  for (let end = 1; end < packed.length; end++) {
    await expect(unpack(packed.subarray(0, end)), `${end}`).rejects.toThrow(
      "a.zst is no whole zstd file: ",
    );
  }
});

test("a text that was changed is refused by its checksum", async () => {
  const noise = Uint8Array.from({ length: 1000 }, testRandom().next);
  const packed = zstdCompressSync(Buffer.from(noise.map((_, i) => (i * 7919) >> 3)), WITH_SUM);
  const changed = Buffer.from(packed);
  changed[changed.length - 1] ^= 1;
  await expect(unpack(changed)).rejects.toThrow(
    "a.zst is no whole zstd file: its text is not that of its checksum",
  );
});

test("what follows the frames is refused, and so is a window beyond memory", async () => {
  const packed = zstdCompressSync("text", WITH_SUM);
  await expect(unpack(Buffer.concat([packed, Buffer.from("more than five")]))).rejects.toThrow(
    "a.zst is no whole zstd file: something else follows its frames",
  );
  // A frame of a window of 2^(10 + 18) bytes, which says no more.
  const large = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 18 << 3, 0, 0, 0]);
  await expect(unpack(large)).rejects.toThrow("a frame needs 268435456 bytes of memory");
});
