import { describe, expect, test } from "vitest";
import { schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { segmentForms, writtenSegment } from "../../../test/support/segments/segment-forms.ts";
import { TestSegmentMemory } from "../../../test/support/segments/test-segment-memory.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { seededRandom } from "../../base/random.ts";
import { bitmapOrdinals } from "../../codec/bitmap.ts";
import type { TypedDocument } from "../../codec/columns-builder.ts";
import { ArrayUnpacker } from "../../codec/columns-packing.ts";
import { idAt } from "../../codec/columns-value.ts";
import type { IdType } from "../../model/attribute-type.ts";
import { compareScalars, type DocumentId } from "../../model/value.ts";
import { sealInPlace } from "../format/segment-format.ts";
import { sealSegment, verifySegment } from "../segment-seal.ts";
import type { SegmentView } from "../view/segment-view.ts";
import { FENCE_ENTRIES, ID_ORDER, ID_ORDER_SECTIONS } from "./id-order-section.ts";

/** The least segments that have one, and one document more, so that the last fence has a rest. */
const COUNT = 8193;

const ID_OF: Readonly<Record<IdType, (number: number) => DocumentId>> = {
  uint: (number) => BigInt(number) * 3n ** 20n,
  uuid: (number) => `${number.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`,
  string: (number) => `id ${number}`,
};

/** Documents in an order of their own. */
function documentsOf(idType: IdType, count = COUNT): TypedDocument[] {
  const at = (i: number): number => (i * 7919) % count;
  return Array.from({ length: count }, (_, i) => {
    return { id: ID_OF[idType](at(i)), attributes: new Map([["n", BigInt(at(i))]]) };
  });
}

function expectOrder(view: SegmentView, where: string): void {
  const order = view.index(ID_ORDER, "");
  if (order === undefined) throw new Error(`${where}: ids are in no order`);
  const { ids, documentCount } = view;
  const idOf = (ordinal: number): DocumentId => idAt(ids, ordinal);
  const expected = Array.from({ length: documentCount }, (_, o) => idOf(o)).sort(compareScalars);
  const entries = order.entries(0, documentCount);
  expect(Array.from(entries, idOf), where).toEqual(expected);
  expect([...(order.peekEntries(5, 9) ?? entries.subarray(5, 9))]).toEqual([
    ...entries.subarray(5, 9),
  ]);
  const { isAscending, fences, milestones } = order;
  expect(isAscending, where).toBe(false);
  expect([...fences], where).toEqual([...entries].filter((_, i) => i % FENCE_ENTRIES === 0));
  expect(milestones.length, where).toBe(7);
  milestones.forEach((milestone, m) => {
    const before = [...entries.subarray(0, milestone)].sort((a, b) => a - b);
    expect([...bitmapOrdinals(order.bitmap(m))], where).toEqual(before);
  });
}

describe.each(["uint", "uuid", "string"] as const)("ids of type %s", (idType) => {
  const schema = schemaOf({ n: "int" }, { idType });

  test("segments of every origin have them in order", () => {
    const memory = new TestSegmentMemory();
    const random = seededRandom(48_101);
    const forms = segmentForms(documentsOf(idType), { schema, random, memory });
    for (const { name, view } of forms) expectOrder(view, name);
  });

  test("where they ascend that is all there is to say", () => {
    const documents = documentsOf(idType).sort((a, b) => compareScalars(a.id, b.id));
    const segment = writtenSegment(documents, { schema, memory: new TestSegmentMemory() });
    const { ordinals, bitmaps, directory } = ID_ORDER_SECTIONS;
    const sections = segment.sections("");
    expect([ordinals, bitmaps].map((kind) => sections.entry(kind))).toEqual([undefined, undefined]);
    expect(sections.entry(directory)?.bytes).toBe(64);
    expect(segment.index(ID_ORDER, "")).toMatchObject({ isAscending: true, ordinalCount: COUNT });
    expect(segment.index(ID_ORDER, "")?.peekEntries(70, 73)).toEqual(Uint32Array.of(70, 71, 72));
    verifySegment(sealSegment(segment));
  });

  test("small segments have none", () => {
    const memory = new TestSegmentMemory();
    const segment = writtenSegment(documentsOf(idType, 8191), { schema, memory });
    expect(segment.hasIndex(ID_ORDER, "")).toBe(false);
    expect(segment.index(ID_ORDER, "")).toBe(undefined);
  });
});

describe("what a store gives is checked", () => {
  const schema = schemaOf({ n: "int" });
  const memory = new TestSegmentMemory();
  const documents = documentsOf("uint");
  const segment = writtenSegment(documents, { schema, memory });
  const inOrder = [...documents].sort((a, b) => compareScalars(a.id, b.id));
  const ascending = writtenSegment(inOrder, { schema, memory });
  const { directory, ordinals, bitmaps } = ID_ORDER_SECTIONS;

  /** Changes words of a section, with checksums that are right; tells whether that is refused. */
  const isRefused = (
    change: (words: Uint32Array) => unknown,
    kind: number,
    of = segment,
    wordsOf = (section: Uint8Array) => {
      return new Uint32Array(section.buffer, section.byteOffset, section.length >> 2);
    },
  ): boolean => {
    const block = sealSegment(of);
    const { offset = 0, bytes = 0 } = of.sections("").entry(kind) ?? {};
    change(wordsOf(block.subarray(offset, offset + bytes)));
    sealInPlace(block);
    try {
      verifySegment(block);
      return false;
    } catch (error) {
      if (isDatabaseError(error, "corrupt")) return true;
      throw error;
    }
  };
  const unpacked = (which: "fences" | "milestones") => (section: Uint8Array) => {
    const unpacker = new ArrayUnpacker(section, "a directory");
    unpacker.word();
    const fences = unpacker.u32();
    return which === "fences" ? fences : unpacker.u32();
  };

  test("as it was written it is taken", () => {
    for (const kind of [directory, ordinals, bitmaps]) {
      expect(isRefused(() => undefined, kind)).toBe(false);
    }
    expect(isRefused(() => undefined, directory, ascending)).toBe(false);
  });

  test.each([0, 1, 127, 128, 4096, COUNT - 2])("entry %i in another place is refused", (at) => {
    expect(isRefused((words) => words.subarray(at, at + 2).reverse(), ordinals)).toBe(true);
    // One that is there twice, and one that is no ordinal.
    expect(isRefused((words) => words.copyWithin(at, at + 1, at + 2), ordinals)).toBe(true);
    expect(isRefused((words) => words.fill(COUNT, at, at + 1), ordinals)).toBe(true);
  });

  test("fences, milestones and bitmaps that are of something else are refused", () => {
    for (const at of [0, 1, 64]) {
      expect(
        isRefused(
          (words) => words.fill(words[at] + 1, at, at + 1),
          directory,
          segment,
          unpacked("fences"),
        ),
      ).toBe(true);
    }
    for (let at = 0; at < 7; at++) {
      const change =
        (by: number) =>
        (words: Uint32Array): void => {
          words[at] += by;
        };
      for (const by of [-1, 1, COUNT]) {
        expect(isRefused(change(by), directory, segment, unpacked("milestones"))).toBe(true);
      }
    }
    for (const at of [0, 100, 7 * 257 - 1]) {
      expect(isRefused((words) => words.fill(~words[at], at, at + 1), bitmaps)).toBe(true);
    }
  });

  test("ids that do not ascend, and are said to, are refused", () => {
    const wordsOf = (section: Uint8Array) => new Uint32Array(section.buffer, section.byteOffset, 2);
    const flip = (words: Uint32Array) => words.fill(1 - words[1], 1, 2);
    expect(isRefused(flip, directory, segment, wordsOf)).toBe(true);
    expect(isRefused(flip, directory, ascending, wordsOf)).toBe(true);
  });
});
