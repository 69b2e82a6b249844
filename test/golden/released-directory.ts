/**
 * A data directory that holds something of every kind, small: one of each released format is kept
 * in `directories/`. A new one is written by the program of that format:
 * `node test/golden/released-directory.ts test/golden/directories/<version of the store's format>`.
 */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { seededRandom } from "../../src/base/random.ts";
import { FsObjectStore } from "../../src/storage/directory/fs-object-store.ts";
import { claimFormat } from "../../src/storage/store-format.ts";
import { EngineFixture, type Row } from "../support/engine/engine-fixture.ts";

/** Namespaces of the directory that exist. */
export const NAMES = ["indexed", "logged", "copied", "branched"] as const;

const SCHEMA = {
  text: {
    type: "string",
    full_text_search: { language: "english", stemming: true },
    regex: true,
    glob: true,
    fuzzy: true,
  },
  tags: "[]string",
  at: "datetime",
  uuid: "uuid",
  vector: { type: "[2]f32", ann: true },
  small: { type: "[2]f16", ann: true },
  bytewise: { type: "[2]i8", ann: true },
  several: { type: "[][2]f32", ann: { late_interaction: true } },
  sparse: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } },
  price: "float",
  flag: "bool",
  count: "int",
  size: "uint",
  blob: "bytes",
  counts: "[]int",
  prices: "[]float",
};

/** A row with a value of every kind. */
export function row(id: number): Row {
  return {
    id,
    text: `the fox number ${id} runs`,
    tags: ["a", `b${id % 3}`],
    at: "2026-01-01T00:00:00.000000000Z",
    uuid: `00000000-0000-4000-8000-00000000000${id % 10}`,
    vector: [id, 1],
    small: [0.5, id],
    bytewise: [id, 1 - id],
    several: [
      [id, 1],
      [2, id],
    ],
    sparse: { fox: 0.5, [`dog${id % 2}`]: id + 1 },
    price: id / 2,
    flag: id % 2 === 0,
    count: 3 - id,
    size: id,
    blob: "AAEC",
    counts: [id, 7],
    prices: [id / 4],
  };
}

/** What a namespace holds, by ascending id. */
export function rowsOf(name: (typeof NAMES)[number]): Row[] {
  const ids = name === "logged" ? [1, 3] : [0, 1, 2, 5, 6, 7, 8, 9, 10, 11];
  return ids.map((id) => {
    if (id === 7) return { ...row(id), text: "patched foxes" };
    // After the drop of an attribute of the same name.
    return id === 11 ? { ...row(id), note: 5 } : row(id);
  });
}

/**
 * Opens a directory as a server in this thread, which clusters vectors of few documents. No two
 * servers of one directory have the same seed: they would give two segments one name.
 */
export async function openDirectory(root: string, seed: number): Promise<EngineFixture> {
  const store = await FsObjectStore.open({ root, random: seededRandom(10) });
  const clusters = { rowsMin: 4, clusterRows: 2 };
  return EngineFixture.open({ store, random: seededRandom(seed), clusters });
}

async function writeDirectory(root: string): Promise<void> {
  const store = await FsObjectStore.open({ root, random: seededRandom(11) });
  await claimFormat(store, root);
  const engine = await openDirectory(root, 1);
  const upsert = (from: number, to: number, more: Row = {}) => ({
    upsert_rows: Array.from({ length: to - from }, (_, i) => ({ ...row(from + i), ...more })),
    schema: SCHEMA,
    distance_metric: "euclidean_squared",
  });
  await engine.write("indexed", upsert(0, 8, { note: "dropped" }));
  await engine.write("indexed", { deletes: [3] });
  await engine.indexAll();
  await engine.write("indexed", { schema: { note: { drop: true } } });
  await engine.write("indexed", upsert(8, 12));
  await engine.write("indexed", { patch_rows: [{ id: 11, note: 5 }], schema: { note: "uint" } });
  await engine.write("indexed", { deletes: [4] });
  await engine.indexAll();
  await engine.write("indexed", { patch_rows: [{ id: 7, text: "patched foxes" }] });
  await engine.write("logged", upsert(1, 4));
  await engine.write("logged", { deletes: [2] });
  await engine.write("copied", { copy_from_namespace: "indexed" });
  await engine.write("branched", { branch_from_namespace: "indexed" });
  await engine.call("create_checkpoint", "indexed", { name: "kept" });
  await engine.write("gone", { upsert_rows: [{ id: 1 }] });
  await engine.call("delete_namespace", "gone");
  await engine.close();
  await rm(join(root, "~staging"), { recursive: true, force: true });
}

if (import.meta.main) await writeDirectory(process.argv[2]);
