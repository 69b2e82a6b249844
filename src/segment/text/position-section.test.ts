import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqual } from "../../../test/support/expect-equal.ts";
import { documentOf, fullText, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { pick } from "../../../test/support/random/random-queries.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { ARENA_MEMORY } from "../../../test/support/segments/clustered-snapshot.ts";
import { ordinalsOf } from "../../../test/support/segments/plain-postings.ts";
import { positionIndexes } from "../../../test/support/segments/position-indexes.ts";
import {
  segmentForms,
  writePlan,
  writtenSegment,
} from "../../../test/support/segments/segment-forms.ts";
import { verdictAfter } from "../../../test/support/segments/verdict-after.ts";
import type { Random } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { bitmapWords, fullBitmap, setBit } from "../../codec/bitmap.ts";
import type { TypedDocument } from "../../codec/columns-builder.ts";
import type { AttributeValue } from "../../model/value.ts";
import { analyzerFor } from "../../text/analyzer.ts";
import { planMerge } from "../segment-merger.ts";
import { sealSegment, verifySegment } from "../segment-seal.ts";
import type { SegmentView } from "../view/segment-view.ts";
import { POSITIONS } from "./position-extent.ts";
import { ELEMENT_GAP } from "./position-section.ts";
import { TermPositions } from "./term-positions.ts";
import { TEXT_INDEX } from "./text-index.ts";
import { TEXT_POSITIONS } from "./text-kinds.ts";

const TEXT = fullText({ stemming: true });
const WHOLE = fullText({ tokenizer: "pre_tokenized_array" });
const schema = schemaOf({
  text: { type: "string", fullTextSearch: TEXT },
  texts: { type: "[]string", fullTextSearch: TEXT },
  whole: { type: "[]string", fullTextSearch: WHOLE },
});
/** Stop words, words that are too long, and others, which are the rarer the later they are. */
const WORDS = ["fox", "the", "dog", "of", "x".repeat(40), "foxes", "é", "東京", "quick", "rare"];
const ALL = positionIndexes(1);
const NONE = positionIndexes(Number.POSITIVE_INFINITY);

/** Most texts are short; some are so long that numbers take two bytes, and frequencies two. */
function drawText(random: Random): string {
  const length = random.below(40) === 0 ? random.below(2000) : random.below(12);
  const word = () => WORDS[Math.floor(random.next() ** 2 * WORDS.length)];
  return Array.from({ length }, word).join(" ");
}

function drawDocuments(random: Random, count: number, first = 0): TypedDocument[] {
  return Array.from({ length: count }, (_, i) => {
    const list = () => Array.from({ length: random.below(5) }, () => drawText(random));
    const values: Record<string, AttributeValue> = {
      text: random.below(9) === 0 ? null : drawText(random),
      texts: list(),
      whole: list().map((text) => text.split(" ")[0]),
    };
    return documentOf(BigInt(first + i), values);
  });
}

/** The positions of each term, by analyzing the value. */
function naivePositions(name: string, value: AttributeValue): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  const add = (term: string, position: number) => {
    positions.set(term, [...(positions.get(term) ?? []), position]);
  };
  if (name === "whole") {
    for (const [i, term] of (value as string[]).entries()) add(term, i);
    return positions;
  }
  let first = 0;
  for (const text of Array.isArray(value) ? (value as string[]) : [String(value ?? "")]) {
    const { length } = analyzerFor(
      fullText({ removeStopwords: false, maxTokenLength: 254 }),
    ).analyze(text);
    for (const { term, position } of analyzerFor(TEXT).analyze(text)) add(term, first + position);
    if (length > 0) first += length + ELEMENT_GAP;
  }
  return positions;
}

/** The positions of each term in each document, as a segment has them. */
function storedPositions(view: SegmentView, name: string): Map<string, number[]>[] {
  const documents = Array.from({ length: view.documentCount }, () => new Map<string, number[]>());
  const text = view.index(TEXT_INDEX, name);
  for (let code = 0; code < (text?.termCount ?? 0); code++) {
    const term = text?.term(code) ?? "";
    const postings = text?.postings(term) ?? expect.unreachable();
    const bytes = text?.positions(term) ?? expect.unreachable(`${name} has none of ${term}`);
    const positions = new TermPositions(postings, bytes);
    for (const ordinal of ordinalsOf(postings.ordinals)) {
      positions.read(ordinal);
      documents[ordinal].set(term, [...positions.positions.subarray(0, positions.count)]);
    }
  }
  return documents;
}

