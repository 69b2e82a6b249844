import { expect, test } from "vitest";
import {
  type MakeView,
  randomSchema,
  segmentViewConformance,
} from "../../test/conformance/segment-view.ts";
import { cases, effort } from "../../test/support/effort.ts";
import { EVERY_TYPE, randomDocuments } from "../../test/support/random/random-documents.ts";
import {
  encodeStoredSegment,
  type StoredSegmentContent,
} from "../../test/support/segments/encode-stored-segment.ts";
import { planSegment } from "../../test/support/segments/plan-segment.ts";
import { RemoteSource, remoteView } from "../../test/support/segments/remote-segment.ts";
import { TestSegmentMemory } from "../../test/support/segments/test-segment-memory.ts";
import { isDatabaseError } from "../base/errors.ts";
import type { Ordinal, SegmentId } from "../base/ids.ts";
import { type Random, seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import { buildDocuments, type TypedDocument } from "../codec/columns-builder.ts";
import type { Schema } from "../model/schema.ts";
import { BlockSource } from "./format/byte-source.ts";
import { headOf, layoutOf, sealInPlace } from "./format/segment-format.ts";
import { openSegment } from "./segment-reader.ts";
import { verifySegment } from "./segment-seal.ts";
import { openStoredSegment } from "./stored-segment-reader.ts";

const SEEDS = cases({ usual: 3, full: 24 });
const ID = "s" as SegmentId;

function stored(documents: readonly TypedDocument[], schema: Schema): StoredSegmentContent {
  const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  const plan = planSegment(buildDocuments(schema.idType ?? "uint", types, documents), schema);
  const block = new Uint8Array(plan.bytes);
  runSteps(plan.writeTo(block));
  return encodeStoredSegment(openSegment(ID, block, { arena: 0, offset: 0 }), schema);
}

/** Most values are by document; none of the bytes is in memory. */
const remote: MakeView = (documents, schema) => {
  const { content, head } = stored(documents, schema);
  verifySegment(content);
  const memory = new TestSegmentMemory();
  const source = new RemoteSource(content, memory);
  const view = openStoredSegment(ID, head, () => source);
  return { view: remoteView(view, source), memory: (arena) => memory.buffer(arena) };
};

test("a stored segment that was damaged before it was sealed is refused or can be read", () => {
  for (let seed = 1; seed <= effort({ usual: 60, full: 300 }); seed++) {
    const random = seededRandom(seed);
    const schema = randomSchema(random, "string");
    const options = { idType: "string", types: EVERY_TYPE } as const;
    const { content } = stored(randomDocuments(random, 1 + random.below(12), options), schema);
    for (let times = 1 + random.below(3); times > 0; times--) damageSection(content, random);
    sealInPlace(content);
    try {
      verifySegment(content);
      const source = new BlockSource({ arena: 0, offset: 0, bytes: content });
      const view = openStoredSegment(ID, headOf(content).slice(), () => source);
      for (const attribute of view.attributes) {
        const column = view.column(attribute);
        for (let o = 0; o < view.documentCount; o++) column?.value(o as Ordinal);
        expect(column?.column.count ?? view.documentCount).toBe(view.documentCount);
      }
    } catch (error) {
      if (!isDatabaseError(error, "corrupt", "too_new"))
        throw new Error(`seed ${seed}`, { cause: error });
    }
  }
});

/** Changes a byte of a section, of small ones as often as of large ones. */
function damageSection(content: Uint8Array, random: Random): void {
  const directory = layoutOf(content).directory(content);
  const { offset, bytes } = directory[random.below(directory.length)];
  if (bytes > 0) content[offset + random.below(bytes)] = random.below(256);
}

segmentViewConformance("a remote segment in its stored form", remote, SEEDS);
