import { expect, test } from "vitest";
import {
  type MakeView,
  randomSchema,
  segmentViewConformance,
} from "../../test/conformance/segment-view.ts";
import { randomDocuments } from "../../test/support/random-documents.ts";
import { TestSegmentMemory } from "../../test/support/test-segment-memory.ts";
import type { SegmentId } from "../base/ids.ts";
import { type Random, seededRandom } from "../base/random.ts";
import { clearBit, fullBitmap } from "../codec/bitmap.ts";
import { buildDocuments, type TypedDocument } from "../codec/columns-builder.ts";
import { decodeFrame, encodeFrame } from "../codec/frame.ts";
import type { AttributeType, IdType } from "../model/attribute-type.ts";
import type { Schema } from "../model/schema.ts";
import { Memtable } from "./memtable.ts";
import type { SegmentPlan } from "./segment-format.ts";
import { planMerge } from "./segment-merger.ts";
import { type OpenSegment, openSegment } from "./segment-reader.ts";
import { sealSegment, verifySegment } from "./segment-seal.ts";
import { planSegment } from "./segment-writer.ts";

const ID = "s" as SegmentId;

function write(plan: SegmentPlan, memory: TestSegmentMemory): OpenSegment {
  const block = memory.allocate(plan.bytes);
  plan.writeTo(block.bytes);
  return openSegment(ID, block.bytes, block);
}

function typesOf(schema: Schema): Map<string, AttributeType> {
  return new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
}

function segmentOf(
  documents: readonly TypedDocument[],
  schema: Schema,
  memory: TestSegmentMemory,
): OpenSegment {
  const columns = buildDocuments(schema.idType as IdType, typesOf(schema), documents);
  return write(planSegment(columns, schema), memory);
}

const written: MakeView = (documents, schema) => {
  const memory = new TestSegmentMemory();
  const view = segmentOf(documents, schema, memory);
  return { view, memory: (arena) => memory.buffer(arena) };
};

/** Cuts the documents into parts and puts dead ones between them. */
const merged: MakeView = (documents, schema, random) => {
  const memory = new TestSegmentMemory();
  const inputs = [];
  for (let start = 0; start < documents.length; ) {
    const end = start + 1 + random.below(documents.length);
    const part = withDead(documents.slice(start, end), schema, random);
    // Some inputs have other indexes than the merge is asked for.
    const other = { ...schema, attributes: withoutIndexes(schema, random) };
    const view = segmentOf(part.documents, random.below(3) === 0 ? other : schema, memory);
    inputs.push({ view, live: part.live });
    start = end;
  }
  const view = write(planMerge(inputs, schema), memory);
  return { view, memory: (arena) => memory.buffer(arena) };
};

const stored: MakeView = (documents, schema) => {
  const sealed = sealSegment(segmentOf(documents, schema, new TestSegmentMemory()));
  verifySegment(sealed);
  return { view: openSegment(ID, sealed, { arena: 0, offset: 0 }), memory: () => sealed.buffer };
};

function withDead(
  alive: readonly TypedDocument[],
  schema: Schema,
  random: Random,
): { documents: TypedDocument[]; live: Uint32Array } {
  const count = random.below(5);
  const types = typesOf(schema);
  const options = { idType: schema.idType as IdType, types, space: 1_000_000 };
  const dead = randomDocuments(random, count, options);
  const ids = new Set(alive.map(({ id }) => id));
  const documents = [...alive];
  const isDead = documents.map(() => false);
  for (const document of dead.filter(({ id }) => !ids.has(id))) {
    const at = random.below(documents.length + 1);
    documents.splice(at, 0, document);
    isDead.splice(at, 0, true);
  }
  const live = fullBitmap(documents.length);
  for (let ordinal = 0; ordinal < isDead.length; ordinal++) {
    if (isDead[ordinal]) clearBit(live, ordinal);
  }
  return { documents, live };
}

function withoutIndexes(schema: Schema, random: Random): Schema["attributes"] {
  return new Map(
    [...schema.attributes].map(([name, attribute]) => {
      const { fullTextSearch, regex, ...rest } = attribute;
      if (fullTextSearch === undefined || random.below(2) === 0) {
        return [name, { type: attribute.type, filterable: !attribute.filterable }];
      }
      const other = { ...fullTextSearch, caseSensitive: true, removeStopwords: false };
      return [name, { ...rest, fullTextSearch: other }];
    }),
  );
}

segmentViewConformance("a written segment", written);
segmentViewConformance("a merged segment", merged);
segmentViewConformance("a stored segment", stored);

test("a segment goes through the frame of an object to a memtable and back", async () => {
  const schema = randomSchema(seededRandom(1), "uint");
  const types = typesOf(schema);
  const documents = randomDocuments(seededRandom(2), 20, { idType: "uint", types });
  const sealed = sealSegment(segmentOf(documents, schema, new TestSegmentMemory()));
  const frame = {
    kind: "segment",
    object: "here",
    version: 1,
    parts: [sealed],
    compression: "if smaller",
  } as const;
  const expected = { kind: "segment", object: "here", oldest: 1, newest: 1 } as const;
  const { payload } = await decodeFrame(await encodeFrame(frame), expected);
  const memtable = new Memtable({ memory: new TestSegmentMemory(), newSegmentId: () => ID });
  memtable.addSegment(ID, payload);
  expect(sealSegment(memtable.segments[0].view)).toEqual(sealed);
});

test("a segment of a later format version is too new", () => {
  const documents = randomDocuments(seededRandom(3), 2, { idType: "uint", types: new Map() });
  const schema = { ...randomSchema(seededRandom(3), "uint"), attributes: new Map() };
  const sealed = sealSegment(segmentOf(documents, schema, new TestSegmentMemory()));
  sealed[4] = 2;
  expect(() => verifySegment(sealed)).toThrow("format version 2, this server reads 1");
});
