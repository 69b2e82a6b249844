/** Namespaces of a Pinecone index, by its data API: ids are listed, then fetched. */

import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import { jsonText } from "../../wire/json/json-text.ts";
import {
  elementsAt,
  type MigrationSource,
  readObject,
  type SourceDescription,
  type SourceOptions,
  type SourcePage,
  sparseVector,
  valueAt,
} from "./migration-source.ts";
import { payloadAttributes } from "./payload-attributes.ts";

/** As many as one listing may have. */
const PAGE_VECTORS = 100;
const API_VERSION = "2025-01";
const METRICS: Readonly<Record<string, string>> = {
  cosine: "cosine_distance",
  euclidean: "euclidean_squared",
};
const TAKEN = new Set(["id", "vector", "sparse"]);

/**
 * See the file's head. The URL is the index's own. Values become `vector`, sparse values `sparse`,
 * metadata attributes. An empty name is the namespace without one.
 */
export class PineconeSource implements MigrationSource {
  readonly #options: SourceOptions;

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  async describe(): Promise<SourceDescription> {
    const { client, name, signal } = this.#options;
    const stats = await readObject(client, {
      method: "POST",
      path: "/describe_index_stats",
      json: {},
      headers: this.#headers(),
      repeatable: true,
      signal,
    });
    const dimension = stats.get("dimension") ?? null;
    const namespaces = stats.get("namespaces");
    if (namespaces instanceof Map && !namespaces.has(name)) {
      const names = [...namespaces.keys()].map((other) => JSON.stringify(other)).join(", ");
      throw new Error(`the index has no namespace ${JSON.stringify(name)}; it has ${names}`);
    }
    const count = valueAt(stats, "namespaces", name, "vectorCount");
    return {
      distanceMetric: METRICS[String(stats.get("metric"))],
      schema: {
        ...(dimension !== null && { vector: { type: `[${dimension}]f32`, ann: true } }),
        sparse: { type: "{}f16" },
      },
      total: typeof count === "bigint" ? Number(count) : undefined,
    };
  }

  async read(cursor: string | null): Promise<SourcePage> {
    const { client, name, signal } = this.#options;
    const headers = this.#headers();
    const listing = await readObject(client, {
      method: "GET",
      path: "/vectors/list",
      parameters: {
        namespace: name,
        limit: PAGE_VECTORS,
        paginationToken: cursor === null ? undefined : cursor,
      },
      headers,
      signal,
    });
    const listed = elementsAt(listing, "vectors").filter((vector) => vector instanceof Map);
    const next = valueAt(listing, "pagination", "next");
    const ids = listed.map((vector) => String(vector.get("id")));
    const rows = ids.length === 0 ? [] : await this.#fetch(ids);
    return { rows, next: typeof next === "string" && next !== "" ? next : null };
  }

  async #fetch(ids: readonly string[]): Promise<JsonObject[]> {
    const { client, name, signal } = this.#options;
    const query = new URLSearchParams({ namespace: name });
    for (const id of ids) query.append("ids", id);
    const path = `/vectors/fetch?${query}`;
    const answer = await readObject(client, {
      method: "GET",
      path,
      headers: this.#headers(),
      signal,
    });
    // What was deleted since it was listed is missing.
    return ids.flatMap((id) => {
      const vector = valueAt(answer, "vectors", id);
      return vector instanceof Map ? [rowOf(vector)] : [];
    });
  }

  #headers(): Record<string, string> {
    const { apiKey } = this.#options;
    const key = apiKey === undefined ? {} : { "api-key": apiKey };
    return { "x-pinecone-api-version": API_VERSION, ...key };
  }
}

function rowOf(vector: JsonObject): JsonObject {
  const values = vector.get("values");
  const sparse = vector.get("sparseValues");
  const metadata = vector.get("metadata");
  const isDense = values !== undefined && jsonText(values) !== "[]";
  const own: [string, JsonValue][] = isDense ? [["vector", values]] : [];
  if (sparse instanceof Map) own.push(["sparse", sparseVector(sparse)]);
  const id = vector.get("id") ?? null;
  const attributes = metadata instanceof Map ? payloadAttributes(id, metadata, TAKEN) : [];
  return new Map([["id", id], ...own, ...attributes]);
}
