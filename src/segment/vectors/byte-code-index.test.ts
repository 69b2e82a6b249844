import { expect, test } from "vitest";
import { documentOf, openSnapshot, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { clusteredSnapshot } from "../../../test/support/segments/clustered-snapshot.ts";
import { isDatabaseError } from "../../base/errors.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { OpenSegment } from "../segment-reader.ts";
import { BYTE_CODE_INDEX } from "./byte-code-index.ts";

const DIMENSIONS = 32;

/** The sections of a segment with byte codes. */
function codedSections(): AttributeSections {
  const options = { distanceMetric: "euclidean_squared" } as const;
  const type = `[${DIMENSIONS}]f32` as const;
  const schema = schemaOf(
    { vector: { type, ann: { ...options, lateInteraction: false } } },
    options,
  );
  const documents = Array.from({ length: 20 }, (_, i) => {
    return documentOf(BigInt(i), { vector: new Float32Array(DIMENSIONS).fill(i) });
  });
  const plain = openSnapshot(schema, [{ documents }]);
  const [{ view }] = clusteredSnapshot(plain, { clusterRows: 5 }).segments;
  return (view as OpenSegment).sections("vector");
}

test("codes of fewer documents than the segment has are refused", () => {
  const { source, documentCount, ...rest } = partsOf(codedSections());
  const refused = (count: number) => {
    try {
      BYTE_CODE_INDEX.check({ ...rest, source, documentCount: count } as AttributeSections);
    } catch (error) {
      if (isDatabaseError(error, "corrupt")) return error.message;
      throw error;
    }
    return undefined;
  };
  expect(refused(documentCount)).toBeUndefined();
  expect(refused(documentCount + 1)).toContain("there are not as many as documents");
});

function partsOf(sections: AttributeSections) {
  const { source, documentCount } = sections;
  const entry: AttributeSections["entry"] = (kind) => sections.entry(kind);
  const bytes: AttributeSections["bytes"] = (kind) => sections.bytes(kind);
  return { source, documentCount, entry, bytes };
}
