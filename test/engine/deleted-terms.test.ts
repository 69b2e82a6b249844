/**
 * What is known of the terms of deleted documents: scores are those of a namespace that never had
 * such documents, and the store counts what the segments say.
 */

import { expect, test } from "vitest";
import { must } from "../../src/base/assert.ts";
import { namespaceName, type Ordinal, type SegmentId } from "../../src/base/ids.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { hasBit } from "../../src/codec/bitmap.ts";
import { ManifestStore } from "../../src/manifest/manifest-store.ts";
import { countOf, decodeTermCounts } from "../../src/segment/deletions/counted-deletions.ts";
import { getTombstones, loadStoredSegment } from "../../src/segment/segment-objects.ts";
import { TEXT_INDEX } from "../../src/segment/text/text-index.ts";
import { segmentKey } from "../../src/storage/object-keys.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { effort } from "../support/effort.ts";
import { EngineFixture, type Row } from "../support/engine/engine-fixture.ts";
import { testSeed } from "../support/random/seed.ts";
import { ordinalsOf } from "../support/segments/plain-postings.ts";
import { TestSegmentMemory } from "../support/segments/test-segment-memory.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const THRESHOLDS = { indexTailEntries: 4, segmentsUnmergedMax: 6 };
const WORDS = ["all", "fox", "walrus", "sea", "one"];
const SCHEMA = {
  title: { type: "string", full_text_search: true },
  tags: { type: "[]string", full_text_search: true },
  n: "int",
};

function drawWords(random: Random): string {
  const drawn = Array.from({ length: random.below(5) }, () => WORDS[random.below(WORDS.length)]);
  return ["all", ...drawn].join(" ");
}

function drawRow(random: Random, step: number): Row {
  const row = { id: random.below(60), title: drawWords(random), n: step };
  return random.below(3) === 0 ? row : { ...row, tags: [drawWords(random), drawWords(random)] };
}

/** One write, also in the map. */
async function writeSome(
  engine: EngineFixture,
  name: string,
  { random, step, expected }: { random: Random; step: number; expected: Map<unknown, Row> },
): Promise<void> {
  const id = random.below(60);
  switch (random.below(5)) {
    case 0:
      await engine.write(name, { deletes: [id] });
      expected.delete(id);
      return;
    case 1: {
      const title = drawWords(random);
      await engine.write(name, { patch_rows: [{ id, title }] });
      const known = expected.get(id);
      if (known !== undefined) expected.set(id, { ...known, title });
      return;
    }
    case 2: {
      const least = step - 5 - random.below(20);
      await engine.write(name, { delete_by_filter: ["n", "Lt", least] });
      for (const [key, row] of expected) if (Number(row.n) < least) expected.delete(key);
      return;
    }
    default: {
      const rows = new Map(
        Array.from({ length: 3 }, () => drawRow(random, step)).map((row) => [row.id, row]),
      );
      await engine.write(name, { upsert_rows: [...rows.values()], schema: SCHEMA });
      for (const [key, row] of rows) expected.set(key, row);
    }
  }
}

async function answersOf(engine: EngineFixture, name: string): Promise<unknown[]> {
  const queries = ["title", "tags"].flatMap((attribute) => {
    return WORDS.map((word) => ({ rank_by: [attribute, "BM25", word], limit: 100 }));
  });
  const answers = await Promise.all(queries.map((query) => engine.call("query", name, query)));
  return answers.map(({ status, json }) => {
    return { status, rows: json.rows?.sort((a: { id: number }, b: { id: number }) => a.id - b.id) };
  });
}

/** Compares with a namespace of the same documents that were written once. */
async function expectAsNew(
  engine: EngineFixture,
  name: string,
  expected: ReadonlyMap<unknown, Row>,
): Promise<void> {
  const fresh = await EngineFixture.open({ store: new MemoryObjectStore() });
  await fresh.write("n", { upsert_rows: [...expected.values()], schema: SCHEMA });
  expect(await answersOf(engine, name)).toEqual(await answersOf(fresh, "n"));
  await fresh.close();
}

/** Compares the counts beside each live bitmap with the lists; returns how many are counted. */
async function checkCounts(store: MemoryObjectStore, name: string): Promise<number> {
  const generation = { name: namespaceName(name), generation: 1 };
  const memory = new TestSegmentMemory();
  const clock = new InstantClock();
  const manifests = new ManifestStore({ store, clock, random: seededRandom(1), generation });
  let checked = 0;
  for (const { id, owner, documentCount, tombstoneObject } of (await manifests.load())?.segments ??
    []) {
    if (tombstoneObject === undefined) continue;
    const of = { name: tombstoneObject as SegmentId, documentCount };
    const { counted } = await getTombstones(store, generation, of);
    // A copy has the counts of its source, which may have had none.
    if (counted === undefined && name !== "n") continue;
    if (counted === undefined) throw new Error(`nothing is counted in ${tombstoneObject}`);
    const key = segmentKey(owner ?? generation, id);
    const { view } = await loadStoredSegment(store, key, { id, memory });
    const columns = view.indexedAttributes.filter((column) => view.hasIndex(TEXT_INDEX, column));
    expect([...counted.terms.keys()].sort()).toEqual(columns.sort());
    for (const [column, bytes] of counted.terms) {
      const text = must(view.index(TEXT_INDEX, column), column);
      const counts = decodeTermCounts(bytes);
      for (let code = 0; code < text.termCount; code++) {
        const deleted = ordinalsOf(text.postingsAt(code).ordinals).filter((ordinal) => {
          return !hasBit(counted.liveBitmap, ordinal as Ordinal);
        });
        expect([text.term(code), countOf(counts, code)]).toEqual([text.term(code), deleted.length]);
        checked += deleted.length;
      }
    }
  }
  return checked;
}

test("scores are those of a namespace that never had what was deleted", async () => {
  const first = testSeed();
  let checked = 0;
  for (let seed = first; seed < first + effort({ usual: 3, full: 12 }); seed++) {
    const random = seededRandom(seed);
    const store = new MemoryObjectStore();
    const open = () => EngineFixture.open({ store, thresholds: THRESHOLDS });
    const expected = new Map<unknown, Row>();
    let engine = await open();
    let name = "n";
    const stays = { id: 1000, n: 1000, title: "all", tags: ["all"] };
    await engine.write(name, { upsert_rows: [stays], schema: SCHEMA });
    expected.set(stays.id, stays);
    for (let step = 0; step < 60; step++) {
      await writeSome(engine, name, { random, step, expected });
      if (random.below(6) === 0) {
        await engine.indexAll();
        checked += await checkCounts(store, name);
      }
      if (random.below(12) === 0) {
        await engine.close();
        engine = await open();
      }
      if (random.below(20) === 0) {
        const kind = random.below(2) === 0 ? "copy_from_namespace" : "branch_from_namespace";
        const next = `${name}x`;
        await engine.write(next, { [kind]: name });
        name = next;
      }
      if (step % 6 === 5) await expectAsNew(engine, name, expected);
    }
    await engine.close();
  }
  // Not all were merged away before somebody looked.
  expect(checked).toBeGreaterThan(0);
});
