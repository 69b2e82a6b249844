import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import type { ByteSource } from "./byte-source.ts";
import { FileBytes, PipeBytes } from "./file-bytes.ts";

const folder = mkdtempSync(join(tmpdir(), "trawl-bytes-"));
afterAll(() => rmSync(folder, { recursive: true }));

const TEXT = Array.from({ length: 300_000 }, (_, i) => `line ${i}\n`).join("");
/** Several parts after each other are one file, in both formats. */
const PARTS = [TEXT.slice(0, 1_000_000), TEXT.slice(1_000_000)];

/** A frame that programs may put their own things into. */
const SKIPPABLE = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

const PACKED = [
  ["none", Buffer.from(TEXT)],
  ["gzip", Buffer.concat(PARTS.map((part) => gzipSync(part)))],
  ["zstd", Buffer.concat(PARTS.flatMap((part, i) => [zstdOf(part, i), SKIPPABLE, zstdOf("", i)]))],
] as const;

function zstdOf(text: string, checksumFlag: number): Buffer {
  return zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: checksumFlag } });
}

async function textOf(source: ByteSource, offset = 0): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.open(offset)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}

test.each(PACKED)("a file packed by %s is read from any offset", async (packing, bytes) => {
  const path = join(folder, packing);
  writeFileSync(path, bytes);
  const source = new FileBytes(path);
  expect((await source.head()).subarray(0, 7).toString()).toBe(Buffer.from("line 0\n").toString());
  for (const offset of [0, 1, 999_999, 2_000_001, TEXT.length]) {
    expect((await textOf(source, offset)) === TEXT.slice(offset), `from ${offset}`).toBe(true);
  }
  expect(await textOf(source)).toBe(TEXT);
  // In packed text, the offset is a share of the text, so it counts as that share of the packed
  // bytes.
  expect([source.bytesAt(0), source.bytesAt(TEXT.length)]).toEqual([0, bytes.length]);
  const half = source.bytesAt(TEXT.length / 2);
  expect(Math.abs(half - bytes.length / 2)).toBeLessThan(2);
});

test.each(PACKED)(
  "a pipe packed by %s is read twice, the first time not to its end",
  async (_, bytes) => {
    const source = new PipeBytes(chunksOf(bytes));
    await source.head();
    let sampled = 0;
    for await (const chunk of source.open(0)) {
      sampled += chunk.length;
      if (sampled > 1_500_000) break;
    }
    expect((await textOf(source)) === TEXT).toBe(true);
    expect(source.bytesAt(TEXT.length)).toBe(bytes.length);
  },
);

test("a packed file that is cut off is refused by name", async () => {
  for (const [packing, bytes] of PACKED.slice(1)) {
    const path = join(folder, `cut-${packing}`);
    writeFileSync(path, bytes.subarray(0, bytes.length - 100));
    const outcome = await textOf(new FileBytes(path)).then(
      (text) => `${text.length} bytes`,
      (error: Error) => error.message,
    );
    expect(outcome).toMatch(`${path} is no whole ${packing} file`);
  }
  await expect(textOf(new FileBytes(join(folder, "none-such")))).rejects.toThrow(/none-such/);
});
