import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FORMAT_VERSIONS } from "../../src/base/format-versions.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";
import {
  FIRST_FORMAT_WITH_CHECKPOINTS,
  NAMES,
  openDirectory,
  rowsOf,
} from "./released-directory.ts";

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
    let engine = await openDirectory(directory.path, 2);
    const search = { rank_by: ["text", "BM25", "fox"], limit: 100 };
    for (const name of NAMES) {
      expect(await engine.rows(name), name).toEqual(rowsOf(name));
      const { json } = await engine.call("query", name, search);
      expect(json.rows, name).toHaveLength(rowsOf(name).length);
      const late = { id: 100, text: "a late fox", vector: [1, 1], small: [1, 1] };
      await engine.write(name, { upsert_rows: [late] });
    }
    expect(await engine.rows("gone")).toBeUndefined();
    await engine.indexAll();
    await engine.close();
    engine = await openDirectory(directory.path, 3);
    if (version >= FIRST_FORMAT_WITH_CHECKPOINTS) {
      const of = { parameters: { checkpoint: "kept" } };
      const { status } = await engine.call("restore_checkpoint", "indexed", { as: "back" }, of);
      expect(status).toBe(200);
      expect(await engine.rows("back")).toEqual(rowsOf("indexed"));
    }
    for (const name of NAMES) {
      const ids = (await engine.rows(name))?.map(({ id }) => id);
      expect(ids, name).toEqual([...rowsOf(name).map(({ id }) => id), 100]);
    }
    expect(engine.logs.filter(({ level }) => level !== "info")).toEqual([]);
    await engine.close();
    await directory.remove();
  });
}
