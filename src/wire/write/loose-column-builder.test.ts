import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { type LooseColumn, type LooseValue, looseCount } from "../../model/write-request.ts";
import { LooseColumnBuilder } from "./loose-column-builder.ts";

const SEED = 17;

test("columns hold what was set last, in blocks where they can", () => {
  const random = seededRandom(SEED);
  for (let round = 0; round < 2000; round++) {
    const builder = new LooseColumnBuilder("a", "vector");
    const count = random.below(12);
    const odd = random.below(3) === 0 ? random.below(12) : -1;
    const isNumbers = random.below(2) === 0;
    const wanted: LooseValue[] = Array(count).fill(null);
    const put = (document: number) => {
      if (document === odd) {
        if (random.below(2) === 0) return;
        wanted[document] = "odd";
        builder.set(document, "odd");
      } else if (isNumbers) {
        wanted[document] =
          (random.below(3) - 1) * (random.below(100) + random.below(2) * 2 ** 45) + 0;
        builder.setInteger(document, wanted[document]);
      } else {
        const vector = Float32Array.of(random.next(), document);
        wanted[document] = vector;
        const slot = builder.vectorSlot(document, 2);
        slot?.set(vector);
        if (slot === undefined) builder.set(document, vector);
        else builder.setVector(document);
      }
    };
    for (let document = 0; document < count; document++) {
      put(document);
      // The step is interrupted now and then, and some documents come again.
      if (random.below(4) === 0) for (let again = document; again >= 0; again -= 2) put(again);
    }
    const column = runSteps(builder.finish(count));
    const where = `seed ${SEED}, round ${round}`;
    expect(column.values, where).toEqual(wanted);
    expect(looseCount(column), where).toBe(count);
    expect(blockOf(column)?.length, where).toBe(
      odd >= 0 && odd < count ? undefined : blockLength(),
    );

    function blockLength(): number | undefined {
      if (count === 0) return undefined;
      return isNumbers ? count : 2 * count;
    }
  }
});

test("vectors of another length, numbers of another syntax and gaps make a list", () => {
  const vectors = new LooseColumnBuilder("v", "vector");
  vectors.vectorSlot(0, 2)?.set([1, 2]);
  vectors.setVector(0);
  expect(vectors.vectorSlot(1, 3)).toBeUndefined();
  expect(vectors.vectorSlot(2, 2)).toBeUndefined();
  vectors.set(2, Float32Array.of(3));
  const listed = runSteps(vectors.finish(4));
  expect(listed.vectors).toBeUndefined();
  expect(listed.values).toEqual([Float32Array.of(1, 2), null, Float32Array.of(3), null]);

  const mixed = new LooseColumnBuilder("n", "any");
  mixed.setInteger(0, 1);
  mixed.setFraction(1, 1.5);
  mixed.setInteger(2, 3);
  expect(runSteps(mixed.finish(3))).toEqual({ values: [1n, 1.5, 3n], integersOnly: false });
});

test("a step that comes again finds the integers before the first fraction", () => {
  for (const odd of [undefined, "x"]) {
    const builder = new LooseColumnBuilder("n", "any");
    const step = () => {
      for (let document = 0; document < 6; document++) {
        if (document === 3 && odd !== undefined) builder.set(document, odd);
        else builder.setInteger(document, document);
      }
      builder.setFraction(6, 0.5);
      builder.setInteger(7, 7);
    };
    step();
    step();
    const values = [0n, 1n, 2n, odd ?? 3n, 4n, 5n, 0.5, 7n];
    expect(runSteps(builder.finish(8))).toEqual({ values, integersOnly: false });
  }
});

test("a column of many parts is joined as it was set", () => {
  const count = 300_000;
  const integers = new LooseColumnBuilder("i", "any");
  const numbers = new LooseColumnBuilder("n", "any");
  const vectors = new LooseColumnBuilder("v", "vector");
  const listed = new LooseColumnBuilder("l", "any");
  for (let document = 0; document < count; document++) {
    integers.setInteger(document, -document);
    numbers.setFraction(document, document + 0.5);
    vectors.vectorSlot(document, 3)?.fill(document);
    vectors.setVector(document);
    if (document < count - 1) listed.setInteger(document, document);
    else listed.set(document, "odd");
  }
  integers.setInteger(70_000, 1);
  const all = [integers, numbers, vectors, listed].map((builder) => builder.finish(count));
  const [i, n, v, l] = all.map((steps) => runSteps(steps));
  const at = [0, 69_999, 70_000, 131_072, count - 1];
  expect(at.map((document) => i.integers?.[document])).toEqual([
    0n,
    -69_999n,
    1n,
    -131_072n,
    -299_999n,
  ]);
  expect(at.map((document) => n.numbers?.[document])).toEqual(at.map((document) => document + 0.5));
  expect(at.map((document) => v.vectors?.elements[3 * document + 2])).toEqual(at);
  expect(at.map((document) => l.values[document])).toEqual([...at.slice(0, -1), "odd"]);
});

test("vectors lie in the room that they are given, as many as come", () => {
  const count = 100_000;
  for (const expected of [0, count, count - 5, count + 5, 2 * count]) {
    const taken: Float32Array[] = [];
    const take = (length: number) => {
      taken.push(new Float32Array(new SharedArrayBuffer(4 * length)).fill(7));
      return taken.at(-1);
    };
    const vectors = new LooseColumnBuilder("v", "vector", { room: { expected, take } });
    for (let document = 0; document < count; document++) {
      vectors.vectorSlot(document, 3)?.fill(document);
      vectors.setVector(document);
    }
    const elements = runSteps(vectors.finish(count)).vectors?.elements;
    expect(elements).toHaveLength(3 * count);
    expect(elements?.every((element, i) => element === Math.floor(i / 3))).toBe(true);
    expect(elements?.buffer).toBe(taken.at(-1)?.buffer);
    // Joined only where it was not known how many there are.
    expect(taken).toHaveLength(expected === count - 5 ? 2 : 1);
  }
});

function blockOf({ integers, numbers, vectors }: LooseColumn) {
  return integers ?? numbers ?? vectors?.elements;
}
