/** Native embedding: by what needs no service, and by a service over HTTP. */

import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { MIB } from "../../src/base/byte-sizes.ts";
import { safetensorsOf } from "../support/models/safetensors-file.ts";
import {
  EMBEDDING_TEXT_MAX,
  type EmbeddingServer,
  letterVector,
  startEmbeddingServer,
} from "../support/servers/embedding-server.ts";
import { fileServer } from "../support/servers/file-server.ts";
import {
  expectFault,
  idsOf,
  sdkClient,
  testNamespaces,
  untyped,
} from "../support/servers/sdk-client.ts";
import { startServer } from "../support/servers/server-process.ts";

const MODEL = "openai/text-embedding-3-small";

/** Ranks by an embedded text. */
function near(attribute: string, text: string, options?: object) {
  const embed = options === undefined ? ["Embed", text] : ["Embed", text, options];
  return { rank_by: untyped<["id", "asc"]>([attribute, "ANN", embed]), limit: 5 };
}

describe("the offline embedder", () => {
  const namespace = testNamespaces("embedding");
  const create = (ns: ReturnType<typeof namespace>, embed: object | string, rows: object[]) =>
    ns.write({
      distance_metric: "cosine_distance",
      schema: { text: { type: "string", embed: untyped<string>(embed) } },
      upsert_rows: untyped(rows),
    });

  test("embeds documents and queries, and similar texts are near", async () => {
    const ns = namespace();
    const answer = await create(ns, MODEL, [
      { id: 1, text: "a fishing boat in the harbour" },
      { id: 2, text: "portrait of a woman with a hat" },
    ]);
    expect(answer.performance).toMatchObject({
      embedding_tokens: expect.toSatisfy((tokens) => tokens > 5),
      embedding_ms: expect.any(Number),
    });
    expect((await ns.schema()).embed_text.type).toBe("[1536]f16");
    const found = await ns.query(near("text", "boats in a harbour"));
    expect(idsOf(found)[0]).toBe(1);
    expect(found.performance).toMatchObject({ embedding_tokens: expect.any(Number) });
    const byVector = await ns.query(near("embed_text", "woman portrait", { model: MODEL }));
    expect(idsOf(byVector)[0]).toBe(2);
    await expectFault(ns.query(near("embed_text", "woman")), 400);
    await expectFault(ns.query(near("text", untyped(12))), 422);
  });

  test("takes dimensions, an existing attribute, and vectors that documents bring", async () => {
    const ns = namespace();
    await ns.write({
      distance_metric: "euclidean_squared",
      schema: {
        vector: { type: "[4]f32", ann: true },
        text: { type: "string", embed: { model: MODEL, attribute: "vector" } },
      },
      upsert_rows: [{ id: 1, text: "own words", vector: [1, 2, 3, 4] }],
    });
    const answer = await ns.query({
      rank_by: ["vector", "ANN", [1, 2, 3, 4]],
      limit: 1,
      include_attributes: true,
    });
    expect(answer.rows).toEqual([{ id: 1, $dist: 0, text: "own words", vector: [1, 2, 3, 4] }]);
    const sized = namespace();
    await create(sized, { model: MODEL, dims: 32 }, [{ id: 1, text: "x" }]);
    expect((await sized.schema()).embed_text.type).toBe("[32]f16");
    await sized.write({ upsert_rows: [{ id: 2, text: "later words" }] });
    expect(idsOf(await sized.query(near("text", "later words")))[0]).toBe(2);
    await sized.write({ schema: { text: { type: "string", embed: null } } });
    await expectFault(sized.query(near("text", "x")), 400);
  });

  test("needs a text in every document, a metric, and at most 30 documents", async () => {
    await expectFault(create(namespace(), MODEL, [{ id: 1 }]), 400);
    await expectFault(create(namespace(), MODEL, [{ id: 1, text: "" }]), 400);
    const many = Array.from({ length: 31 }, (_, id) => ({ id, text: `text ${id}` }));
    await expectFault(create(namespace(), MODEL, many), 400, "30");
    const noMetric = namespace().write({
      schema: { text: { type: "string", embed: MODEL } },
      upsert_rows: [{ id: 1, text: "x" }],
    });
    await expectFault(noMetric, 400, "distance_metric must be specified");
  });
});

