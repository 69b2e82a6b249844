import { expect, test } from "vitest";
import { EVERY_TYPE, randomDocuments } from "../../test/support/random/random-documents.ts";
import { isDatabaseError } from "../base/errors.ts";
import { seededRandom } from "../base/random.ts";
import { runSteps } from "../base/steps.ts";
import type { IdType } from "../model/attribute-type.ts";
import type { Column, DocumentColumns } from "../model/columns.ts";
import type { TypedDocument } from "./columns-builder.ts";
import { buildDocuments } from "./columns-builder.ts";
import { decodeColumns, encodeColumns } from "./columns-codec.ts";
import { concatDocuments, gatherDocuments } from "./columns-gather.ts";
import { documentsLogicalBytes } from "./columns-size.ts";
import { sliceDocuments } from "./columns-slice.ts";
import { columnValue, idAt } from "./columns-value.ts";

const ID_TYPES: readonly IdType[] = ["uint", "string", "uuid"];

/** Documents as plain values, which do not depend on how they are laid out. */
function plain(documents: DocumentColumns): TypedDocument[] {
  return Array.from({ length: documents.count }, (_, ordinal) => ({
    id: idAt(documents.ids, ordinal),
    attributes: new Map(
      [...documents.attributes]
        .map(([name, column]) => [name, columnValue(column, ordinal)] as const)
        .filter(([, value]) => value !== null),
    ),
  }));
}

function build(seed: number, count: number): { typed: TypedDocument[]; columns: DocumentColumns } {
  const idType = ID_TYPES[seed % ID_TYPES.length];
  const typed = randomDocuments(seededRandom(seed), count, { idType, types: EVERY_TYPE });
  return { typed, columns: buildDocuments(idType, EVERY_TYPE, typed) };
}

test("columns hold the values that they were built of", () => {
  for (let seed = 0; seed < 30; seed++) {
    const { typed, columns } = build(seed, seed);
    expect(plain(columns), `seed ${seed}`).toEqual(typed);
  }
});

test("decoding gives back what was encoded, also in shared memory at any aligned place", () => {
  for (let seed = 0; seed < 30; seed++) {
    const { typed, columns } = build(seed, seed);
    const bytes = encodeColumns(columns);
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 64), 64);
    shared.set(bytes);
    const decoded = decodeColumns(shared);
    expect(plain(decoded), `seed ${seed}`).toEqual(typed);
    const odd = new Uint8Array(bytes.length + 3).subarray(3);
    odd.set(bytes);
    expect(plain(decodeColumns(odd)), `seed ${seed}`).toEqual(typed);
    for (const column of decoded.attributes.values()) expectViews(column, shared.buffer);
  }
});

function expectViews(column: Column, buffer: ArrayBufferLike): void {
  const arrays = Object.values(column.data).filter((value) => ArrayBuffer.isView(value));
  for (const array of arrays) expect(array.buffer).toBe(buffer);
}

test("slices, gathers and joins equal the same on plain values", () => {
  for (let seed = 0; seed < 40; seed++) {
    const random = seededRandom(seed);
    const { typed, columns } = build(seed, 40);
    const cut = 8 * random.below(5);
    const slice = sliceDocuments(columns, cut, 40);
    expect(plain(slice), `seed ${seed}`).toEqual(typed.slice(cut));
    expect(plain(decodeColumns(encodeColumns(slice))), `seed ${seed}`).toEqual(typed.slice(cut));
    const ordinals = Uint32Array.from({ length: random.below(30) }, () => random.below(40 - cut));
    expect(plain(runSteps(gatherDocuments(slice, ordinals))), `seed ${seed}`).toEqual(
      Array.from(ordinals, (ordinal) => typed[cut + ordinal]),
    );
    const joined = runSteps(concatDocuments([slice, sliceDocuments(columns, 0, cut), columns]));
    expect(plain(joined), `seed ${seed}`).toEqual([
      ...typed.slice(cut),
      ...typed.slice(0, cut),
      ...typed,
    ]);
  }
});

test("a join takes the element type from where it is known", () => {
  const empty = buildDocuments("uint", new Map([["a", { kind: "array", of: "unknown" }]]), [
    { id: 1n, attributes: new Map([["a", []]]) },
  ]);
  const full = buildDocuments("uint", new Map([["a", { kind: "array", of: "int" }]]), [
    { id: 2n, attributes: new Map([["a", [7n]]]) },
  ]);
  for (const batches of [
    [empty, full],
    [full, empty],
  ]) {
    const joined = runSteps(concatDocuments(batches)).attributes.get("a") as Column;
    expect(joined.type).toEqual({ kind: "array", of: "int" });
    expect([columnValue(joined, 0), columnValue(joined, 1)]).toEqual(
      batches[0] === empty ? [[], [7n]] : [[7n], []],
    );
  }
});

test("logical bytes count what was stored", () => {
  const types = new Map([...EVERY_TYPE].filter(([name]) => name !== "string"));
  const columns = buildDocuments("string", types, [
    {
      id: "né",
      attributes: new Map<string, never>([
        ["int", 1n as never],
        ["bool", true as never],
        ["[]string", ["é", "abc"] as never],
        ["[3]f32", new Float32Array(3) as never],
        ["[5]f16", new Float32Array(5) as never],
        ["{}f16", { names: ["ab"], weights: new Float32Array(1) } as never],
        ["uuid", "00000000-0000-0000-0000-000000000000" as never],
      ]),
    },
    { id: "x", attributes: new Map() },
  ]);
  expect(documentsLogicalBytes(columns)).toBe(3 + 1 + 8 + 1 + 5 + 12 + 10 + 4 + 16);
});

test("damaged bytes are reported as corrupt or decode to something whole", () => {
  let wholeCount = 0;
  for (let seed = 0; seed < 300; seed++) {
    const random = seededRandom(seed);
    const bytes = encodeColumns(build(seed, 5).columns);
    const damaged = bytes.slice(0, random.below(3) === 0 ? random.below(bytes.length) : undefined);
    for (let i = random.below(4); i >= 0; i--) {
      // The words come first and are where damage does most.
      const at = random.below(random.below(2) === 0 ? Math.min(400, bytes.length) : bytes.length);
      if (at < damaged.length) damaged[at] ^= 1 << random.below(8);
    }
    try {
      plain(decodeColumns(damaged));
      wholeCount++;
    } catch (error) {
      if (!isDatabaseError(error, "corrupt", "too_new"))
        throw new Error(`seed ${seed}`, { cause: error });
    }
  }
  expect(wholeCount).toBeGreaterThan(0);
  expect(wholeCount).toBeLessThan(300);
});
