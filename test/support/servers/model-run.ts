/**
 * Random writes and queries over HTTP, against the slow twin: every attribute type, every write
 * operation, through growth, replacement, deletion, merges, stops and kills of the server.
 */

import { expect } from "vitest";
import { type Random, seededRandom } from "../../../src/base/random.ts";
import { runSteps } from "../../../src/base/steps.ts";
import type { TypedDocument } from "../../../src/codec/columns-builder.ts";
import type { AttributeType } from "../../../src/model/attribute-type.ts";
import type { Filter } from "../../../src/model/filter.ts";
import type { Query, QueryRequest } from "../../../src/model/query.ts";
import type { QueryResult } from "../../../src/model/query-result.ts";
import type { Schema } from "../../../src/model/schema.ts";
import type { AttributeValue, DocumentId } from "../../../src/model/value.ts";
import { ResultWriter } from "../../../src/wire/answers/result-json.ts";
import { jsonBytes } from "../../../src/wire/json/json-writer.ts";
import {
  parseExactly,
  wireFilter,
  wireRequest,
  wireRow,
  wireSchema,
  wireText,
} from "../documents/wire-text.ts";
import { NaiveDatabase } from "../queries/naive-database.ts";
import { naiveMatches, naiveValue } from "../queries/naive-filter.ts";
import { documentQuery, requestOf } from "../queries/query-fixture.ts";
import { randomDocument, randomId, randomValue } from "../random/random-documents.ts";
import {
  everyTypeSchema,
  pick,
  randomFilter,
  randomQuery,
  randomVectorRank,
} from "../random/random-queries.ts";

/** How long and how wide a run is. */
export interface ModelRun {
  readonly seed: number;
  /** Namespaces, one after the other, each with another type of ids or metric. */
  readonly namespaces: number;
  /** Writes to each. */
  readonly writes: number;
  /** Queries after each write. */
  readonly queries: number;
  /** Writes between two restarts, on average. */
  readonly writesPerRestart: number;
  /** Distinct ids, about; documents are replaced all the more, the fewer there are. */
  readonly idSpace: number;
  /** Sends a request and returns status and text. */
  readonly send: (path: string, body: string) => Promise<{ status: number; text: string }>;
  /** Restarts the server, in either way; called after some writes. */
  readonly restart: (way: "stop" | "kill") => Promise<void>;
}

/** One namespace in the run. */
interface Subject {
  readonly run: ModelRun;
  readonly random: Random;
  readonly path: string;
  readonly schema: Schema;
  readonly database: NaiveDatabase;
  /** Where the run is, for messages. */
  where: string;
}

/** Throws at the first difference between the server and the twin. */
export async function runModel(run: ModelRun): Promise<void> {
  const random = seededRandom(run.seed);
  for (let i = 0; i < run.namespaces; i++) {
    const idType = pick(random, ["uint", "string", "uuid"] as const);
    const metric = pick(random, ["cosine_distance", "euclidean_squared"] as const);
    const schema = declarable(everyTypeSchema(idType, metric));
    const database = new NaiveDatabase(schema);
    const path = `/v2/namespaces/model-${run.seed}-${i}`;
    const subject: Subject = { run, random, path, schema, database, where: "" };
    await create(subject);
    for (let step = 0; step < run.writes; step++) {
      subject.where = `seed ${run.seed}, namespace ${i}, step ${step}`;
      await writeRandomly(subject);
      if (random.below(DROP_EVERY) === 0) await dropRandomly(subject);
      if (random.below(run.writesPerRestart) === 0) {
        await run.restart(pick(random, ["stop", "kill"] as const));
      }
      for (let query = 0; query < run.queries; query++) await queryRandomly(subject);
    }
  }
}

/** Writes between two drops of attributes, on average. */
const DROP_EVERY = 5;

/** Drops an attribute, which takes all its values with it, and declares it anew. */
async function dropRandomly(subject: Subject): Promise<void> {
  const { random, schema, database } = subject;
  const names = [...schema.attributes].flatMap(([name, { type }]) => (isDense(type) ? [] : [name]));
  const dropped = pick(random, names);
  await write(subject, { schema: { [dropped]: { drop: true } } });
  const declared = new Map(Object.entries(wireSchema(schema))).get(dropped);
  await write(subject, { schema: { [dropped]: declared } });
  const upserts = database.documents().map(({ id, attributes }) => {
    return { id, attributes: new Map([...attributes].filter(([name]) => name !== dropped)) };
  });
  database.apply({ upserts });
}

