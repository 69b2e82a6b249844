import type { ApiClient } from "../../client/api-client.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import { parseJson } from "../../wire/json/json-reader.ts";
import { elementsOf } from "../../wire/json/json-shape.ts";

/** Documents of another database, page by page. */
export interface MigrationSource {
  /** What there is; asked once, before the first page. Throws where it cannot be brought over. */
  describe(): Promise<SourceDescription>;
  /** The page behind a cursor, which is null before the first one. */
  read(cursor: string | null): Promise<SourcePage>;
}

/** What is known of a source before its documents are read. */
export interface SourceDescription {
  /** The metric of its vectors; undefined where it does not say, or has none that is known here. */
  readonly distanceMetric: string | undefined;
  /** Types and options of attributes, as writes take them. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Documents, where it can be told. */
  readonly total: number | undefined;
}

/** Some documents. */
export interface SourcePage {
  /** Rows as writes take them, with `id` first. */
  readonly rows: readonly JsonObject[];
  /** Where to go on; null behind the last page. */
  readonly next: string | null;
}

/** What sources are made of. */
export interface SourceOptions {
  readonly client: ApiClient;
  /** Name of the collection, index namespace or namespace. */
  readonly name: string;
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
}

/** Reads JSON without rounding, and gives the object that it must be. */
export async function readObject(
  client: ApiClient,
  request: Parameters<ApiClient["send"]>[0],
): Promise<JsonObject> {
  const answer = await client.send(request);
  const value = parseJson(await answer.bytes());
  if (value instanceof Map) return value;
  throw new Error(`${client.url}${request.path} answers something else than an object`);
}

/** The object at a path of members; throws where there is none, naming the path. */
export function objectAt(object: JsonObject, ...path: readonly string[]): JsonObject {
  const value = valueAt(object, ...path);
  if (value instanceof Map) return value;
  throw new Error(`the answer has no object ${path.join(".")}`);
}

/** The elements of the array at a path; throws where there is none, naming the path. */
export function elementsAt(object: JsonObject, ...path: readonly string[]): readonly JsonValue[] {
  const elements = elementsOf(valueAt(object, ...path) ?? null);
  if (elements !== undefined) return elements;
  throw new Error(`the answer has no array ${path.join(".")}`);
}

/** The value at a path of members; undefined where there is none. */
export function valueAt(object: JsonObject, ...path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const name of path) value = value instanceof Map ? value.get(name) : undefined;
  return value;
}

/** A sparse vector of `indices` and `values` as one of ours: weights by names. */
export function sparseVector(vector: JsonObject): JsonObject {
  const weights = elementsAt(vector, "values");
  return new Map(elementsAt(vector, "indices").map((index, i) => [String(index), weights[i]]));
}
