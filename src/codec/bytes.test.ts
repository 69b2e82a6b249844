import { describe, expect, test } from "vitest";
import { readOutcome } from "../../test/support/random/damaged-bytes.ts";
import { type Random, seededRandom } from "../base/random.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";

const SEED = 3;

/** Writes one value of a random kind and returns how to read it and what must come. */
function writeAny(writer: ByteWriter, random: Random): [(reader: ByteReader) => unknown, unknown] {
  const u64 = BigInt.asUintN(
    64,
    new DataView(random.bytes(8).buffer as ArrayBuffer).getBigInt64(0),
  );
  switch (random.below(5)) {
    case 0: {
      const value = random.below(256);
      writer.u8(value);
      return [(reader) => reader.u8(), value];
    }
    case 1: {
      const value = random.below(2 ** 32);
      writer.u32(value);
      return [(reader) => reader.u32(), value];
    }
    case 2:
      writer.u64(u64);
      return [(reader) => reader.u64(), u64];
    case 3: {
      const value = Math.floor(2 ** (random.next() * 53));
      writer.varint(value);
      return [(reader) => reader.varint(), value];
    }
    default: {
      const value = random.bytes(random.below(400));
      writer.bytes(value);
      return [(reader) => reader.bytes(), value];
    }
  }
}

describe("ByteWriter and ByteReader", () => {
  test("reading gives back what was written, and ends where it ended", () => {
    const random = seededRandom(SEED);
    for (let round = 0; round < 100; round++) {
      const writer = new ByteWriter(1 + random.below(20));
      const steps = Array.from({ length: random.below(40) }, () => writeAny(writer, random));
      expect(writer.finish().length).toBe(writer.length);
      const reader = new ByteReader(writer.finish(), "object");
      for (const [read, expected] of steps) {
        expect(read(reader), `seed ${SEED}, round ${round}`).toEqual(expected);
      }
      reader.end();
    }
  });

  test("the edges of varints", () => {
    for (const value of [0, 127, 128, 16_383, 16_384, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      const writer = new ByteWriter();
      writer.varint(value);
      expect(new ByteReader(writer.finish(), "o").varint()).toBe(value);
    }
    for (const bytes of [[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], Array(9).fill(0x80)]) {
      expect(() => new ByteReader(Uint8Array.from(bytes), "o").varint()).toThrow(/out of range/);
    }
    expect(() => new ByteWriter().varint(-1)).toThrow(/assertion/);
    expect(() => new ByteWriter().varint(0.5)).toThrow(/assertion/);
  });

  test("bytes are views, also of shared memory", () => {
    const writer = new ByteWriter();
    writer.bytes(Uint8Array.of(1, 2));
    const shared = new Uint8Array(new SharedArrayBuffer(writer.length));
    shared.set(writer.finish());
    const reader = new ByteReader(shared, "o");
    expect(reader.bytes().buffer).toBe(shared.buffer);
  });

  test("random bytes give values or corrupt, and the object is named", async () => {
    const random = seededRandom(SEED);
    for (let round = 0; round < 2000; round++) {
      const reader = new ByteReader(random.bytes(random.below(12)), "the/object");
      const reads = [
        () => reader.varint(),
        () => reader.u64(),
        () => reader.bytes(),
        () => reader.end(),
      ];
      const outcome = await readOutcome<unknown>(reads[random.below(reads.length)]);
      if ("code" in outcome) expect(outcome.code).toBe("corrupt");
    }
    expect(() => new ByteReader(new Uint8Array(1), "the/object").u32()).toThrow(/the\/object/);
  });
});
