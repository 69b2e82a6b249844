import { expect, test } from "vitest";
import { testSeed } from "../../../test/support/random/seed.ts";
import { seededRandom } from "../../base/random.ts";
import {
  BODY_PIECE_BYTES,
  BODY_PIECES_SPARE_MAX,
  type BodyPiece,
  BodyPieces,
} from "./body-pieces.ts";

async function* chunksOf(bytes: Uint8Array, cut: () => number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(bytes.length, start + cut());
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function collect(pieces: AsyncIterable<BodyPiece>): Promise<BodyPiece[]> {
  const all: BodyPiece[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

test("the pieces of a body are its bytes, however it is cut into chunks", async () => {
  const seed = testSeed();
  const random = seededRandom(seed);
  for (const most of [1 + random.below(5000), 70_000, 3 * BODY_PIECE_BYTES]) {
    const bytes = random.bytes(2 * BODY_PIECE_BYTES + random.below(BODY_PIECE_BYTES));
    const chunks = chunksOf(bytes.slice(), () => random.below(most));
    const pieces = await collect(new BodyPieces().of(chunks));
    const where = `seed ${seed}, chunks up to ${most}`;
    expect(Buffer.concat(pieces).equals(bytes), where).toBe(true);
    expect(pieces.map(({ length }) => length).slice(0, 2), where).toEqual([
      BODY_PIECE_BYTES,
      BODY_PIECE_BYTES,
    ]);
  }
});

test("an empty body has no pieces, a small one has a piece of its size", async () => {
  const pieces = new BodyPieces();
  expect(await collect(pieces.of(chunksOf(new Uint8Array(0), () => 1)))).toEqual([]);
  const [piece] = await collect(pieces.of(chunksOf(Uint8Array.of(1, 2, 3), () => 2)));
  expect(piece).toEqual(Uint8Array.of(1, 2, 3));
  expect(piece.buffer.byteLength).toBe(3);
});

test("large chunks that have buffers of their own are freed once they are copied", async () => {
  const chunks = [300_000, 20_000, BODY_PIECE_BYTES, 100, 40_000].map((bytes, i) => {
    return new Uint8Array(bytes).fill(i + 1);
  });
  const bytes = Buffer.concat(chunks);
  const window = new Uint8Array(50_000).subarray(1).fill(6);
  async function* body() {
    yield* chunks;
    yield window;
  }
  const pieces = await collect(new BodyPieces().of(body()));
  expect(Buffer.concat(pieces).equals(Buffer.concat([bytes, window]))).toBe(true);
  expect(chunks.map(({ buffer }) => buffer.detached)).toEqual([true, true, true, false, true]);
  expect(window.buffer.detached).toBe(false);
});

test("large pieces that come back are filled again, up to a bound", async () => {
  const pieces = new BodyPieces();
  const bytes = new Uint8Array(BODY_PIECE_BYTES).fill(7);
  const buffers = Array.from(
    { length: BODY_PIECES_SPARE_MAX + 1 },
    () => new ArrayBuffer(BODY_PIECE_BYTES),
  );
  for (const buffer of buffers) pieces.takeBack(new Uint8Array(buffer));
  pieces.takeBack(new Uint8Array(3));
  const seen = new Set<ArrayBuffer>();
  for (let i = 0; i <= BODY_PIECES_SPARE_MAX; i++) {
    const [piece] = await collect(pieces.of(chunksOf(bytes, () => 50_000)));
    expect(Buffer.compare(piece, bytes)).toBe(0);
    seen.add(piece.buffer);
  }
  expect(buffers.filter((buffer) => seen.has(buffer))).toHaveLength(BODY_PIECES_SPARE_MAX);
});
