/** Writes whose loops are as long as limits allow, with the documents that they meet. */

import type { Ordinal } from "../../../src/base/ids.ts";
import { joinSmallPieces, PIECE_BYTES_MIN } from "../../../src/base/pieces.ts";
import { oneStep, runSteps, type Steps } from "../../../src/base/steps.ts";
import { encodeBatches } from "../../../src/log/wal-records.ts";
import {
  ARRAY_ELEMENTS_MAX,
  ATTRIBUTE_COUNT_MAX,
  DELETE_BY_FILTER_MAX,
  REFERENCE_ELEMENTS_MAX,
} from "../../../src/model/contract-limits.ts";
import { EMPTY_SCHEMA, type Schema } from "../../../src/model/schema.ts";
import type { DocumentId } from "../../../src/model/value.ts";
import { bindCondition } from "../../../src/query/bind/bind-condition.ts";
import type { SegmentView } from "../../../src/segment/view/segment-view.ts";
import { EXPRESSION_NODES_MAX } from "../../../src/wire/query/expression-budget.ts";
import { WriteBodyParser } from "../../../src/wire/write/parse-write.ts";
import { bindBatch } from "../../../src/write/bind/bind-batch.ts";
import {
  type CurrentDocuments,
  changesOf,
  resolveBatch,
} from "../../../src/write/resolve/resolve-batch.ts";
import { documentOf, openSnapshot, schemaOf } from "../queries/query-fixture.ts";

/** Documents of a namespace, with ids from 0 on. */
interface Stored {
  readonly schema: Schema;
  readonly count: number;
  readonly view: SegmentView | undefined;
}

const NOTHING: Stored = { schema: EMPTY_SCHEMA, count: 0, view: undefined };
/** A namespace of which only the number of ids matters that filters find. */
const FOUND: Stored = { schema: schemaOf({ n: "int" }), count: 0, view: undefined };
const FOUND_COUNT = Math.min(2_000_000, DELETE_BY_FILTER_MAX);

const filled = <T>(count: number, element: (e: number) => T): T[] =>
  Array.from({ length: count }, (_, e) => element(e));
const attributes = <T>(value: (a: number) => T): Record<string, T> =>
  Object.fromEntries(filled(ATTRIBUTE_COUNT_MAX, (a) => [`a${a}`, value(a)]));

/** Documents with as many attributes as there may be. */
function wideDocuments(count: number): Stored {
  const schema = schemaOf(attributes(() => "int"));
  return storedOf(schema, count, () => attributes((a) => BigInt(a)));
}

function smallDocuments(count: number): Stored {
  return storedOf(schemaOf({ n: "int" }), count, (i) => ({ n: BigInt(i) }));
}

/** A document with an array of as many elements as there may be. */
function longArray(): Stored {
  const numbers = filled(ARRAY_ELEMENTS_MAX, BigInt);
  return storedOf(schemaOf({ numbers: "[]int" }), 1, () => ({ numbers }));
}

function storedOf(
  schema: Schema,
  count: number,
  values: (i: number) => Parameters<typeof documentOf>[1],
): Stored {
  const documents = filled(count, (i) => documentOf(BigInt(i), values(i)));
  const [segment] = openSnapshot(schema, [{ documents }]).segments;
  return { schema, count, view: segment.view };
}

/** What resolving sees; filters find all documents, or ids that no document is needed for. */
function currentDocuments({ schema, count, view }: Stored): CurrentDocuments {
  const found: DocumentId[] = filled(count === 0 ? FOUND_COUNT : count, BigInt);
  return {
    *expect() {},
    locate: (id) =>
      view !== undefined && Number(id) < count
        ? { view, ordinal: Number(id) as Ordinal }
        : undefined,
    matchIds: (_, cap) => oneStep(() => ({ ids: found.slice(0, cap), more: false })),
    condition: (filter) => bindCondition(filter, schema),
  };
}

/** The steps in which a write is bound, resolved and encoded; its body is parsed before. */
function applied(stored: Stored, body: string): () => Steps<unknown> {
  const parser = new WriteBodyParser({ typeOf: () => undefined });
  runSteps(parser.push(Buffer.from(body)));
  const request = runSteps(parser.finish());
  const { schema } = stored;
  const isNewNamespace = schema === EMPTY_SCHEMA;
  const current = currentDocuments(stored);
  return function* () {
    const batch = yield* bindBatch(request, {
      schema,
      isNewNamespace,
      dimensionsOf: () => undefined,
    });
    yield;
    const resolved = yield* resolveBatch(batch, current);
    yield;
    const records = yield* encodeBatches([changesOf(resolved, batch.schema)]);
    yield;
    // The copies that the frame makes of small pieces; compression runs on other threads.
    const pieces = records.flatMap((record) => record.pieces);
    return yield* joinSmallPieces(pieces, PIECE_BYTES_MIN);
  };
}

