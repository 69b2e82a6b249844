import { expect, test } from "vitest";
import {
  type MakeView,
  randomSchema,
  segmentViewConformance,
  TEXT_OPTIONS,
} from "../../test/conformance/segment-view.ts";
import { cases, effort } from "../../test/support/effort.ts";
import { damagedBytes } from "../../test/support/random/damaged-bytes.ts";
import { EVERY_TYPE, randomDocuments } from "../../test/support/random/random-documents.ts";
import { RemoteSource, remoteView } from "../../test/support/segments/remote-segment.ts";
import {
  mergedSegment,
  typesOf,
  writtenSegment,
} from "../../test/support/segments/segment-forms.ts";
import { TestSegmentMemory } from "../../test/support/segments/test-segment-memory.ts";
import { isDatabaseError } from "../base/errors.ts";
import type { Ordinal, SegmentId } from "../base/ids.ts";
import { type Random, seededRandom } from "../base/random.ts";
import { decodeFrame, encodeFrame } from "../codec/frame.ts";
import type { AttributeSchema, Schema } from "../model/schema.ts";
import type { AttributeValue } from "../model/value.ts";
import { headOf, sealInPlace, verifyHead } from "./format/segment-format.ts";
import type { SectionKind } from "./format/segment-layout.ts";
import { ID_SECTIONS } from "./ids/id-section.ts";
import { OpenSegment, openSegment } from "./segment-reader.ts";
import { sealSegment, verifySegment } from "./segment-seal.ts";
import { TEXT_INDEX } from "./text/text-index.ts";
import { TEXT_BLOCKS, TEXT_POSITIONS, TEXT_SECTION } from "./text/text-kinds.ts";
import { VECTOR_SECTIONS } from "./vectors/vector-section.ts";

const SEEDS = cases({ usual: 3, full: 24 });
const DAMAGES = effort({ usual: 60, full: 300 });
const ID = "s" as SegmentId;
const TEXT = { kind: "scalar", of: "string" } as const;
const VECTOR = { kind: "vector", dimensions: 16, element: "f32" } as const;

const written: MakeView = (documents, schema) => {
  const memory = new TestSegmentMemory();
  const view = writtenSegment(documents, { schema, memory });
  return { view, memory: (arena) => memory.buffer(arena) };
};

const merged: MakeView = (documents, schema, random) => {
  const memory = new TestSegmentMemory();
  const view = mergedSegment(documents, { schema, random, memory });
  return { view, memory: (arena) => memory.buffer(arena) };
};

const sealed: MakeView = (documents, schema) => {
  const block = sealSegment(writtenSegment(documents, { schema, memory: new TestSegmentMemory() }));
  verifySegment(block);
  return { view: openSegment(ID, block, { arena: 0, offset: 0 }), memory: () => block.buffer };
};

/** The same bytes as in memory, none of which are there. */
const remote: MakeView = (documents, schema) => {
  const content = writtenSegment(documents, {
    schema,
    memory: new TestSegmentMemory(),
  }).block.slice();
  const memory = new TestSegmentMemory();
  const source = new RemoteSource(content, memory);
  const view = new OpenSegment(ID, headOf(content), source);
  return { view: remoteView(view, source), memory: (arena) => memory.buffer(arena) };
};

segmentViewConformance("a written segment", written, SEEDS);
segmentViewConformance("a merged segment", merged, SEEDS);
segmentViewConformance("a sealed segment", sealed, SEEDS);
segmentViewConformance("a remote segment", remote, SEEDS);

test("damaged bytes of a segment are found, or are none of its own", () => {
  for (let seed = 1; seed <= DAMAGES; seed++) {
    const random = seededRandom(seed);
    const block = someSealed(random);
    const damaged = Uint8Array.from(damagedBytes(block, random));
    expect(
      fault(() => verifySegment(damaged)),
      `seed ${seed}`,
    ).toSatisfy((code) => code !== undefined || Buffer.compare(damaged, block) === 0);
    const head = headOf(block);
    const damagedHead = Uint8Array.from(damagedBytes(head, random));
    expect(
      fault(() => verifyHead(damagedHead)),
      `seed ${seed}`,
    ).toSatisfy(
      (code) =>
        code !== undefined || Buffer.compare(damagedHead.subarray(0, head.length), head) === 0,
    );
  }
});

test("a segment that was damaged before it was sealed is refused or can be read", () => {
  let readCount = 0;
  for (let seed = 1; seed <= DAMAGES; seed++) {
    const random = seededRandom(seed);
    const block = someSealed(random);
    const start = headOf(block).length;
    for (let times = 1 + random.below(4); times > 0; times--) {
      block[start + random.below(block.length - start)] = random.below(256);
    }
    sealInPlace(block);
    if (fault(() => verifySegment(block)) !== undefined) continue;
    readCount++;
    const view = openSegment(ID, block, { arena: 0, offset: 0 });
    for (let ordinal = 0; ordinal < view.documentCount; ordinal++) {
      const at = ordinal as Ordinal;
      view.ordinalOf(view.idOf(at));
      for (const attribute of view.attributes) view.column(attribute)?.value(at);
    }
  }
  expect(readCount).toBeGreaterThan(0);
  expect(readCount).toBeLessThan(DAMAGES);
});

