import { mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ChunkedBytes } from "../../../test/support/transfer/chunked-bytes.ts";
import { contents, readAll } from "../../../test/support/transfer/read-all.ts";
import { seededRandom } from "../../base/random.ts";
import { FileBytes } from "./file-bytes.ts";
import { JsonLinesReader } from "./json-lines-reader.ts";

test("random files read as a naive parser reads them, from every row on", async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const lines = Array.from({ length: random.below(12) }, (_, i) => {
      const blank = random.below(4) === 0 ? ["", "  ", "\r"][random.below(3)] : undefined;
      return blank ?? JSON.stringify({ id: i, text: 'é\n"x'.repeat(random.below(6)) });
    });
    const end = random.below(2) === 0 ? "" : "\n";
    const mark = random.below(3) === 0 ? "\ufeff" : "";
    const text = mark + lines.join(random.below(2) === 0 ? "\n" : "\r\n") + end;
    const naive = lines.flatMap((line, i) => {
      return line.trim() === "" ? [] : [{ line: i + 1, value: JSON.parse(line) }];
    });
    const chunkBytes = () => 1 + random.below(40);
    const reader = new JsonLinesReader(new ChunkedBytes(text, { chunkBytes }));
    const rows = await readAll(reader);
    expect(contents(rows), `seed ${seed}`).toEqual(naive.map(({ value }) => value));
    expect(
      rows.map(({ line }) => line),
      `seed ${seed}`,
    ).toEqual(naive.map(({ line }) => line));
    for (const [i, { next }] of rows.entries()) {
      expect(next.rows, `seed ${seed}`).toBe(i + 1);
      expect(await readAll(reader, next), `seed ${seed}`).toEqual(rows.slice(i + 1));
    }
  }
});

test("numbers stay as they are written", async () => {
  const text = '{"id":18446744073709551615,"f":1e400}\n';
  const [{ content }] = await readAll(new JsonLinesReader(new ChunkedBytes(text)));
  expect(content.kind === "json" && Buffer.from(content.text).toString()).toBe(text.trim());
});

test("an empty file has no rows", async () => {
  expect(await readAll(new JsonLinesReader(new ChunkedBytes("")))).toEqual([]);
});

test("a file of more than 4 GiB is read from a position beyond 2^32", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-rows-"));
  try {
    const path = join(folder, "large.jsonl");
    const start = 2 ** 32 + 5_000_000_000;
    const file = await open(path, "w");
    await file.write('{"id":1}\n{"id":2}', start);
    await file.close();
    const position = { rows: 7_000_000_000, line: 7_000_000_001, offset: start };
    const rows = await readAll(new JsonLinesReader(new FileBytes(path)), position);
    expect(contents(rows)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(rows[1].next).toEqual({ rows: 7_000_000_002, line: 7_000_000_003, offset: start + 17 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
