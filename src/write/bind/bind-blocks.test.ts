import { expect, test } from "vitest";
import { faultOf, listedDocuments } from "../../../test/support/documents/loose-json.ts";
import { create } from "../../../test/support/documents/schema-changes.ts";
import { effort } from "../../../test/support/effort.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import type { LooseDocuments } from "../../model/write-request.ts";
import { WriteBodyParser } from "../../wire/write/parse-write.ts";
import { type BoundUpserts, bindUpserts } from "./bind-documents.ts";

const SEED = 23;
const types = {
  i: "int",
  u: "uint",
  f: "float",
  v: { type: "[2]f32", ann: true },
};
const schema = create(types, "euclidean_squared");
const context = { schema, isNewNamespace: false, distanceMetric: undefined };
const hints = { typeOf: (name: string) => schema.attributes.get(name)?.type };

function parse(body: string): LooseDocuments {
  const parser = new WriteBodyParser(hints);
  runSteps(parser.push(new TextEncoder().encode(body)));
  const { upserts } = runSteps(parser.finish());
  if (upserts === undefined) throw new Error("no upserts");
  return upserts;
}

test("values in blocks are bound, or refused, like the same values in lists", () => {
  const random = seededRandom(SEED);
  const one = <T>(...choices: T[]): T => choices[random.below(choices.length)];
  for (let round = 0; round < effort({ usual: 300, full: 1_500 }); round++) {
    const odd = random.below(8);
    const rows = Array.from({ length: 1 + random.below(6) }, (_, id) => {
      const i = one("0", "-1", "7", "-9007199254740991", odd === 0 ? "1.5" : "4294967296");
      const u = one("0", "4294967295", "9007199254740991", odd === 1 ? "-1" : "5");
      const f = one("0.5", "1e10", "-0.0", odd === 2 ? "null" : "3");
      const v = one(
        "[1,2]",
        '"AACAPwAAAEA="',
        odd === 3 ? one('"AADAfwAAgD8="', "[1]", "null") : "[3,4]",
      );
      return `{"id":${one(id, id + 2 ** 40)},"i":${i},"u":${u},"f":${f},"v":${v}}`;
    });
    const documents = parse(`{"upsert_rows":[${rows.join()}]}`);
    const where = `seed ${SEED}, round ${round}`;
    const bind = (loose: LooseDocuments) => () => runSteps(bindUpserts(loose, context));
    let bound: BoundUpserts | undefined;
    try {
      bound = bind(documents)();
    } catch {
      expect(faultOf(bind(documents)), where).toEqual(
        faultOf(bind(listedDocuments(documents) ?? documents)),
      );
      continue;
    }
    expect(bound, where).toEqual(bind(listedDocuments(documents) ?? documents)());
  }
});

test("an element that is no number is found wherever it is among the vectors of a block", () => {
  const count = 400_000; // Two steps.
  const vectors = new Float32Array(2 * count).fill(1);
  const documents = parse('{"upsert_rows":[{"id":1}]}');
  const integers = BigInt64Array.from({ length: count }, (_, i) => BigInt(i));
  const ids = { values: [], integersOnly: true, integers };
  const bind = (elements: Float32Array) => {
    const v = { values: [], integersOnly: true, vectors: { dimensions: 2, elements } };
    const loose = { ...documents, count, ids, attributes: new Map([["v", v]]) };
    return () => runSteps(bindUpserts(loose, context));
  };
  expect(bind(vectors)).not.toThrow();
  const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const at of [0, 1, 2 * 262_144 - 1, 2 * 262_144, 2 * count - 1]) {
    const elements = vectors.with(at, odd[at % odd.length]);
    expect(faultOf(bind(elements)), `element ${at}`).toMatchObject({
      message: expect.stringContaining(`element ${at % 2} of the vector`),
    });
  }
  expect(bind(vectors.fill(-3.4028234663852886e38))).not.toThrow();
});
