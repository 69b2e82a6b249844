import { expect, test } from "vitest";
import { seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import { parseAttributeType } from "../model/attribute-type.ts";
import { buildDocuments } from "./columns-builder.ts";
import { documentsLogicalBytes, logicalBytesInSteps, valueLogicalBytes } from "./columns-size.ts";

const NAMES = Array.from({ length: 40 }, (_, a) => `a${a}`);

/** Documents of which each has few of the attributes, or nearly all. */
function sparseDocuments(count: number, share: number) {
  const random = seededRandom(count);
  const types = new Map(
    NAMES.map((name, a) => {
      const type = parseAttributeType(["string", "int", "[2]f32"][a % 3]);
      if (type === undefined) throw new Error("no type");
      return [name, type] as const;
    }),
  );
  const madeValue = (a: number, i: number) =>
    [`value ${i}`, BigInt(i), Float32Array.of(i, a)][a % 3];
  const documents = Array.from({ length: count }, (_, i) => {
    const named = NAMES.flatMap((name, a) =>
      random.next() < share ? [[name, madeValue(a, i)] as const] : [],
    );
    return { id: BigInt(i), attributes: new Map(named) };
  });
  return buildDocuments("uint", types, documents);
}

test.each([0.01, 0.5, 0.99])("logical bytes are those of all values: a share of %s", (share) => {
  const documents = sparseDocuments(101, share);
  let bytes = 8 * documents.count;
  for (const column of documents.attributes.values()) {
    for (let i = 0; i < documents.count; i++) bytes += valueLogicalBytes(column, i);
  }
  expect(documentsLogicalBytes(documents)).toBe(bytes);
  const halves = runSteps(logicalBytesInSteps(documents, () => 0.5));
  expect(halves).toBe(8 * documents.count + (bytes - 8 * documents.count) / 2);
});

test("logical bytes of many columns are counted in steps", () => {
  const documents = sparseDocuments(10_000, 0.01);
  expect([...logicalBytesInSteps(documents)].length).toBeGreaterThan(4);
});
