/** Segments of several format versions side by side, as a version that is to come will need it. */

import { expect, test } from "vitest";
import { planSegment } from "../../../test/support/segments/plan-segment.ts";
import { isDatabaseError } from "../../base/errors.ts";
import type { SegmentId } from "../../base/ids.ts";
import { runSteps } from "../../base/steps.ts";
import { buildDocuments } from "../../codec/columns-builder.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { Schema } from "../../model/schema.ts";
import { verifySegment } from "../segment-seal.ts";
import { openStoredSegment } from "../stored-segment-reader.ts";
import { BlockSource } from "./byte-source.ts";
import { headOf, layoutOf, SEGMENT_VERSIONS, sealInPlace, verifyHead } from "./segment-format.ts";
import type { SegmentLayout } from "./segment-layout.ts";
import { VERSION_1 as NEWEST } from "./version-1.ts";

const ID = "s" as SegmentId;
const WORD: AttributeType = { kind: "scalar", of: "string" };
const SCHEMA: Schema = {
  idType: "uint",
  distanceMetric: undefined,
  attributes: new Map([["word", { type: WORD, filterable: true }]]),
};

/** The newest with another number, and a count of documents that it would not understand. */
const LATER: SegmentLayout = {
  ...NEWEST,
  version: 2,
  facts: (head) => NEWEST.facts(withVersion(head, 1)),
  verifyHead: (block) => NEWEST.verifyHead(withVersion(block, 1)),
  verify: (segment) => NEWEST.verify(withVersion(segment, 1)),
};

/** A copy of a segment of the newest version as one of another, or the other way round. */
function withVersion(segment: Uint8Array, version: number): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(segment);
  const words = new Uint32Array(copy.buffer);
  words[1] = version;
  words[2] = ~words[2];
  return copy;
}

function sealed(): Uint8Array<ArrayBuffer> {
  const documents = ["b", "a"].map((word, i) => {
    return { id: BigInt(i), attributes: new Map([["word", word]]) };
  });
  const plan = planSegment(buildDocuments("uint", new Map([["word", WORD]]), documents), SCHEMA);
  const block = new Uint8Array(plan.bytes);
  runSteps(plan.writeTo(block));
  sealInPlace(block);
  return block;
}

test("each segment is read by the layout of its version", () => {
  const versions = [NEWEST, LATER];
  for (const block of [sealed(), withVersion(sealed(), 2)]) {
    verifySegment(block, { versions });
    const source = new BlockSource({ arena: 0, offset: 0, bytes: block });
    const head = block.slice(0, layoutOf(block, versions).headBytes(block));
    const view = openStoredSegment(ID, head, () => source, versions);
    expect(view.documentCount).toBe(2);
    expect(view.ordinalOf(1n)).toBe(1);
    expect(view.column("word")?.dictionary?.codes).toEqual(Uint32Array.of(1, 0));
  }
});

test("a version before all that are read is too old, one after them too new", () => {
  const at = (version: number) => ({ ...NEWEST, version });
  const cases: [version: number, versions: SegmentLayout[] | undefined, code: string][] = [
    [0, undefined, "too_old"],
    [2, undefined, "too_new"],
    [1, [at(2), at(3)], "too_old"],
    [4, [at(2), at(3)], "too_new"],
    [2, [at(1), at(3)], "too_old"],
  ];
  for (const [version, versions, code] of cases) {
    const block = withVersion(sealed(), version);
    const source = new BlockSource({ arena: 0, offset: 0, bytes: block });
    const looks = [
      () => layoutOf(block, versions),
      () => verifyHead(block, versions),
      () => verifySegment(block, { versions }),
      () => openStoredSegment(ID, block, () => source, versions),
    ];
    for (const look of looks) expect(faultOf(look), `version ${version}`).toBe(code);
  }
  expect(faultOf(() => layoutOf(Uint8Array.of(1, 2, 3)))).toBe("corrupt");
  expect(faultOf(() => layoutOf(new Uint8Array(64)))).toBe("corrupt");
});

test("the newest version is written", () => {
  expect(layoutOf(headOf(sealed()))).toBe(SEGMENT_VERSIONS.at(-1));
  const numbers = SEGMENT_VERSIONS.map(({ version }) => version);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
});

function faultOf(look: () => unknown): string | undefined {
  try {
    look();
  } catch (error) {
    if (isDatabaseError(error)) return error.code;
    throw error;
  }
  return undefined;
}
