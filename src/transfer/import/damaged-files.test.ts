/** Files with damage anywhere are read, or refused by name in words of this program. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import {
  dictionary,
  float32,
  list,
  tableFromArrays,
  tableToIPC,
  timestamp,
  utf8,
} from "@uwdata/flechette";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { damagedBytes } from "../../../test/support/random/damaged-bytes.ts";
import { seededRandom } from "../../base/random.ts";
import { FILE_START, FileFault } from "../read/source-row.ts";
import { openRows } from "./open-rows.ts";

const folder = mkdtempSync(join(tmpdir(), "trawl-damaged-"));
afterAll(() => rmSync(folder, { recursive: true }));

const COUNT = 40;
const TEXTS = Array.from({ length: COUNT }, (_, i) => `text ${i % 7}`);
const VECTORS = Array.from({ length: COUNT }, (_, i) => [i, 0.5, -i]);
const LINES = TEXTS.map((text, i) => `{"id":${i},"t":"${text}"}\n`).join("");

function parquet(): Uint8Array {
  const decimal = { converted_type: "DECIMAL" as const, scale: 2, precision: 9 };
  const bytes = parquetWriteBuffer({
    schema: [
      { name: "root", num_children: 3 },
      { name: "t", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
      { name: "d", type: "INT64", repetition_type: "OPTIONAL", ...decimal },
      { name: "v", converted_type: "LIST", repetition_type: "OPTIONAL", num_children: 1 },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { name: "element", type: "FLOAT", repetition_type: "OPTIONAL" },
    ],
    columnData: [
      { name: "t", data: TEXTS },
      { name: "d", data: TEXTS.map((_, i) => BigInt(i)) },
      { name: "v", data: VECTORS },
    ],
  });
  return new Uint8Array(bytes);
}

function arrow(format: "file" | "stream"): Uint8Array {
  const types = { t: dictionary(utf8()), u: utf8(), at: timestamp(), v: list(float32()) };
  const data = { t: TEXTS, u: TEXTS, at: TEXTS.map((_, i) => i), v: VECTORS };
  return tableToIPC(tableFromArrays(data, { types }), { format }) ?? new Uint8Array(0);
}

test.each<[string, Uint8Array]>([
  ["a.parquet", parquet()],
  ["a.arrow", arrow("file")],
  ["b.arrow", arrow("stream")],
  ["a.jsonl.gz", gzipSync(LINES)],
  ["a.jsonl.zst", zstdCompressSync(LINES)],
  ["a.csv", Buffer.from(`id,t\n${TEXTS.map((text, i) => `${i},"${text}"`).join("\n")}`)],
  ["a.json", Buffer.from(`[${LINES.trim().split("\n").join()}]`)],
])("%s", async (name, whole) => {
  const seed = 20_261_128;
  const random = seededRandom(seed);
  const path = join(folder, name);
  const runs = effort({ usual: 15, full: 300 });
  let refused = 0;
  for (let run = 0; run < runs; run++) {
    writeFileSync(path, damagedBytes(whole, random));
    const fault = await faultOf(path);
    if (fault === undefined) continue;
    refused++;
    const message = `seed ${seed}, run ${run}: ${fault.stack}, ${(fault.cause as Error)?.stack}`;
    expect(fault, message).toBeInstanceOf(FileFault);
    expect(fault.message, message).toContain(path);
    expect(fault.message.length, message).toBeLessThan(1_000);
  }
  expect(refused).toBeGreaterThan(runs / 10);
});

async function faultOf(path: string): Promise<Error | undefined> {
  try {
    const { reader } = await openRows(path, process.stdin);
    await reader.columns();
    for await (const rows of reader.rows(FILE_START)) if (rows.length === 0) break;
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

test("an empty file is refused as one, whatever its format", async () => {
  for (const name of ["e.csv", "e.jsonl", "e.json", "e.parquet", "e.arrow", "e.csv.gz"]) {
    const path = join(folder, name);
    writeFileSync(path, name.endsWith(".gz") ? gzipSync("") : "");
    await expect(openRows(path, process.stdin)).rejects.toThrow(
      `${path} is empty: there are no rows to import; leave it out`,
    );
  }
});

test("a file that is not there is refused in words", async () => {
  await expect(openRows(join(folder, "none.csv"), process.stdin)).rejects.toThrow(
    /none.csv was not found$/,
  );
});
