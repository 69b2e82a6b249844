import { type MakeView, segmentViewConformance } from "../../test/conformance/segment-view.ts";
import { FarSource, farView } from "../../test/support/far-segment.ts";
import { TestSegmentMemory } from "../../test/support/test-segment-memory.ts";
import type { SegmentId } from "../base/ids.ts";
import { buildDocuments } from "../codec/columns-builder.ts";
import { openSegment } from "./segment-reader.ts";
import { verifySegment } from "./segment-seal.ts";
import { planSegment } from "./segment-writer.ts";
import { openStoredSegment } from "./stored-segment-reader.ts";
import { encodeStoredSegment } from "./stored-segment-writer.ts";

const ID = "s" as SegmentId;

/** Most values are by document; none of the bytes is in memory. */
const far: MakeView = (documents, schema) => {
  const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  const plan = planSegment(buildDocuments(schema.idType ?? "uint", types, documents), schema);
  const block = new Uint8Array(plan.bytes);
  plan.writeTo(block);
  const whole = openSegment(ID, block, { arena: 0, offset: 0 });
  const { content, head } = encodeStoredSegment(whole, schema);
  verifySegment(content);
  const memory = new TestSegmentMemory();
  const source = new FarSource(content, memory);
  const view = openStoredSegment(ID, head, () => source);
  return { view: farView(view, source), memory: (arena) => memory.buffer(arena) };
};

segmentViewConformance("a far segment in its stored form", far);
