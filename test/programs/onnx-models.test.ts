/** Native embedding by ONNX models in folders, from the setting to the answer. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { SPECIAL_TOKENS, writeOnnxFolder } from "../support/models/onnx-model-folder.ts";
import { fileServer } from "../support/servers/file-server.ts";
import { expectFault, idsOf, sdkClient, untyped } from "../support/servers/sdk-client.ts";
import { startServer } from "../support/servers/server-process.ts";

const WORDS = ["fish", "boat", "harbour", "car", "road"];
/** By what they are about: water, land. */
const MEANINGS = [
  [0, 0],
  [0, 0],
  [0, 0],
  [5, 1],
  [4, 1],
  [3, 1],
  [1, 4],
  [1, 5],
];

const folders = mkdtempSync(join(tmpdir(), "trawl-onnx-models-"));
afterAll(() => rmSync(folders, { recursive: true, force: true }));

const server = fileServer(async () => {
  const path = join(folders, "tiny");
  writeOnnxFolder(path, { words: WORDS, vectors: MEANINGS });
  return { arguments: ["--query-threads", "2", "--onnx-models", `acme/tiny=${path}`] };
});

const namespaceOf = (name: string) =>
  sdkClient({ baseURL: server.url, timeout: 20_000 }).namespace(name);

function near(text: string) {
  return { rank_by: untyped<["id", "asc"]>(["text", "ANN", ["Embed", text]]), limit: 5 };
}

async function fill(name: string) {
  const ns = namespaceOf(name);
  const answer = await ns.write({
    distance_metric: "euclidean_squared",
    schema: { text: { type: "string", embed: untyped<string>("acme/tiny") } },
    upsert_rows: [
      { id: 1, text: "a fish" },
      { id: 2, text: "a car on a road" },
      { id: 3, text: "boat harbour" },
    ],
  });
  return { ns, answer };
}

test("documents and queries are embedded by the model", async () => {
  const { ns, answer } = await fill("things");
  expect(answer.performance).toMatchObject({ embedding_tokens: 15 });
  expect((await ns.schema()).embed_text.type).toBe("[2]f16");
  const found = await ns.query({ ...near("harbour boat"), include_attributes: true });
  expect(idsOf(found)[0]).toBe(3);
  expect(found.rows?.[0].$dist).toBeCloseTo(0, 5);
  // The mean of four tokens, of which the special ones have vectors of zeros.
  expect(found.rows?.[0].embed_text).toEqual([1.75, 0.5]);
  expect(idsOf(await ns.query(near("road")))[0]).toBe(2);
});

test("many queries at once are answered, beside writes", async () => {
  const { ns } = await fill("busy");
  const queries = Array.from({ length: 40 }, (_, i) => ns.query(near(i % 2 ? "car road" : "fish")));
  const rows = Array.from({ length: 30 }, (_, i) => ({ id: 10 + i, text: "harbour ".repeat(400) }));
  const [answers] = await Promise.all([Promise.all(queries), ns.write({ upsert_rows: rows })]);
  // Words alone are nearest where there is no more than they.
  answers.forEach((answer, i) => {
    if (i % 2) expect(idsOf(answer)[0]).toBe(2);
  });
});

test("/metrics have what the model did and what is set aside for it", async () => {
  await fill("measured");
  const metricOf = async (row: string) => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${row} `))
        ?.slice(row.length),
    );
  };
  // The thread reports once a second.
  await vi.waitFor(async () => {
    expect(await metricOf('trawl_onnx_texts_total{model="acme/tiny"}')).toBeGreaterThan(2);
    expect(await metricOf('trawl_onnx_tokens_total{model="acme/tiny"}')).toBeGreaterThan(15);
    expect(await metricOf('trawl_onnx_work_seconds_total{model="acme/tiny"}')).toBeGreaterThan(0);
    expect(await metricOf("trawl_onnx_requests_waiting")).toBe(0);
  }, 20_000);
  expect(await metricOf("trawl_onnx_requests_refused_total")).toBe(0);
  expect(await metricOf('trawl_onnx_model_bytes{model="acme/tiny"}')).toBeGreaterThan(0);
  expect(await metricOf("trawl_onnx_model_bytes_max")).toBeGreaterThan(0);
});

test("dimensions of another model are refused", async () => {
  const write = namespaceOf("sized").write({
    distance_metric: "cosine_distance",
    schema: { text: { type: "string", embed: untyped<string>({ model: "acme/tiny", dims: 3 }) } },
    upsert_rows: [{ id: 1, text: "fish" }],
  });
  await expectFault(write, 400, 'model "acme/tiny" makes vectors of 2 dimensions');
});

test("a folder that cannot work keeps the server from starting, with the reason", async () => {
  const broken = join(folders, "broken");
  const words = [...WORDS, "quay"];
  writeOnnxFolder(broken, { words, vectors: MEANINGS });
  expect(words.length + SPECIAL_TOKENS.length).toBeGreaterThan(MEANINGS.length);
  const dataDir = join(folders, "data");
  const start = (flags: readonly string[]) => startServer({ dataDir, arguments: flags });
  await expect(start(["--onnx-models", `acme/broken=${broken}`])).rejects.toThrow(
    /broken\/model\.onnx fails with two short texts: .*both files must be of one model/,
  );
  await expect(start(["--onnx-models", `acme/none=${folders}`])).rejects.toThrow(
    "has no model.onnx and no onnx/model.onnx",
  );
  const tiny = join(folders, "tiny");
  const small = ["--memory-limit", "256MiB", "--onnx-models", `acme/tiny=${tiny}`];
  await expect(start(small)).rejects.toThrow(
    /ONNX model acme\/tiny .* 50 % of --memory-limit \(256\.0 MiB\): raise it to 256\.\d MiB/,
  );
});
