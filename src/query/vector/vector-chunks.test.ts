import { expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { setBit } from "../../codec/bitmap.ts";
import type { ColumnView, VectorPlace } from "../../segment/view/segment-view.ts";
import { emptyBits } from "../documents/ordinal-bits.ts";
import { chunksWith, VectorChunks } from "./vector-chunks.ts";

/** Eleven vectors in chunks of four: two in arena 0, the last in arena 1. */
function chunksOf(element: "f32" | "f16" | "i8", strideBytes: number): VectorChunks {
  const type = { kind: "vector", element, dimensions: 3 };
  const chunk = (index: number) => ({ arena: index >> 1, offset: 640 * (index + 1) });
  const place = { chunkRows: 4, strideBytes, chunk } as Partial<VectorPlace> as VectorPlace;
  const column = { column: { type, count: 11 } } as unknown as ColumnView;
  return new VectorChunks(column, place);
}

test.each([
  { element: "f32", strideBytes: 16 },
  { element: "f16", strideBytes: 8 },
  { element: "i8", strideBytes: 3 },
] as const)("places of $element vectors are their addresses in elements", (type) => {
  const { element, strideBytes } = type;
  const bytes = { f32: 4, f16: 2, i8: 1 }[element];
  const places = new Uint32Array(8);
  const ordinals = Uint32Array.of(0, 3, 4, 6, 8, 10);
  const chunks = chunksOf(element, strideBytes);
  expect(chunks.placesOf(ordinals, 0, places)).toEqual({ arena: 0, end: 4 });
  expect([...places.subarray(0, 4)].map((place) => place * bytes)).toEqual([
    640,
    640 + 3 * strideBytes,
    1280,
    1280 + 2 * strideBytes,
  ]);
  expect(chunks.placesOf(ordinals, 4, places)).toEqual({ arena: 1, end: 6 });
  expect(places[1] * bytes).toBe(1920 + 2 * strideBytes);
  expect(chunks.elementRows(1)).toMatchObject({
    block: { arena: 1, offset: 0 },
    strideBytes: bytes,
  });
  expect(chunks.at(2).block.bytes).toBe(3 * strideBytes);
});

test("chunks with a candidate are found", () => {
  const random = testRandom();
  for (let round = 0; round < 200; round++) {
    const count = random.below(400);
    const chunkRows = 1 + random.below(100);
    const candidates = emptyBits(count);
    const expected = new Set<number>();
    const share = 1 + random.below(60);
    for (let ordinal = 0; ordinal < count; ordinal++) {
      if (random.below(share) > 0) continue;
      setBit(candidates, ordinal);
      expected.add(Math.floor(ordinal / chunkRows));
    }
    expect(chunksWith(candidates, chunkRows)).toEqual([...expected]);
  }
});
