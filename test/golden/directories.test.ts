import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FORMAT_VERSIONS } from "../../src/base/format-versions.ts";
import { seededRandom } from "../../src/base/random.ts";
import { FsObjectStore } from "../../src/storage/directory/fs-object-store.ts";
import { checkFormat } from "../../src/storage/store-format.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";
import { NAMES, openDirectory, row, rowsOf } from "./released-directory.ts";

const DIRECTORIES = new URL("directories", import.meta.url).pathname;
const { oldest, newest } = FORMAT_VERSIONS.store;
const VERSIONS = Array.from({ length: newest - oldest + 1 }, (_, i) => oldest + i);

test("there is a directory of each format that is read", async () => {
  expect((await readdir(DIRECTORIES)).sort()).toEqual(VERSIONS.map(String));
});

for (const version of VERSIONS) {
  test(`a directory of format ${version} is opened, written to and opened again`, async () => {
    const directory = await temporaryDirectory();
    await cp(join(DIRECTORIES, String(version)), directory.path, { recursive: true });
    const store = await FsObjectStore.open({ root: directory.path, random: seededRandom(12) });
    expect(await checkFormat(store, directory.path)).toBe(version === newest);
    let engine = await openDirectory(directory.path, 2);
    const searches = [
      { rank_by: ["text", "BM25", "fox"], limit: 100 },
      { rank_by: ["vector", "ANN", [1, 1]], limit: 100 },
      { rank_by: ["several", "ANN", [[1, 1]]], limit: 100 },
      { rank_by: ["sparse", "SparseKNN", { fox: 1 }], limit: 100 },
      { rank_by: ["price", "desc"], filters: ["tags", "Contains", "a"], limit: 100 },
      { rank_by: ["id", "asc"], filters: ["text", "Glob", "*fox*"], limit: 100 },
    ];
    for (const name of NAMES) {
      expect(await engine.rows(name), name).toEqual(rowsOf(name));
      for (const search of searches) {
        const { json } = await engine.call("query", name, search);
        expect(json.rows, `${name}: ${JSON.stringify(search)}`).toHaveLength(rowsOf(name).length);
      }
      await engine.write(name, { upsert_rows: [{ ...row(100), text: "a late fox" }] });
    }
    expect(await engine.rows("gone")).toBeUndefined();
    await engine.indexAll();
    await engine.close();
    engine = await openDirectory(directory.path, 3);
    const of = { parameters: { checkpoint: "kept" } };
    const { status } = await engine.call("restore_checkpoint", "indexed", { as: "back" }, of);
    expect(status).toBe(200);
    expect(await engine.rows("back")).toEqual(rowsOf("indexed"));
    for (const name of NAMES) {
      const ids = (await engine.rows(name))?.map(({ id }) => id);
      expect(ids, name).toEqual([...rowsOf(name).map(({ id }) => id), 100]);
    }
    expect(engine.logs.filter(({ level }) => level !== "info")).toEqual([]);
    await engine.close();
    await directory.remove();
  });
}
