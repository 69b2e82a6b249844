/**
 * zvec behind Node's HTTP server, with the few shapes of queries that `bench/http-peers.ts` sends:
 * both engines are measured by one client over one protocol. No checks, no writes, ids alone.
 * `node bench/zvec-server.ts FOLDER` builds in the folder what is not there yet, then prints its
 * address. HNSW has `m` 16 and `efConstruction` 200, and queries have `ef` 64; the rest is as zvec
 * has it.
 */

import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DIMENSIONS, tagOf, textDocuments, vectorDocuments } from "./peer-data.ts";

const BATCH = 500;
const EF = 64;
/** As Trawl has query threads on a machine with two cores. */
const THREADS = 2;

interface Collection {
  insertSync(documents: readonly object[]): void;
  optimizeSync(): void;
  query(query: object): Promise<readonly { readonly id: string }[]>;
}

/** What is used of the package, which is no dependency of the project. */
interface Zvec {
  ZVecInitialize(options: object): void;
  ZVecCreateAndOpen(folder: string, schema: object): Collection;
  ZVecOpen(folder: string): Collection;
  readonly ZVecCollectionSchema: new (schema: object) => object;
  readonly ZVecLogLevel: { readonly ERROR: number };
  readonly ZVecIndexType: Readonly<Record<"HNSW" | "FLAT" | "INVERT" | "FTS", number>>;
  readonly ZVecMetricType: { readonly L2: number };
  readonly ZVecDataType: Readonly<Record<"VECTOR_FP32" | "INT32" | "STRING", number>>;
}

const zvec: Zvec = createRequire(import.meta.url)("@zvec/zvec");
const { ZVecIndexType: INDEX, ZVecDataType: TYPE, ZVecMetricType: METRIC } = zvec;
zvec.ZVecInitialize({
  logLevel: zvec.ZVecLogLevel.ERROR,
  queryThreads: THREADS,
  optimizeThreads: THREADS,
});
const folder = process.argv[2];
const vectors = open("vectors", vectorFields(), () =>
  vectorDocuments().map((vec, id) => ({
    id: String(id),
    vectors: { vec },
    fields: { tag: tagOf(id) },
  })),
);
const texts = open("texts", textFields(), () =>
  textDocuments().map((text, id) => ({
    id: String(id),
    vectors: { vec: [1, 2, 3, 4] },
    fields: { text },
  })),
);
serve();

/** Opens a collection, or makes it. */
function open(name: string, schema: object, documents: () => readonly object[]): Collection {
  const path = join(folder, `zvec-${name}`);
  if (existsSync(path)) return zvec.ZVecOpen(path);
  const made = zvec.ZVecCreateAndOpen(path, new zvec.ZVecCollectionSchema(schema));
  const all = documents();
  for (let i = 0; i < all.length; i += BATCH) made.insertSync(all.slice(i, i + BATCH));
  made.optimizeSync();
  return made;
}

function vectorFields(): object {
  const indexParams = { indexType: INDEX.HNSW, metricType: METRIC.L2, m: 16, efConstruction: 200 };
  return {
    name: "vectors",
    vectors: { name: "vec", dataType: TYPE.VECTOR_FP32, dimension: DIMENSIONS, indexParams },
    fields: [{ name: "tag", dataType: TYPE.INT32, indexParams: { indexType: INDEX.INVERT } }],
  };
}

/** A collection must have a vector: here a small one that nobody asks for. */
function textFields(): object {
  const indexParams = { indexType: INDEX.FLAT, metricType: METRIC.L2 };
  return {
    name: "texts",
    vectors: { name: "vec", dataType: TYPE.VECTOR_FP32, dimension: 4, indexParams },
    fields: [{ name: "text", dataType: TYPE.STRING, indexParams: { indexType: INDEX.FTS } }],
  };
}

/** What a query of `bench/http-peers.ts` has. */
interface Query {
  readonly rank_by: readonly [attribute: "vector" | "text", kind: string, query: string];
  readonly filters?: readonly [attribute: "tag", operator: "Lt" | "Eq", value: number];
  readonly limit: number;
}

function search({ rank_by: [attribute, , query], filters, limit }: Query) {
  const shared = { topk: limit, outputFields: [] };
  if (attribute === "text") {
    return texts.query({ ...shared, fieldName: "text", fts: { matchString: query } });
  }
  const bytes = Buffer.from(query, "base64");
  const vector = new Float32Array(Uint8Array.from(bytes).buffer);
  const filter = filters && `tag ${filters[1] === "Lt" ? "<" : "="} ${filters[2]}`;
  return vectors.query({
    ...shared,
    fieldName: "vec",
    vector,
    ...(filter !== undefined && { filter }),
    params: { indexType: INDEX.HNSW, ef: EF },
  });
}

function serve(): void {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", async () => {
      try {
        const found = await search(JSON.parse(Buffer.concat(parts).toString()));
        const rows = found.map(({ id }) => ({ id: Number(id) }));
        const body = Buffer.from(JSON.stringify({ rows }));
        const type = { "content-type": "application/json", "content-length": body.length };
        response.writeHead(200, type).end(body);
      } catch (error) {
        const body = Buffer.from(String(error));
        response.writeHead(500, { "content-length": body.length }).end(body);
      }
    });
  });
  server.listen(0, "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}
