/** Collections of Chroma, by the second version of its HTTP API. */

import { apiPath } from "../../client/api-client.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import {
  elementsAt,
  type MigrationSource,
  readObject,
  type SourceDescription,
  type SourceOptions,
  type SourcePage,
  valueAt,
} from "./migration-source.ts";
import { payloadAttributes } from "./payload-attributes.ts";

const PAGE_DOCUMENTS = 200;
const METRICS: Readonly<Record<string, string>> = {
  cosine: "cosine_distance",
  l2: "euclidean_squared",
};
/** What every collection has; metadata of the same names gets others. */
const TAKEN = new Set(["id", "vector", "document"]);

/**
 * See the file's head. Embeddings become `vector`, documents the text `document`, which can be
 * searched. The name may have tenant and database in front: `tenant/database/collection`.
 */
export class ChromaSource implements MigrationSource {
  readonly #options: SourceOptions;
  readonly #place: readonly string[];
  readonly #name: string;
  #id: string | undefined;

  constructor(options: SourceOptions) {
    this.#options = options;
    const parts = options.name.split("/");
    const [tenant, database, name] =
      parts.length === 3 ? parts : ["default_tenant", "default_database", options.name];
    this.#name = name;
    this.#place = ["api", "v2", "tenants", tenant, "databases", database, "collections"];
  }

  async describe(): Promise<SourceDescription> {
    const collection = await this.#collection();
    const space =
      valueAt(collection, "configuration_json", "hnsw", "space") ??
      valueAt(collection, "configuration_json", "spann", "space") ??
      valueAt(collection, "metadata", "hnsw:space") ??
      "l2";
    const dimension = collection.get("dimension") ?? null;
    const total = await this.#count();
    return {
      distanceMetric: METRICS[String(space)],
      schema: {
        ...(dimension !== null && { vector: { type: `[${dimension}]f32`, ann: true } }),
        document: { type: "string", full_text_search: true },
      },
      total,
    };
  }

  async read(cursor: string | null): Promise<SourcePage> {
    const offset = cursor === null ? 0 : Number(cursor);
    const answer = await readObject(this.#options.client, {
      method: "POST",
      path: apiPath(...this.#place, await this.#collectionId(), "get"),
      json: { limit: PAGE_DOCUMENTS, offset, include: ["embeddings", "documents", "metadatas"] },
      headers: this.#headers(),
      repeatable: true,
      signal: this.#options.signal,
    });
    const rows = rowsOf(answer);
    return { rows, next: rows.length < PAGE_DOCUMENTS ? null : String(offset + rows.length) };
  }

  #collection(): Promise<JsonObject> {
    const path = apiPath(...this.#place, this.#name);
    const { client, signal } = this.#options;
    return readObject(client, { method: "GET", path, headers: this.#headers(), signal });
  }

  async #collectionId(): Promise<string> {
    this.#id ??= String((await this.#collection()).get("id"));
    return this.#id;
  }

  async #count(): Promise<number> {
    const path = apiPath(...this.#place, await this.#collectionId(), "count");
    const { client, signal } = this.#options;
    return client.json<number>({ method: "GET", path, headers: this.#headers(), signal });
  }

  #headers(): Record<string, string> {
    const { apiKey } = this.#options;
    return apiKey === undefined ? {} : { "x-chroma-token": apiKey };
  }
}

/** The answer is by columns, of which those that were not asked for, or are not there, are null. */
function rowsOf(answer: JsonObject): JsonObject[] {
  const column = (name: string) =>
    (answer.get(name) ?? null) === null ? [] : elementsAt(answer, name);
  const [embeddings, documents, metadatas] = ["embeddings", "documents", "metadatas"].map(column);
  return elementsAt(answer, "ids").map((id, i) => {
    const metadata = metadatas[i];
    const attributes = metadata instanceof Map ? payloadAttributes(id, metadata, TAKEN) : [];
    const own: [string, JsonValue | undefined][] = [
      ["vector", embeddings[i]],
      ["document", documents[i]],
    ];
    const given = own.flatMap(([name, value]): [string, JsonValue][] =>
      value === undefined || value === null ? [] : [[name, value]],
    );
    return new Map([["id", id], ...given, ...attributes]);
  });
}