/** A type that only empty arrays have cannot be declared. */
function declarable(schema: Schema): Schema {
  const attributes = new Map(schema.attributes);
  attributes.delete("[]unknown");
  return { ...schema, attributes };
}

async function create(subject: Subject): Promise<void> {
  const { schema, database } = subject;
  subject.where = `seed ${subject.run.seed}, creation`;
  const document = newDocument(subject, randomId(subject.random, schema.idType ?? "uint", 1));
  database.apply({ upserts: [document] });
  const answer = await write(subject, {
    schema: wireSchema(schema),
    distance_metric: schema.distanceMetric,
    upsert_rows: [wireRow(document, schema)],
  });
  expect(answer).toMatchObject({ rows_upserted: 1 });
}

/** A random document that has a value for each dense vector, as it must. */
function newDocument({ random, schema }: Subject, id: DocumentId): TypedDocument {
  const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  const attributes = new Map(randomDocument(random, id, types).attributes);
  for (const [name, type] of types) {
    if (isDense(type)) attributes.set(name, filledValue(random, type));
  }
  return { id, attributes };
}

function isDense(type: AttributeType): boolean {
  return type.kind === "vector" || type.kind === "multi_vector";
}

function filledValue(random: Random, type: AttributeType): AttributeValue {
  for (;;) {
    const value = randomValue(random, type);
    if (!Array.isArray(value) || value.length > 0) return value;
  }
}

/** The changes of one request, as the twin applies them. */
interface Batch {
  readonly deleteFilter: Filter | undefined;
  readonly patchFilter: Filter | undefined;
  readonly patch: ReadonlyMap<string, AttributeValue>;
  readonly upserts: readonly TypedDocument[];
  readonly patches: readonly TypedDocument[];
  readonly deletes: readonly DocumentId[];
  readonly condition: Filter | undefined;
}

async function writeRandomly(subject: Subject): Promise<void> {
  const { random, schema } = subject;
  const batch = randomBatch(subject);
  const { deleteFilter, patchFilter, patch, upserts, patches, deletes, condition } = batch;
  const filters = condition === undefined ? undefined : { filter: wireFilter(condition) };
  const wire = {
    schema: {}, // A request of nothing is refused.
    ...(deleteFilter && { delete_by_filter: wireFilter(deleteFilter) }),
    ...(patchFilter && {
      patch_by_filter: { filters: wireFilter(patchFilter), patch: wirePatch(patch, schema) },
    }),
    ...(upserts.length > 0 && { upsert_rows: upserts.map((row) => wireRow(row, schema)) }),
    ...(patches.length > 0 && { patch_rows: patches.map((row) => wireRow(row, schema)) }),
    ...(deletes.length > 0 && { deletes }),
    ...(upserts.length > 0 && filters && { upsert_condition: filters.filter }),
    ...(patches.length > 0 && filters && { patch_condition: filters.filter }),
    ...(deletes.length > 0 && filters && { delete_condition: filters.filter }),
    ...(random.below(2) === 0 && { return_affected_ids: true }),
  };
  const counts = applyBatch(subject, batch);
  const answer = await write(subject, wire);
  const expected = {
    ...(upserts.length > 0 && { rows_upserted: counts.upserted }),
    ...((patches.length > 0 || patchFilter) && { rows_patched: counts.patched }),
    ...((deletes.length > 0 || deleteFilter) && { rows_deleted: counts.deleted }),
    rows_affected: counts.upserted + counts.patched + counts.deleted,
  };
  expect(answer, `${subject.where}: ${wireText(wire)}`).toMatchObject(expected);
}

function wirePatch(patch: ReadonlyMap<string, AttributeValue>, schema: Schema): object {
  const { id: _, ...members } = wireRow({ id: 0n, attributes: patch }, schema) as { id: unknown };
  return members;
}

