import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { safetensorsOf } from "../../test/support/models/safetensors-file.ts";
import { GIB, MIB } from "../base/byte-sizes.ts";
import { readStaticModels } from "./static-models.ts";

const OWN_THREAD_BYTES = 6 * MIB;

let root = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "trawl-models-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Writes a folder with two words of so many dimensions. */
function folder(name: string, dimensions: number): string {
  const path = join(root, name);
  mkdirSync(path);
  const data = new Float32Array(2 * dimensions);
  const embeddings = { type: "F32", shape: [2, dimensions], data };
  const model = { type: "WordLevel", vocab: { fish: 0, boat: 1 } };
  writeFileSync(join(path, "model.safetensors"), safetensorsOf({ embeddings }));
  writeFileSync(join(path, "tokenizer.json"), JSON.stringify({ model }));
  writeFileSync(join(path, "config.json"), "{}");
  return path;
}

interface Server {
  readonly memoryBytesMax: number;
  readonly queryThreads: number;
}

async function read(paths: Readonly<Record<string, string>>, server: Server) {
  const warnings: string[] = [];
  const models = await readStaticModels({
    ...server,
    staticModels: Object.entries(paths).map(([name, path]) => ({ name, path })),
    log: (_level, message, facts) => warnings.push(`${message}: ${facts?.reason}`),
  });
  return { ...models, warnings };
}

test("models have a quarter of the memory, and are planned for in each thread", async () => {
  const path = folder("small", 8);
  const server = { memoryBytesMax: GIB, queryThreads: 2 };
  const { folders, plannedBytes, bytesMax, warnings } = await read({ "a/small": path }, server);
  const [{ sharedBytes, threadBytes }] = folders;
  expect(sharedBytes).toBeGreaterThan(2 * 8 * 4);
  expect(plannedBytes).toBe(sharedBytes + 4 * threadBytes + 4 * OWN_THREAD_BYTES);
  expect([bytesMax, warnings]).toEqual([GIB / 4, []]);
});

test("a folder without room is refused before it is read, with what would help", async () => {
  const path = folder("huge", 8);
  truncateSync(join(path, "model.safetensors"), 80 * MIB);
  const server = { memoryBytesMax: 256 * MIB, queryThreads: 2 };
  await expect(read({ "a/huge": path }, server)).rejects.toThrow(
    `static model a/huge (${path}) takes 80.0 MiB; static models may have 64.0 MiB, 25 % of ` +
      "--memory-limit (256.0 MiB): raise it to 320.0 MiB, lower --query-threads (now 2), or " +
      "leave a model out of --static-models",
  );
});

test("a folder is refused that has no room beside those before it", async () => {
  const paths = Object.fromEntries(
    // Two words of 10,000 dimensions have 80,000 bytes.
    Array.from({ length: 3 }, (_, i) => [`a/${i}`, folder(`beside-${i}`, 10_000)]),
  );
  const server = { memoryBytesMax: 4 * 200_000, queryThreads: 1 };
  await expect(read(paths, server)).rejects.toThrow(
    /a\/2 .* takes .*, and others have 15\d\.\d KiB;/,
  );
});

test("the model that ships with Trawl never keeps a server from starting", async () => {
  const { ownRefusal, plannedBytes, warnings } = await read(
    {},
    { memoryBytesMax: 256 * MIB, queryThreads: 9 },
  );
  expect(plannedBytes).toBe(0);
  expect(ownRefusal).toContain(
    "static model trawl/static-en takes 66.0 MiB; static models may have 64.0 MiB",
  );
  expect(warnings).toEqual([`requests with trawl/static-en are refused: ${ownRefusal}`]);
  const fitting = await read({}, { memoryBytesMax: 256 * MIB, queryThreads: 8 });
  expect([fitting.ownRefusal, fitting.warnings]).toEqual([undefined, []]);
});