test("a remote segment is read only where it is looked at", () => {
  const idType = "uint";
  const text = { type: TEXT, filterable: false, fullTextSearch: TEXT_OPTIONS } as const;
  const vector = { type: VECTOR, filterable: false } as const;
  const attributes = new Map<string, AttributeSchema>([
    ["text", text],
    ["vector", vector],
  ]);
  const schema: Schema = { idType, distanceMetric: "cosine_distance", attributes };
  const documents = Array.from({ length: 1000 }, (_, i) => ({
    id: BigInt(i),
    attributes: new Map<string, AttributeValue>([
      ["text", `fox ${i % 10 === 0 ? "dog" : "cat"} number${i}`],
      ["vector", Float32Array.from({ length: 16 }, (_, d) => i + d)],
    ]),
  }));
  const whole = writtenSegment(documents, { schema, memory: new TestSegmentMemory() });
  const source = new RemoteSource(whole.block.slice(), new TestSegmentMemory());
  const view = new OpenSegment(ID, headOf(whole.block).slice(), source);
  const cost = (read: () => unknown): [rounds: number, bytes: number] => {
    source.drop();
    const before = [source.rounds, source.bytesLoaded];
    source.run(read);
    return [source.rounds - before[0], source.bytesLoaded - before[1]];
  };
  const bytesOf = (kind: SectionKind, attribute = "") =>
    whole.sections(attribute).entry(kind)?.bytes ?? 0;
  expect(cost(() => view.documentCount)).toEqual([0, 0]);
  expect(cost(() => view.idOf(5 as Ordinal))).toEqual([1, bytesOf(ID_SECTIONS.ids)]);
  const table = bytesOf(ID_SECTIONS.ids) + bytesOf(ID_SECTIONS.slots);
  expect(cost(() => view.ordinalOf(5n))).toEqual([1, table]);
  // The index, then 100 ordinals of two bytes and 100 frequencies of one.
  const index = [TEXT_SECTION, TEXT_BLOCKS.directory, TEXT_POSITIONS.starts]
    .map((kind) => bytesOf(kind, "text"))
    .reduce((sum, bytes) => sum + bytes);
  expect(cost(() => view.index(TEXT_INDEX, "text")?.postings("dog"))).toEqual([2, index + 100 * 3]);
  // What there is to know of the vectors, then one of them.
  const description = bytesOf(VECTOR_SECTIONS.description, "vector");
  const value = () => view.column("vector")?.value(500 as Ordinal);
  expect(cost(value)).toEqual([2, description + 16 * 4]);
  expect(source.run(value)).toEqual(documents[500].attributes.get("vector"));
  // Of a chunk that is there none is read again.
  source.run(() => view.column("vector")?.vectors?.chunk(500 / 4));
  const before = source.bytesLoaded;
  expect(source.run(value)).toEqual(documents[500].attributes.get("vector"));
  expect(source.run(() => view.column("vector")?.value(503 as Ordinal))).toEqual(
    documents[503].attributes.get("vector"),
  );
  expect(source.bytesLoaded).toBe(before);
});

test("a segment goes through the frame of an object and back", async () => {
  const schema = randomSchema(seededRandom(1), "uint");
  const types = typesOf(schema);
  const documents = randomDocuments(seededRandom(2), 20, { idType: "uint", types });
  const sealed = sealSegment(
    writtenSegment(documents, { schema, memory: new TestSegmentMemory() }),
  );
  const frame = {
    kind: "segment",
    object: "here",
    version: 1,
    parts: [sealed],
    compression: "if smaller",
  } as const;
  const expected = { kind: "segment", object: "here", oldest: 1, newest: 1 } as const;
  const { payload } = await decodeFrame(await encodeFrame(frame), expected);
  verifySegment(payload);
  expect(sealSegment(openSegment(ID, payload, { arena: 0, offset: 0 }))).toEqual(sealed);
});

test("a segment of a later format version is too new", () => {
  const documents = randomDocuments(seededRandom(3), 2, { idType: "uint", types: new Map() });
  const schema = { ...randomSchema(seededRandom(3), "uint"), attributes: new Map() };
  const sealed = sealSegment(
    writtenSegment(documents, { schema, memory: new TestSegmentMemory() }),
  );
  sealed[4] = 2;
  expect(() => verifySegment(sealed)).toThrow("format version 2, this server reads 1");
});

function someSealed(random: Random): Uint8Array<ArrayBuffer> {
  const schema = randomSchema(random, "string");
  const options = { idType: "string", types: EVERY_TYPE } as const;
  const documents = randomDocuments(random, 1 + random.below(12), options);
  return sealSegment(writtenSegment(documents, { schema, memory: new TestSegmentMemory() }));
}

/** The code of the error that `check` throws, which is one of those about bytes of a store. */
function fault(check: () => void): string | undefined {
  try {
    check();
  } catch (error) {
    if (isDatabaseError(error, "corrupt", "too_new", "too_old")) return error.code;
    throw error;
  }
  return undefined;
}