/** Operations of one kind come by filter or by id, so that each change is counted once. */
function randomBatch(subject: Subject): Batch {
  const { random, schema, run } = subject;
  const ids = new Set<DocumentId>();
  const idType = schema.idType ?? "uint";
  for (let i = random.below(random.below(4) === 0 ? 60 : 8); i >= 0; i--) {
    ids.add(randomId(random, idType, run.idSpace));
  }
  const shares: DocumentId[][] = [[], [], []];
  for (const id of ids) shares[pick(random, [0, 0, 0, 1, 1, 2])].push(id);
  const byFilter = random.below(4);
  const filter = () => randomFilter(random, schema, 2);
  return {
    deleteFilter: byFilter === 0 && random.below(3) === 0 ? narrow(subject, filter()) : undefined,
    patchFilter: byFilter === 1 ? filter() : undefined,
    patch: randomPatch(subject),
    upserts: shares[0].map((id) => newDocument(subject, id)),
    patches:
      byFilter === 1 ? [] : shares[1].map((id) => ({ id, attributes: randomPatch(subject) })),
    deletes: byFilter === 0 ? [] : shares[2],
    condition: random.below(3) === 0 ? randomConditionFor(subject) : undefined,
  };
}

/** Keeps a filter from deleting nearly everything each time. */
function narrow({ random }: Subject, filter: Filter): Filter {
  const value = random.below(2) === 0;
  const condition = { kind: "condition", attribute: "bool", operator: "Eq" } as const;
  return { kind: "and", filters: [filter, { ...condition, operand: { kind: "value", value } }] };
}

function randomConditionFor({ random, schema }: Subject): Filter {
  if (random.below(3) > 0) return randomFilter(random, schema, 1);
  const attribute = pick(random, ["int", "string", "datetime"]);
  const operator = pick(random, ["Lt", "Lte", "Gt", "Gte", "Eq", "NotEq"] as const);
  return { kind: "condition", attribute, operator, operand: { kind: "ref_new", attribute } };
}

function randomPatch({ random, schema }: Subject): ReadonlyMap<string, AttributeValue> {
  const patch = new Map<string, AttributeValue>();
  for (const [name, { type }] of schema.attributes) {
    if (isDense(type) || random.below(4) > 0) continue;
    patch.set(name, random.below(4) === 0 ? null : randomValue(random, type));
  }
  if (patch.size === 0) patch.set("bool", true);
  return patch;
}

/** What the write does, in the documented order, to the twin. */
function applyBatch(subject: Subject, batch: Batch) {
  const { database, schema } = subject;
  const counts = { upserted: 0, patched: 0, deleted: 0 };
  const matching = (filter: Filter | undefined) =>
    filter === undefined
      ? []
      : database.documents().filter((document) => naiveMatches(filter, document, schema));
  const gone = matching(batch.deleteFilter).map(({ id }) => id);
  database.apply({ deletes: gone });
  counts.deleted += gone.length;
  const changed = matching(batch.patchFilter).map((document) => merged(document, batch.patch));
  database.apply({ upserts: changed });
  counts.patched += changed.length;
  const current = new Map(database.documents().map((document) => [document.id, document]));
  const holds = (document: TypedDocument, written: TypedDocument | undefined) =>
    batch.condition === undefined ||
    naiveMatches(withNewValues(batch.condition, written), document, schema);
  for (const document of batch.upserts) {
    const old = current.get(document.id);
    if (old !== undefined && !holds(old, document)) continue;
    database.apply({ upserts: [document] });
    counts.upserted++;
  }
  for (const patch of batch.patches) {
    const old = current.get(patch.id);
    const next = old && merged(old, patch.attributes);
    if (old === undefined || next === undefined || !holds(old, next)) continue;
    database.apply({ upserts: [next] });
    counts.patched++;
  }
  for (const id of batch.deletes) {
    const old = current.get(id);
    // Without a condition, ids that are not there count as deleted, too.
    if (batch.condition !== undefined && (old === undefined || !holds(old, undefined))) continue;
    database.apply({ deletes: [id] });
    counts.deleted++;
  }
  return counts;
}

function merged(old: TypedDocument, patch: ReadonlyMap<string, AttributeValue>): TypedDocument {
  return { id: old.id, attributes: new Map([...old.attributes, ...patch]) };
}

