import { expect, test } from "vitest";
import { encodeStoredSegment } from "../../../test/support/segments/encode-stored-segment.ts";
import { planSegment } from "../../../test/support/segments/plan-segment.ts";
import { KIB } from "../../base/byte-sizes.ts";
import type { Ordinal, SegmentId } from "../../base/ids.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { buildDocuments } from "../../codec/columns-builder.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { DocumentColumns } from "../../model/columns.ts";
import { EMPTY_SCHEMA, type Schema } from "../../model/schema.ts";
import { openSegment } from "../segment-reader.ts";
import { openStoredSegment } from "../stored-segment-reader.ts";
import { BlockSource } from "./byte-source.ts";
import { DecodedDocuments } from "./decoded-documents.ts";

test.each([1, 2, 3])("keeps what was used last, as a plain list does, seed %i", (seed) => {
  const random = seededRandom(seed);
  const bytesMax = 40 * KIB;
  const decoded = new DecodedDocuments(bytesMax);
  const readers = [decoded.addReader(), decoded.addReader(), decoded.addReader()];
  let list: { reader: number; block: number; bytes: number; columns: DocumentColumns }[] = [];
  const bytesOf = () => list.reduce((sum, { bytes }) => sum + bytes, 0);
  for (let round = 0; round < 3_000; round++) {
    const reader = readers[random.below(readers.length)];
    const block = random.below(12);
    const known = list.find((entry) => entry.reader === reader && entry.block === block);
    expect(decoded.get(reader, block)).toBe(known?.columns);
    list = list.filter((entry) => entry !== known);
    if (known !== undefined) {
      list.push(known);
      continue;
    }
    const size = random.below(6 * KIB);
    const columns = { count: round } as DocumentColumns;
    decoded.add(reader, block, columns, size);
    const bytes = Math.max(size, KIB);
    while (list.length > 0 && bytesOf() + bytes > bytesMax) list.shift();
    list.push({ reader, block, bytes, columns });
    expect(decoded.bytes).toBe(bytesOf());
    expect(decoded.bytes).toBeLessThanOrEqual(bytesMax);
  }
});

test("one block is kept, however large", () => {
  const decoded = new DecodedDocuments(10);
  const reader = decoded.addReader();
  const columns = { count: 1 } as DocumentColumns;
  decoded.add(reader, 7, columns, 99 * KIB);
  expect(decoded.get(reader, 7)).toBe(columns);
  decoded.add(reader, 8, { count: 2 } as DocumentColumns, 5);
  expect(decoded.get(reader, 7)).toBeUndefined();
});

test("many segments share one bound", () => {
  const type: AttributeType = { kind: "scalar", of: "string" };
  const types = new Map([["text", type]]);
  const attributes = new Map([["text", { type, filterable: false }]]);
  const schema: Schema = { ...EMPTY_SCHEMA, idType: "uint", attributes };
  const decoded = new DecodedDocuments(64 * KIB);
  const textOf = (segment: number, id: number) => `${segment} ${id} `.repeat(100);
  const views = Array.from({ length: 20 }, (_, segment) => {
    const documents = Array.from({ length: 64 }, (__, id) => {
      return { id: BigInt(id), attributes: new Map([["text", textOf(segment, id)]]) };
    });
    const plan = planSegment(buildDocuments("uint", types, documents), schema);
    const block = new Uint8Array(plan.bytes);
    runSteps(plan.writeTo(block));
    const place = { arena: 0, offset: 0 };
    const fresh = openSegment("s" as SegmentId, block, place);
    const { content: bytes, head } = encodeStoredSegment(fresh, schema);
    const source = Object.assign(new BlockSource({ ...place, bytes }), { decoded });
    return openStoredSegment("s" as SegmentId, head, () => source);
  });
  for (let round = 0; round < 2; round++) {
    for (let id = 0; id < 64; id += 7) {
      for (const [segment, view] of views.entries()) {
        expect(view.column("text")?.value(id as Ordinal)).toBe(textOf(segment, id));
        expect(decoded.bytes).toBeLessThanOrEqual(64 * KIB);
      }
    }
  }
  expect(decoded.bytes).toBeGreaterThan(32 * KIB);
});