function expectPositions(view: SegmentView, documents: readonly TypedDocument[], where: string) {
  for (const name of schema.attributes.keys()) {
    const stored = storedPositions(view, name);
    for (const [i, { attributes }] of documents.entries()) {
      const expected = naivePositions(name, attributes.get(name) ?? (name === "text" ? null : []));
      expectEqual(stored[i], expected, `${where}: ${name} of ${i}`);
    }
  }
}

test("segments of every origin have the positions of their terms", () => {
  const random = testRandom();
  const documents = drawDocuments(random, effort({ usual: 120, full: 300 }));
  const options = { schema, random, memory: ARENA_MEMORY, indexes: ALL };
  for (const { name, view } of segmentForms(documents, options)) {
    expectPositions(view, documents, name);
  }
});

test("a merge makes the positions that some of its segments do not have", () => {
  const random = testRandom();
  for (let round = 0; round < effort({ usual: 4, full: 10 }); round++) {
    const left: TypedDocument[] = [];
    const inputs = [0, 1, 2].map((i) => {
      const documents = drawDocuments(random, effort({ usual: 60, full: 100 }), 1000 * i);
      const indexes = pick(random, [ALL, NONE]);
      const view = writtenSegment(documents, { schema, memory: ARENA_MEMORY, indexes });
      const liveBitmap = new Uint32Array(bitmapWords(documents.length));
      for (const [ordinal, document] of documents.entries()) {
        if (random.below(4) === 0) continue;
        setBit(liveBitmap, ordinal);
        left.push(document);
      }
      return { view, liveBitmap };
    });
    const merged = writePlan(runSteps(planMerge(inputs, schema, ALL)), ARENA_MEMORY);
    expectPositions(merged, left, `round ${round}`);
    verifySegment(sealSegment(merged));
    const written = writtenSegment(left, { schema, memory: ARENA_MEMORY, indexes: ALL });
    for (const name of schema.attributes.keys()) {
      for (const kind of Object.values(TEXT_POSITIONS)) {
        const [own, expected] = [merged, written].map((view) => view.sections(name).bytes(kind));
        expectEqual(own, expected, `round ${round}: ${name}`);
      }
    }
  }
});

test("small segments have no positions, nor do merges that are not to make them", () => {
  const random = testRandom();
  const documents = drawDocuments(random, POSITIONS.documentsMin);
  // A segment may be drawn that has no text at all, and so no index.
  const has = (view: SegmentView) => view.index(TEXT_INDEX, "text")?.hasPositions === true;
  const whole = writtenSegment(documents, { schema, memory: ARENA_MEMORY });
  const few = writtenSegment(documents.slice(1), { schema, memory: ARENA_MEMORY });
  const one = writtenSegment(documents.slice(0, 1), { schema, memory: ARENA_MEMORY });
  expect([whole, few, one].map(has)).toEqual([true, false, false]);
  const inputs = [one, few].map((view) => {
    return { view, liveBitmap: fullBitmap(view.documentCount) };
  });
  for (const [indexes, expected] of [
    [undefined, true],
    [NONE, false],
  ] as const) {
    const merged = writePlan(runSteps(planMerge(inputs, schema, indexes)), ARENA_MEMORY);
    expect(has(merged)).toBe(expected);
  }
});

test("positions that are not of their lists are refused", () => {
  const documents = Array.from({ length: 200 }, (_, i) => {
    return documentOf(BigInt(i), { text: `fox ${"dog ".repeat(i)}fox` });
  });
  const view = writtenSegment(documents, { schema, memory: ARENA_MEMORY, indexes: ALL });
  const text = view.index(TEXT_INDEX, "text") ?? expect.unreachable();
  const dogs = text.positions("dog")?.length ?? expect.unreachable();
  const foxes = text.positions("fox")?.length ?? expect.unreachable();
  const damage = (kind: number, at: number, value: number) => {
    const entry = view.sections("text").entry(kind) ?? expect.unreachable();
    return verdictAfter(view, (block) => {
      block[entry.offset + at] = value;
    });
  };
  const { starts, runs } = TEXT_POSITIONS;
  expect(damage(starts, 0, 0)).toBe("taken");
  // Where the first list begins and ends.
  for (const at of [0, 4, 5, 6, 7]) expect(damage(starts, at, 0xfd), `start ${at}`).toBe("refused");
  // A run that goes on, two positions that are one, a place, and the run before the places.
  expect(damage(runs, 0, 0x81)).toBe("refused");
  expect(damage(runs, 2, 0)).toBe("refused");
  for (const at of [1, 4, 5, 8, 9, 12]) {
    expect(damage(runs, dogs - at, 0xfd), `dog ${at}`).toBe("refused");
    expect(damage(runs, dogs + foxes - at, 0xfd), `fox ${at}`).toBe("refused");
  }
});