const rowsOf = (count: number): string => JSON.stringify(filled(count, (id) => ({ id, n: id })));

/** Columns of documents with as many attributes as there may be. */
function wideColumns(type: string, value: string, count = 2000): string {
  const ids = filled(count, (i) => i).join();
  const column = filled(count, () => value).join();
  const schema = JSON.stringify(attributes(() => type));
  const columns = filled(ATTRIBUTE_COUNT_MAX, (a) => `"a${a}":[${column}]`).join();
  return `{"schema":${schema},"upsert_columns":{"id":[${ids}],${columns}}}`;
}

/** Upserts of 256 documents that are compared with a condition. */
function conditioned(condition: unknown): string {
  return `{"upsert_rows":${rowsOf(256)},"upsert_condition":${JSON.stringify(condition)}}`;
}

const NEW_NUMBERS = filled(REFERENCE_ELEMENTS_MAX, (i) => -1 - i);
const EQUAL_COUNT = 250;
const neverEqual = (i: number) => ["n", "Eq", 1_000_000 + i];
const DELETE_ALL = '"delete_by_filter":["n","Gte",0],"delete_by_filter_allow_partial":true';

/** The steps of each write. */
export const WORST_WRITES: Readonly<Record<string, () => () => Steps<unknown>>> = {
  "datetimes of many attributes": () => applied(NOTHING, wideColumns("datetime", '"2026-01-01"')),
  "UUIDs of many attributes": () =>
    applied(NOTHING, wideColumns("uuid", '"01234567-89ab-cdef-0123-456789abcdef"')),
  "small integers of many attributes": () => applied(NOTHING, wideColumns("int", "1", 8000)),
  "nulls of many attributes": () => applied(NOTHING, wideColumns("int", "null")),
  "a condition of as many parts as there may be": () =>
    applied(smallDocuments(256), conditioned(["Or", filled(EXPRESSION_NODES_MAX - 1, neverEqual)])),
  "a condition that holds of as many parts": () =>
    applied(
      smallDocuments(256),
      conditioned(["And", filled(EXPRESSION_NODES_MAX - 1, () => ["n", "Gte", 0])]),
    ),
  "a condition of many short lists": () =>
    applied(
      smallDocuments(256),
      conditioned([
        "Or",
        filled(EQUAL_COUNT, (k) => [
          "Or",
          filled(EQUAL_COUNT, (i) => neverEqual(k * EQUAL_COUNT + i)),
        ]),
      ]),
    ),
  "a condition on a long array": () =>
    applied(
      longArray(),
      `{"patch_rows":[{"id":0,"x":1}],"patch_condition":${JSON.stringify([
        "Or",
        filled(20, (i) => ["numbers", "Contains", -1 - i]),
      ])}}`,
    ),
  "a condition with long new arrays": () =>
    applied(
      longArray(),
      `{"patch_rows":[{"id":0,"numbers":[${NEW_NUMBERS.join()}]}],` +
        '"patch_condition":["numbers","ContainsAny",{"$ref_new":"numbers"}]}',
    ),
  "a patch of documents with many attributes": () =>
    applied(wideDocuments(2000), '{"patch_by_filter":{"filters":["a0","Gte",0],"patch":{"a0":1}}}'),
  "a patch of what a filter has deleted": () =>
    applied(FOUND, `{${DELETE_ALL},"patch_by_filter":{"filters":["n","Gte",0],"patch":{"n":1}}}`),
  "deletes of what a filter has deleted": () =>
    applied(FOUND, `{${DELETE_ALL},"deletes":[${filled(1_000_000, (i) => 2 * i).join()}]}`),
  "many deletes with a patch": () =>
    applied(
      smallDocuments(256),
      `{"patch_rows":[{"id":0,"n":1}],"deletes":[${filled(1_000_000, (i) => i + 1).join()}]}`,
    ),
};

/** The steps of a write that is refused: its condition compares a new array that is too long. */
export function refusedReference(): () => Steps<unknown> {
  const numbers = filled(ARRAY_ELEMENTS_MAX, (i) => i).join();
  return applied(
    longArray(),
    `{"upsert_rows":[{"id":0,"numbers":[${numbers}]}],` +
      '"upsert_condition":["numbers","ContainsAny",{"$ref_new":"numbers"}]}',
  );
}
