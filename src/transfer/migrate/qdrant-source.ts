/** Collections of Qdrant, by its REST API: `collections/{name}` and `points/scroll`. */

import { apiPath } from "../../client/api-client.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import { jsonText } from "../../wire/json/json-text.ts";
import {
  elementsAt,
  type MigrationSource,
  objectAt,
  readObject,
  type SourceDescription,
  type SourceOptions,
  type SourcePage,
  sparseVector,
  valueAt,
} from "./migration-source.ts";
import { payloadAttributes } from "./payload-attributes.ts";

const PAGE_POINTS = 200;
const METRICS: Readonly<Record<string, string>> = {
  Cosine: "cosine_distance",
  Euclid: "euclidean_squared",
};

/** See the file's head. The unnamed vector becomes `vector`, named ones keep their names. */
export class QdrantSource implements MigrationSource {
  readonly #options: SourceOptions;
  #vectorNames: ReadonlySet<string> = new Set(["vector"]);

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  async describe(): Promise<SourceDescription> {
    const { client, name, signal } = this.#options;
    const path = apiPath("collections", name);
    const request = { method: "GET", path, headers: this.#headers(), signal } as const;
    const result = objectAt(await readObject(client, request), "result");
    const params = objectAt(result, "config", "params");
    const dense = valueAt(params, "vectors");
    const named = dense instanceof Map ? namedVectors(dense) : [];
    const sparse = valueAt(params, "sparse_vectors");
    const sparseNames = sparse instanceof Map ? [...sparse.keys()] : [];
    this.#vectorNames = new Set([...named.map(([vector]) => vector), ...sparseNames]);
    const metrics = new Set(named.map(([, config]) => METRICS[String(config.get("distance"))]));
    const count = valueAt(result, "points_count");
    return {
      distanceMetric: metrics.size === 1 ? [...metrics][0] : undefined,
      schema: Object.fromEntries([
        ...named.map(([vector, config]) => [vector, denseSchema(config)]),
        ...sparseNames.map((vector) => [vector, { type: "{}f16" }]),
      ]),
      total: typeof count === "bigint" ? Number(count) : undefined,
    };
  }

  async read(cursor: string | null): Promise<SourcePage> {
    const { client, name, signal } = this.#options;
    const offset = cursor === null ? "" : `,"offset":${cursor}`;
    const answer = await readObject(client, {
      method: "POST",
      path: apiPath("collections", name, "points", "scroll"),
      body: `{"limit":${PAGE_POINTS},"with_payload":true,"with_vector":true${offset}}`,
      headers: this.#headers(),
      repeatable: true,
      signal,
    });
    const points = elementsAt(answer, "result", "points").filter((point) => point instanceof Map);
    const next = valueAt(answer, "result", "next_page_offset") ?? null;
    const rows = points.map((point) => this.#row(point));
    return { rows, next: next === null ? null : jsonText(next) };
  }

  #row(point: JsonObject): JsonObject {
    const vector = point.get("vector") ?? null;
    const vectors: [string, JsonValue][] =
      vector instanceof Map
        ? [...vector].map(([name, value]) => [name, vectorOf(value)])
        : vector === null
          ? []
          : [["vector", vector]];
    const payload = point.get("payload");
    const taken = new Set(["id", ...this.#vectorNames]);
    const id = point.get("id") ?? null;
    const attributes = payload instanceof Map ? payloadAttributes(id, payload, taken) : [];
    return new Map([["id", id], ...vectors, ...attributes]);
  }

  #headers(): Record<string, string> {
    const { apiKey } = this.#options;
    const key = apiKey === undefined ? {} : { "api-key": apiKey };
    return { "content-type": "application/json", ...key };
  }
}

/** The dense vectors by name; one without a name is described at once. */
function namedVectors(vectors: JsonObject): [string, JsonObject][] {
  if (vectors.has("size")) return [["vector", vectors]];
  return [...vectors].flatMap(([name, config]) => (config instanceof Map ? [[name, config]] : []));
}

function denseSchema(config: JsonObject): object {
  const size = String(config.get("size"));
  if (valueAt(config, "multivector_config") instanceof Map) {
    return { type: `[][${size}]f32`, ann: { late_interaction: true } };
  }
  return { type: `[${size}]f32`, ann: true };
}

function vectorOf(value: JsonValue): JsonValue {
  return value instanceof Map ? sparseVector(value) : value;
}