/** Puts the value that the document would have, which a delete takes away, for `$ref_new`. */
function withNewValues(filter: Filter, written: TypedDocument | undefined): Filter {
  if (filter.kind !== "condition" || filter.operand.kind !== "ref_new") return filter;
  const value = written === undefined ? null : naiveValue(written, filter.operand.attribute);
  // The operand's JSON form of an integer, a string, and of milliseconds is the value itself.
  return { ...filter, operand: { kind: "value", value: value as bigint | string | null } };
}

async function queryRandomly(subject: Subject): Promise<void> {
  const { random, schema } = subject;
  const kind = random.below(4);
  if (kind === 0) {
    const filter = random.below(2) === 0 ? undefined : randomFilter(random, schema, 1);
    const rank = randomVectorRank(random);
    const rankBy = rank.kind === "vector" && !filter ? { ...rank, method: "ANN" as const } : rank;
    const limit = 1 + random.below(20);
    return compareNear(subject, requestOf(documentQuery(rankBy, { filter, limit })));
  }
  if (kind > 1) return compare(subject, requestOf(legalQuery(subject)));
  const queries = Array.from({ length: 3 }, () => legalQuery(subject)).filter(
    (query) => query.kind === "documents",
  );
  if (queries.length < 2) return;
  const weights = queries.map(() => 1 + random.below(3));
  const fusion = { rankConstant: 1 + random.below(60), weights, limit: 9, offset: 0 };
  return compare(subject, { ...requestOf(...queries), fusion });
}

/** A random query that keeps the rules which bodies are checked for. */
function legalQuery({ random, schema }: Subject): Query {
  const query = randomQuery(random, schema);
  if (query.kind !== "documents" || query.limitPer === undefined) return query;
  const limit = Math.min(query.limitPer.limit, query.limit);
  return { ...query, limitPer: { ...query.limitPer, limit } };
}

/** Everything in the answer must be the twin's, to the last digit. */
async function compare(subject: Subject, request: QueryRequest): Promise<void> {
  const { actual, expected, what } = await ask(subject, request);
  expect(actual, what).toEqual(expected);
}

/**
 * The kernels sum in float32, the twin in float64: distances agree to some digits, and documents
 * may swap places where they are as near as that.
 */
async function compareNear(subject: Subject, request: QueryRequest): Promise<void> {
  const { actual, expected, what } = await ask(subject, request);
  const distances = (answer: unknown) =>
    (answer as { rows: { $dist: string }[] }).rows.map((row) => Number(row.$dist.split(" ")[1]));
  const [found, wanted] = [distances(actual), distances(expected)];
  expect(found.length, what).toBe(wanted.length);
  for (const [i, distance] of wanted.entries()) {
    const error = Math.abs(found[i] - distance) / Math.max(1, distance);
    expect(error, `${what}: ${found} instead of ${wanted}`).toBeLessThan(1e-5);
  }
}

/** The server's answer and the twin's, parsed, without billing and performance. */
async function ask({ run, path, database, where }: Subject, request: QueryRequest) {
  const body = wireText(wireRequest(request));
  const what = `${where}: ${body}`;
  const { status, text } = await run.send(`${path}/query`, body);
  expect(status, `${what}: ${text}`).toBe(200);
  const expected = encodeTwin(request, database.query(request));
  return { actual: members(text), expected: members(expected), what };
}

function members(text: string): unknown {
  const { billing: _, performance: __, ...rest } = parseExactly(text) as Record<string, unknown>;
  return rest;
}

function encodeTwin({ kind, vectorEncoding }: QueryRequest, results: QueryResult[]): string {
  const bytes = jsonBytes((json) => {
    const writer = new ResultWriter(json, vectorEncoding);
    if (kind === "multi") json.raw('{"results":[');
    for (const [i, result] of results.entries()) {
      json.raw(i > 0 ? ",{" : "{");
      runSteps(writer.memberRows(result));
      json.raw("}");
    }
    if (kind === "multi") json.raw("]}");
  });
  return Buffer.from(bytes).toString("utf8");
}

async function write({ run, path, where }: Subject, body: object): Promise<unknown> {
  const text = wireText(body);
  const answer = await run.send(path, text);
  expect(answer.status, `${where}: ${text}\n${answer.text}`).toBe(200);
  return JSON.parse(answer.text);
}
