import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { damagedBytes, readOutcome } from "../../test/support/random/damaged-bytes.ts";
import { joinPieces, type Pieces } from "../base/pieces.ts";
import { seededRandom } from "../base/random.ts";
import {
  COMPRESS_BYTES_MIN,
  COMPRESS_INLINE_BYTES_MAX,
  compress,
  decompress,
} from "./compression.ts";
import { decodeFrame, decodeFrameHeader, encodeFrame, FRAME_HEADER_BYTES } from "./frame.ts";

const SEED = 5;
const expected = { kind: "manifest", object: "n/manifest/1", oldest: 2, newest: 3 } as const;
const text = new TextEncoder().encode("to be or not to be ".repeat(250));
const encode = (payload: Uint8Array, version = 2) =>
  encodeFrame({
    kind: "manifest",
    object: expected.object,
    version,
    parts: [payload],
    compression: "if smaller",
  });

describe("frame", () => {
  test("a payload comes back, compressed if that saves, joined from its parts", async () => {
    const random = seededRandom(SEED);
    const noise = random.bytes(300);
    const large = new Uint8Array(COMPRESS_INLINE_BYTES_MAX * 5).fill(7);
    for (const payload of [new Uint8Array(0), text, noise, large]) {
      const object = await encode(payload);
      const opened = await decodeFrame(object, expected);
      expect(opened.version).toBe(2);
      expect(Buffer.compare(opened.payload, payload)).toBe(0);
      const { compressed } = decodeFrameHeader(object, expected);
      expect(compressed).toBe(payload === text || payload === large);
    }
    const parts = [text, noise, text];
    const joined = await encodeFrame({ ...expected, version: 3, parts, compression: "never" });
    expect(joined.length).toBe(FRAME_HEADER_BYTES + text.length * 2 + noise.length);
    const { payload } = await decodeFrame(joined, expected);
    expect(Buffer.compare(payload, Buffer.concat(parts))).toBe(0);
  });

  test("the bytes of version 1 of the header are these", async () => {
    const parts = [new TextEncoder().encode("hello")];
    const object = await encodeFrame({
      kind: "WAL entry",
      object: "n/wal/1",
      version: 1,
      parts,
      compression: "never",
    });
    expect(Buffer.from(object).toString("hex")).toBe(
      "5452465201000100" +
        "0500000000000000" +
        "0500000000000000" +
        "86a61036" +
        "b345b188" +
        "68656c6c6f",
    );
  });

  test("an object under another key is corrupt", async () => {
    const object = await encode(text);
    const elsewhere = { ...expected, object: "m/manifest/1" };
    await expect(decodeFrame(object, elsewhere)).rejects.toThrow(
      "manifest m/manifest/1: header is damaged, or the object belongs under another key",
    );
  });

  test("shared memory is framed and opened as any other", async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(text.length));
    shared.set(text);
    const object = await encode(shared);
    const sharedObject = new Uint8Array(new SharedArrayBuffer(object.length));
    sharedObject.set(object);
    const { payload } = await decodeFrame(sharedObject, expected);
    expect(Buffer.compare(payload, text)).toBe(0);
  });

  test("too old, too new, foreign and wrong kinds are told apart by object", async () => {
    const fail = async (object: Uint8Array, kind: "manifest" | "segment" = "manifest") => {
      const outcome = decodeFrame(object, { ...expected, kind });
      await expect(outcome).rejects.toThrow("n/manifest/1");
      return outcome.catch((error) => `${error.code}: ${error.message}`);
    };
    expect(await fail(await encode(text, 1))).toBe(
      "too_old: cannot read manifest n/manifest/1: format version 1, this server reads 2 to 3",
    );
    expect(await fail(await encode(text, 4))).toMatch(/^too_new: .*version 4, this server reads 2/);
    expect(await fail(await encode(text), "segment")).toMatch(
      /^corrupt: .*kind 2, a segment has 3/,
    );
    expect(await fail(text)).toMatch(/^corrupt: .*does not begin with TRFR/);
    expect(await fail(new Uint8Array(0))).toMatch(/^corrupt: .*0 bytes/);
  });

  test("objects of development versions are too old, whatever their version", async () => {
    for (const version of [1, 2, 3]) {
      const object = await encode(text, version);
      object.set(new TextEncoder().encode("TRWL"));
      await expect(decodeFrame(object, expected)).rejects.toMatchObject({ code: "corrupt" });
      const sum = crc32(expected.object, crc32(object.subarray(0, 28)));
      new DataView(object.buffer, object.byteOffset).setUint32(28, sum, true);
      await expect(decodeFrame(object, expected)).rejects.toMatchObject({
        code: "too_old",
        message:
          "cannot read manifest n/manifest/1: " +
          "it was written by a development version before 0.2.0",
      });
    }
  });

  test("damage of any kind is corrupt; only whole headers are too old or too new", async () => {
    const random = seededRandom(SEED);
    for (let round = 0; round < 1000; round++) {
      const whole = await encode(round % 2 === 0 ? text : random.bytes(50), 1 + random.below(4));
      const damaged = damagedBytes(whole, random);
      if (Buffer.compare(damaged, whole) === 0) continue;
      const outcome = await readOutcome(() => decodeFrame(damaged, expected));
      const code = "code" in outcome ? outcome.code : "served";
      expect(["corrupt", "too_new", "too_old"], `seed ${SEED}, round ${round}`).toContain(code);
      const headerIsWhole = Buffer.compare(damaged.subarray(0, 32), whole.subarray(0, 32)) === 0;
      if (!headerIsWhole) expect(code, `seed ${SEED}, round ${round}`).toBe("corrupt");
    }
  });
});

const joined = (pieces: Pieces | undefined) => pieces && joinPieces(pieces);

describe("compression", () => {
  test("inputs of all sizes come back, or are left alone", async () => {
    const random = seededRandom(SEED);
    for (const size of [0, 1, 4095, 4096, 65_536, 65_537, 400_000]) {
      const input = Uint8Array.from({ length: size }, () => 97 + random.below(4));
      const cut = random.below(size + 1);
      const pieces = [input.subarray(0, cut), new Uint8Array(0), input.subarray(cut)];
      const compressed = joined(await compress(pieces));
      if (compressed === undefined) {
        expect(size).toBeLessThan(COMPRESS_BYTES_MIN);
        continue;
      }
      expect(Buffer.compare(await decompress(compressed, size, "o"), input)).toBe(0);
    }
    expect(await compress([random.bytes(400_000)])).toBeUndefined();
  });

  test("more bytes than announced are never unpacked", async () => {
    for (const size of [1_000, 10_000_000]) {
      const compressed = joined(await compress([new Uint8Array(size)])) ?? new Uint8Array(0);
      for (const announced of [0, size - 1, size + 1]) {
        await expect(decompress(compressed, announced, "the/object")).rejects.toMatchObject({
          code: "corrupt",
          message: expect.stringContaining("the/object"),
        });
      }
    }
  });
});