describe("static models", () => {
  let folder = "";

  const server = fileServer(async () => {
    folder = mkdtempSync(join(tmpdir(), "trawl-tiny-"));
    const vocab = { "[UNK]": 0, fish: 1, boat: 2 };
    const model = { type: "WordLevel", unk_token: "[UNK]", vocab };
    const tokenizer = { pre_tokenizer: { type: "Whitespace" }, model };
    const data = new Float32Array([0, 0, 1, 0, 0, 1]);
    const embeddings = { type: "F32", shape: [3, 2], data };
    writeFileSync(join(folder, "model.safetensors"), safetensorsOf({ embeddings }));
    writeFileSync(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
    writeFileSync(join(folder, "config.json"), JSON.stringify({ normalize: true }));
    return { arguments: ["--query-threads", "1", "--static-models", `acme/tiny=${folder}`] };
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const client = () => sdkClient({ baseURL: server.url, timeout: 20_000 });
  const schema = (model: string) => ({
    text: { type: "string" as const, embed: untyped<string>(model) },
  });

  test("trawl/static-en is there without any setting, and knows other words", async () => {
    const ns = client().namespace("static-en");
    await ns.write({
      distance_metric: "cosine_distance",
      schema: schema("trawl/static-en"),
      upsert_rows: [
        { id: 1, text: "the physician cures a patient" },
        { id: 2, text: "an automobile drives on a road" },
        { id: 3, text: "a violin in an orchestra" },
      ],
    });
    expect((await ns.schema()).embed_text.type).toBe("[384]f16");
    expect(idsOf(await ns.query(near("text", "doctor")))[0]).toBe(1);
    expect(idsOf(await ns.query(near("text", "cars")))[0]).toBe(2);
    const found = await ns.query(near("embed_text", "music", { model: "trawl/static-en" }));
    expect(idsOf(found)[0]).toBe(3);
  });

  test("/metrics show what models take, and what they may take", async () => {
    const bytesOf = async () => {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      const rows = text.matchAll(/^trawl_static_model_bytes\{(.*)\} (\d+)$/gm);
      return new Map([...rows].map(([, labels, bytes]) => [labels, Number(bytes)]));
    };
    const ns = client().namespace("measured");
    await ns.write({
      distance_metric: "cosine_distance",
      schema: schema("acme/tiny"),
      upsert_rows: [{ id: 1, text: "fish" }],
    });
    // Threads report once a second.
    await vi.waitFor(async () => {
      const bytes = await bytesOf();
      expect(bytes.get('model="acme/tiny",thread="shared"')).toBeGreaterThan(0);
      expect(bytes.get('model="acme/tiny",thread="write"')).toBeGreaterThan(0);
    }, 20_000);
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(text).toMatch(/^trawl_static_model_bytes_max [1-9]\d+$/m);
  });

  test("a model that has no room is refused at the start", async () => {
    const large = mkdtempSync(join(tmpdir(), "trawl-large-"));
    const file = join(large, "model.safetensors");
    writeFileSync(file, "");
    truncateSync(file, 100 * MIB);
    const flags = ["--memory-limit", "256MiB", "--static-models", `acme/large=${large}`];
    const data = join(large, "data");
    await expect(startServer({ dataDir: data, arguments: flags })).rejects.toThrow(
      /acme\/large .* takes 100\.0 MiB.*--memory-limit \(256\.0 MiB\): raise it to/,
    );
    rmSync(large, { recursive: true });
  });

  test("a folder of one's own goes by the name that it is given", async () => {
    const ns = client().namespace("tiny");
    await ns.write({
      distance_metric: "cosine_distance",
      schema: schema("acme/tiny"),
      upsert_rows: [
        { id: 1, text: "fish" },
        { id: 2, text: "boat" },
      ],
    });
    expect((await ns.schema()).embed_text.type).toBe("[2]f16");
    expect(idsOf(await ns.query(near("text", "unheard boat")))).toEqual([2, 1]);
  });

  test("other models are told what there is", async () => {
    const write = client()
      .namespace("other")
      .write({
        distance_metric: "cosine_distance",
        schema: {
          text: { type: "string", embed: untyped<string>({ model: "acme/other", dims: 4 }) },
        },
        upsert_rows: [{ id: 1, text: "x" }],
      });
    await expectFault(write, 400, 'name "trawl/static-en"');
    const sized = client()
      .namespace("sized")
      .write({
        distance_metric: "cosine_distance",
        schema: {
          text: { type: "string", embed: untyped<string>({ model: "acme/tiny", dims: 4 }) },
        },
        upsert_rows: [{ id: 1, text: "fish" }],
      });
    await expectFault(sized, 400, "makes vectors of 2 dimensions, and 4 are asked for");
  });
});

describe("an embedding service", () => {
  let service: EmbeddingServer;
  let ns: ReturnType<ReturnType<typeof sdkClient>["namespace"]>;

  const server = fileServer(async () => {
    service = await startEmbeddingServer();
    return {
      arguments: [
        ...["--query-threads", "1", "--embedder", "http", "--embedding-url", service.url],
        ...["--embedding-dimensions", "mine=4", "--indexer", "off"],
      ],
      environment: { TRAWL_EMBEDDING_API_KEY: "service-key" },
    };
  });

  beforeAll(async () => {
    ns = sdkClient({ baseURL: server.url, timeout: 20_000 }).namespace("service");
    await ns.write({
      distance_metric: "euclidean_squared",
      schema: { text: { type: "string", embed: "mine" } },
      upsert_rows: [
        { id: 1, text: "abc" },
        { id: 2, text: "aaaa" },
      ],
    });
  });

  beforeEach(() => {
    service.mood = "working";
    service.calls.length = 0;
  });

  afterAll(() => service.close());

  test("gives the vectors of documents and queries, with the key and the model", async () => {
    const answer = await ns.query({ ...near("text", "aaaa"), include_attributes: ["embed_text"] });
    expect(answer.rows?.[0]).toEqual({ id: 2, $dist: 0, embed_text: letterVector("aaaa", 4) });
    expect(service.calls).toEqual([
      {
        model: "mine",
        input: ["aaaa"],
        dimensions: undefined,
        authorization: "Bearer service-key",
      },
    ]);
    const write = await ns.write({
      upsert_rows: [
        { id: 3, text: "one two" },
        { id: 4, text: "three" },
      ],
    });
    expect(write.performance).toMatchObject({ embedding_tokens: 3 });
  });

  test("its rate limit is a 429 that clients may repeat, and nothing is written", async () => {
    service.mood = "rate_limited";
    // The SDK repeats writes six times, whatever the client says, unless the call says otherwise.
    const once = { maxRetries: 0 };
    const upsert = ns.write({ upsert_rows: [{ id: 9, text: "never" }] }, once);
    await expectFault(upsert, 429);
    await expectFault(ns.query(near("text", "x")), 429);
    service.mood = "working";
    expect(idsOf(await ns.query({ filters: ["id", "Eq", 9], limit: 1 }))).toEqual([]);
  });

  test("its failures and nonsense are reported as its own, and nothing is written", async () => {
    for (const mood of ["broken", "misshapen"] as const) {
      service.mood = mood;
      const fault = await ns.query(near("text", "x")).catch((error: unknown) => error);
      expect([mood, fault]).toEqual([
        mood,
        expect.objectContaining({
          status: expect.toSatisfy((s) => s >= 500),
          message: expect.stringMatching(/embedding/i),
        }),
      ]);
    }
  });

  test("a model must be known by name, or its dimensions be given", async () => {
    const create = (embed: unknown) =>
      sdkClient({ baseURL: server.url })
        .namespace("unknown-model")
        .write({
          distance_metric: "cosine_distance",
          schema: { text: { type: "string", embed: untyped<string>(embed) } },
          upsert_rows: [{ id: 1, text: "x" }],
        });
    await expectFault(create("no/such-model"), 400, "no/such-model");
    await create({ model: "no/such-model", dims: 4 });
    expect(service.calls.at(-1)).toMatchObject({ model: "no/such-model", dimensions: 4 });
  });

  test("texts that are too long for it are cut and tried again", async () => {
    service.mood = "too_long";
    const text = "word ".repeat(EMBEDDING_TEXT_MAX);
    await ns.write({ upsert_rows: [{ id: 5, text }] });
    const answer = await ns.query({
      filters: ["id", "Eq", 5],
      limit: 1,
      include_attributes: ["text"],
    });
    expect(answer.rows).toEqual([{ id: 5, text }]);
  });
});
