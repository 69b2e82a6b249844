import { expect, test } from "vitest";
import { documentOf, fullText, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { blockIndexes } from "../../../test/support/segments/block-indexes.ts";
import { ARENA_MEMORY } from "../../../test/support/segments/clustered-snapshot.ts";
import { plainPostings } from "../../../test/support/segments/plain-postings.ts";
import { mergedSegment, writtenSegment } from "../../../test/support/segments/segment-forms.ts";
import { verdictAfter } from "../../../test/support/segments/verdict-after.ts";
import type { Random } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { SPARSE_INDEX } from "../sparse/sparse-index.ts";
import { SPARSE_BLOCKS } from "../sparse/sparse-lists.ts";
import { TEXT_INDEX, textIndex } from "../text/text-index.ts";
import { TEXT_BLOCKS } from "../text/text-kinds.ts";
import { BLOCK_POSTINGS, type ListBlocks } from "./block-section.ts";

const schema = schemaOf({
  text: { type: "string", fullTextSearch: fullText() },
  sparse: "{}f16",
});
const NAMES = ["common", "usual", "rare", "single"];

/** Names come less often the later they are listed. */
function drawDocuments(random: Random, count: number) {
  return Array.from({ length: count }, (_, i) => {
    const texts: string[] = [];
    const weights: number[] = [];
    const names = NAMES.filter((_name, rank) => random.below(1 + 4 ** rank) === 0 || i === 0);
    for (const name of names) {
      for (let times = random.below(5); times >= 0; times--) texts.push(name);
      weights.push((random.below(200) - 100) / 8);
    }
    for (let other = random.below(9); other > 0; other--) texts.push(`filler${other}`);
    return documentOf(BigInt(i), {
      text: texts.join(" "),
      ...(names.length === 0 ? {} : { sparse: { names, weights: Float32Array.from(weights) } }),
    });
  });
}

/** The pairs of each block. */
function pairsOf({ pairEnds, pairs }: ListBlocks): Uint32Array[] {
  return Array.from(pairEnds, (end, b) =>
    pairs.subarray(b === 0 ? 0 : 2 * pairEnds[b - 1], 2 * end),
  );
}

test.each([
  ["written", 1000, BLOCK_POSTINGS],
  ["merged", 1000, BLOCK_POSTINGS],
  ["written", 100, 1],
  ["merged", 200, 7],
] as const)("%s: each of %i documents is within the bounds of its block of %i", (...given) => {
  const [form, count, blockPostings] = given;
  const random = testRandom();
  const documents = drawDocuments(random, count);
  const options = { schema, random, memory: ARENA_MEMORY, indexes: blockIndexes(blockPostings) };
  const write = form === "merged" ? mergedSegment : writtenSegment;
  const view = write(documents, options);
  const text = view.index(TEXT_INDEX, "text") ?? expect.unreachable();
  const sparse = view.index(SPARSE_INDEX, "sparse") ?? expect.unreachable();
  let checked = 0;
  for (const name of NAMES) {
    const { ordinals, frequencies } = plainPostings(text.postings(name)) ?? expect.unreachable();
    const blocks = text.blocks(name);
    expect(blocks !== undefined).toBe(ordinals.length > blockPostings);
    const lasts = ordinals.filter((_, i) => (i + 1) % blockPostings === 0);
    if (blocks !== undefined) {
      expect(blocks.lastOrdinals).toEqual(
        Uint32Array.from(new Set([...lasts, ordinals.at(-1) ?? 0])),
      );
      const bounds = pairsOf(blocks);
      ordinals.forEach((ordinal, i) => {
        const pairs = bounds[Math.floor(i / blockPostings)];
        const isWithin = pairs.some(
          (most, p) =>
            p % 2 === 0 && most >= frequencies[i] && pairs[p + 1] <= text.lengths[ordinal],
        );
        expect(isWithin, `${name} ${i}`).toBe(true);
        checked++;
      });
      // Each pair is that of a posting, and no pair makes another one needless.
      bounds.forEach((pairs, b) => {
        const start = b * blockPostings;
        const own = ordinals
          .slice(start, start + blockPostings)
          .map((ordinal, i) => [frequencies[start + i], text.lengths[ordinal]].join());
        const listed = Array.from({ length: pairs.length / 2 }, (_, p) =>
          pairs.slice(2 * p, 2 * p + 2),
        );
        for (const pair of listed) {
          expect(own).toContain(pair.join());
          expect(listed.filter(([f, l]) => f >= pair[0] && l <= pair[1])).toHaveLength(1);
        }
      });
    }
    const { weights } = sparse.postings(name) ?? expect.unreachable();
    const weightBlocks = sparse.blocks(name);
    expect(weightBlocks !== undefined).toBe(weights.length > blockPostings);
    if (weightBlocks === undefined) continue;
    pairsOf(weightBlocks).forEach((pair, b) => {
      const own = weights.subarray(b * blockPostings, (b + 1) * blockPostings);
      const [most, least] = new Float32Array(Uint32Array.from(pair).buffer);
      expect([most, least]).toEqual([Math.max(...own), Math.min(...own)]);
      checked++;
    });
  }
  expect(checked).toBeGreaterThan(count / 4);
});

test("bounds that are not of their lists are refused", () => {
  const random = testRandom();
  const view = writtenSegment(drawDocuments(random, 300), { schema, memory: ARENA_MEMORY });
  const text = view.index(TEXT_INDEX, "text") ?? expect.unreachable();
  const damage = (attribute: string, kind: number, at: number, value: number) => {
    const entry = view.sections(attribute).entry(kind) ?? expect.unreachable();
    return verdictAfter(view, ({ buffer }) => {
      new Uint32Array(buffer, entry.offset, entry.bytes / 4)[at] = value;
    });
  };
  for (const [attribute, { directory, words }, huge] of [
    ["text", TEXT_BLOCKS, 2 ** 31],
    // The bits of a float32 of about 2^127.
    ["sparse", SPARSE_BLOCKS, 0x7f00_0000],
  ] as const) {
    const wordAt = (kind: number, at: number): number => {
      const { offset } = view.sections(attribute).entry(kind) ?? expect.unreachable();
      return new Uint32Array(view.block.buffer, view.block.byteOffset + offset)[at];
    };
    // Words of a directory: how many follow, the size of blocks, where arrays are, and how long.
    expect(damage(attribute, directory, 1, BLOCK_POSTINGS)).toBe("taken");
    expect(damage(attribute, directory, 1, 0)).toBe("refused");
    expect(damage(attribute, directory, 1, BLOCK_POSTINGS / 2)).toBe("refused");
    const codes = 8;
    const starts = codes + 4 * wordAt(directory, 4);
    expect(damage(attribute, directory, codes, 1 << 20)).toBe("refused");
    expect(damage(attribute, directory, starts, 1)).toBe("refused");
    expect(damage(attribute, directory, starts + 1, 1 << 20)).toBe("refused");
    expect(damage(attribute, directory, starts + 1, wordAt(directory, starts + 1) - 1)).toBe(
      "refused",
    );
    // The first list's last ordinals, then the ends of its pairs.
    const { lastOrdinals } = text.blocks("common") ?? expect.unreachable();
    const count = lastOrdinals.length;
    expect(wordAt(words, 0)).toBe(lastOrdinals[0]);
    expect(damage(attribute, words, 0, lastOrdinals[0] + 1)).toBe("refused");
    expect(damage(attribute, words, count, 0)).toBe("refused");
    expect(damage(attribute, words, 2 * count - 1, 1000)).toBe("refused");
    // The first pair: more than any posting has bounds as well, nothing does not.
    expect(damage(attribute, words, 2 * count, huge)).toBe("taken");
    expect(damage(attribute, words, 2 * count, 0)).toBe("refused");
    expect(damage(attribute, words, 2 * count + 1, huge)).toBe("refused");
  }
});

test("bounds are built in steps", () => {
  const random = testRandom();
  const view = writtenSegment(drawDocuments(random, 3000), { schema, memory: ARENA_MEMORY });
  const values = {
    attribute: "text",
    schema: schema.attributes.get("text"),
    column: view.column("text")?.column ?? expect.unreachable(),
  };
  const positions = { documentsMin: Number.POSITIVE_INFINITY };
  const build = (blockPostings: number) => textIndex({ blockPostings, positions }).build(values);
  const few = [...build(Number.POSITIVE_INFINITY)].length;
  expect([...build(4)].length - few).toBeGreaterThan((3000 + 600) / 4 / 128 - 1);
  expect(runSteps(build(Number.POSITIVE_INFINITY))).toHaveLength(2);
});
