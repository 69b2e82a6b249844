/**
 * What a server and an indexer leave in a store is read by codecs alone: by `storage`, `log`,
 * `manifest` and `segment`, without a namespace that would know how to read it.
 */

import { expect, test } from "vitest";
import { must } from "../../src/base/assert.ts";
import type { Ordinal, SegmentId } from "../../src/base/ids.ts";
import { seededRandom } from "../../src/base/random.ts";
import { bitmapOrdinals, fullBitmap } from "../../src/codec/bitmap.ts";
import { columnValue, idAt } from "../../src/codec/columns-value.ts";
import { WalReader } from "../../src/log/wal-reader.ts";
import { decodeBatches } from "../../src/log/wal-records.ts";
import { ManifestStore } from "../../src/manifest/manifest-store.ts";
import type { SegmentEntry } from "../../src/model/segment-entry.ts";
import type { AttributeValue, DocumentId } from "../../src/model/value.ts";
import { getTombstones, loadStoredSegment } from "../../src/segment/segment-objects.ts";
import {
  generationPrefix,
  type NamespaceGeneration,
  parseCoverageKey,
  parseDeletedKey,
  parseDeletingKey,
  parseDirtyKey,
  parseGenerationPrefix,
  parseManifestKey,
  parsePinKey,
  parseSegmentKey,
  parseWalKey,
  segmentKey,
  walKey,
} from "../../src/storage/object-keys.ts";
import { storePages } from "../../src/storage/store-pages.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { EngineFixture } from "../support/engine/engine-fixture.ts";
import { TestSegmentMemory } from "../support/segments/test-segment-memory.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

type Documents = Map<DocumentId, AttributeValue>;

const store = new MemoryObjectStore();
const memory = new TestSegmentMemory();
const random = seededRandom(1);

/** The documents of a generation with their attribute `n`, and how many entries were replayed. */
async function readGeneration(
  generation: NamespaceGeneration,
): Promise<{ documents: Documents; entryCount: number }> {
  const documents: Documents = new Map();
  const manifests = new ManifestStore({ store, clock: new InstantClock(), random, generation });
  const manifest = await manifests.load();
  for (const entry of manifest?.segments ?? []) await readSegment(entry, generation, documents);
  if (manifest !== undefined) expect(manifest.state.schema.attributes.has("n")).toBe(true);
  let entryCount = 0;
  const after = manifest?.indexedUpTo ?? (0 as never);
  for await (const { entry } of new WalReader(store, generation).entriesAfter(after)) {
    entryCount++;
    for (const record of decodeBatches(entry.records, walKey(generation, entry.sequence)).flat()) {
      if (record.kind === "import") {
        for (const segment of record.segments) await readSegment(segment, generation, documents);
      } else if (record.kind === "deletes") {
        const { ids, count } = record.deletes;
        for (let index = 0; index < count; index++) documents.delete(idAt(ids, index));
      } else if (record.kind === "documents") {
        const { ids, count, attributes } = record.documents;
        const column = must(attributes.get("n"), "every document has it");
        for (let index = 0; index < count; index++) {
          documents.set(idAt(ids, index), columnValue(column, index));
        }
      }
    }
  }
  return { documents, entryCount };
}

async function readSegment(
  entry: SegmentEntry,
  generation: NamespaceGeneration,
  into: Documents,
): Promise<void> {
  const { id, documentCount, tombstoneObject, deletedCount } = entry;
  const key = segmentKey(entry.owner ?? generation, id);
  const { view, place } = await loadStoredSegment(store, key, { id, memory });
  const name = tombstoneObject as SegmentId | undefined;
  const { liveBitmap } =
    name === undefined
      ? { liveBitmap: fullBitmap(documentCount) }
      : await getTombstones(store, generation, { name, documentCount });
  const ordinals = bitmapOrdinals(liveBitmap);
  expect(ordinals.length).toBe(documentCount - deletedCount);
  for (const ordinal of [...ordinals] as Ordinal[]) {
    into.set(view.idOf(ordinal), view.column("n")?.value(ordinal) ?? null);
  }
  memory.free(place);
}

/** What a key says that its object is. */
function kindOf(key: string): string | undefined {
  const generation = parseGenerationPrefix(/^namespaces\/[^/]+\/\d+\//.exec(key)?.[0] ?? "");
  if (generation === undefined) {
    if (parseDirtyKey(key)) return "hint";
    return parseDeletedKey(key) || parseDeletingKey(key) ? "mark" : undefined;
  }
  if (parseWalKey(generation, key) !== undefined) return "WAL entry";
  if (parseManifestKey(generation, key) !== undefined) return "manifest";
  if (parseCoverageKey(generation, key) !== undefined) return "coverage mark";
  if (parsePinKey(generation, key) !== undefined) return "pin";
  return parseSegmentKey(generation, key) === undefined ? undefined : "segment";
}

test("a store is read without a server, and no object of it is unknown", async () => {
  const engine = await EngineFixture.open({ store });
  const rows = (from: number, to: number, n: number) =>
    Array.from({ length: to - from }, (_, index) => ({ id: from + index, n: n + index }));
  await engine.write("a", { upsert_rows: rows(0, 40, 0) });
  await engine.indexAll();
  await engine.write("a", { deletes: [1, 2, 3], upsert_rows: rows(10, 15, 100) });
  await engine.indexAll();
  await engine.write("b", { branch_from_namespace: "a" });
  await engine.write("b", { upsert_rows: rows(0, 2, 500), patch_rows: [{ id: 30, n: 7 }] });
  await engine.write("a", { deletes: [20], upsert_rows: rows(40, 45, 0) });
  await engine.write("gone", { upsert_rows: rows(0, 3, 0) });
  expect((await engine.call("delete_namespace", "gone")).status).toBe(200);

  const keys: string[] = [];
  for await (const page of storePages(store, { prefix: "" })) keys.push(...page.keys);
  const kinds = keys.map((key) => kindOf(key) ?? `unknown: ${key}`);
  expect(kinds.filter((kind) => kind.startsWith("unknown"))).toEqual([]);
  expect(new Set(kinds)).toEqual(
    new Set(["WAL entry", "manifest", "coverage mark", "pin", "segment", "mark"]),
  );

  for (const name of ["a", "b"]) {
    const generation = must(
      parseGenerationPrefix(`namespaces/${name}-table/0000000001/`),
      "the first generation",
    );
    expect(keys.some((key) => key.startsWith(generationPrefix(generation)))).toBe(true);
    const { documents, entryCount } = await readGeneration(generation);
    expect(entryCount, name).toBeGreaterThan(0);
    const asServed = (await engine.rows(name))?.map(({ id, n }) => [id, n]);
    const read = [...documents].sort(([a], [b]) => Number(a) - Number(b));
    expect(read.map(([id, n]) => [Number(id), Number(n)])).toEqual(asServed);
  }
  expect(memory.blockCount).toBe(0);
  await engine.close();
});
