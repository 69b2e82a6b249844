import { expect, test } from "vitest";
import {
  matchesFilter,
  StoredDocuments,
  where,
} from "../../../test/support/documents/stored-documents.ts";
import { type Row, requestOf, type Sent } from "../../../test/support/documents/write-requests.ts";
import { effort } from "../../../test/support/effort.ts";
import { joinPieces } from "../../base/pieces.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { encodeColumns } from "../../codec/columns-codec.ts";
import { decodeBatches, encodeBatches } from "../../log/wal-records.ts";
import type { FilterCondition } from "../../model/filter.ts";
import { EMPTY_SCHEMA, type Schema } from "../../model/schema.ts";
import type { AttributeValue } from "../../model/value.ts";
import type { WriteRequest } from "../../model/write-request.ts";
import { bindBatch } from "../bind/bind-batch.ts";
import { changesOf, resolveBatch } from "./resolve-batch.ts";

const ATTRIBUTES = ["a", "b", "tags"];

/** The semantics of writes, spelled out over a Map. */
class Model {
  readonly documents = new Map<number, Row>();

  write(sent: Sent, rest: Partial<WriteRequest>) {
    const removed = this.matches(rest.deleteByFilter as FilterCondition | undefined);
    for (const id of removed) this.documents.delete(id);
    const patched = this.matches(sent.patchByFilter?.filter as FilterCondition | undefined);
    for (const id of patched) this.patch(id, sent.patchByFilter?.patch ?? {});

    // Conditions look at what the filters left; ids are distinct, so the order does not matter.
    const upserted = (sent.upserts ?? []).filter((row) =>
      this.allows(rest.upsertCondition, row, true),
    );
    const patches = (sent.patches ?? []).filter((row) => {
      const after = { ...this.documents.get(row.id as number), ...row };
      return this.allows(rest.patchCondition, after, false);
    });
    const deletes = (sent.deletes ?? []).filter(
      (id) => !rest.deleteCondition || this.allows(rest.deleteCondition, { id }, false),
    );
    for (const { id, ...row } of upserted) this.documents.set(id as number, clean(row));
    for (const { id, ...row } of patches) this.patch(id as number, row);
    for (const id of deletes) this.documents.delete(id as number);
    return {
      upserted: upserted.map(({ id }) => BigInt(id as number)),
      patched: distinct([...patched, ...patches.map(({ id }) => id as number)]),
      deleted: distinct([...removed, ...(deletes as number[])]),
    };
  }

  matches(filter: FilterCondition | undefined): number[] {
    if (!filter) return [];
    return [...this.documents]
      .filter(([id, row]) => matchesFilter(filter, reader({ ...row, id }), () => null))
      .map(([id]) => id)
      .sort((a, b) => a - b);
  }

  patch(id: number, row: Row): void {
    this.documents.set(id, clean({ ...this.documents.get(id), ...row }));
  }

  allows(condition: unknown, next: Row, ofAbsent: boolean): boolean {
    const id = next.id as number;
    const current = this.documents.get(id);
    if (!current) return ofAbsent;
    const isDelete = Object.keys(next).length === 1;
    const nextOf = isDelete ? () => null : reader(next);
    if (!condition) return true;
    return matchesFilter(condition as FilterCondition, reader({ ...current, id }), nextOf);
  }
}

function reader(row: Row): (attribute: string) => AttributeValue {
  return (attribute) => {
    const value = row[attribute] ?? null;
    return (typeof value === "number" ? BigInt(value) : value) as AttributeValue;
  };
}

function clean(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

function distinct(ids: readonly number[]): bigint[] {
  return [...new Set(ids)].map(BigInt);
}

function randomRow(random: Random, id: number, isPatch: boolean): Row {
  const row: Row = { id };
  const has = () => random.below(3) > 0;
  if (has()) row.a = random.below(5) === 0 ? null : random.below(6);
  if (has()) row.b = random.below(5) === 0 ? null : `b${random.below(4)}`;
  if (has()) row.tags = random.below(4) === 0 ? [] : [`t${random.below(3)}`];
  // A patch of nothing but the id looks like a delete to the model's conditions.
  if (isPatch && Object.keys(row).length === 1) row.a = null;
  return row;
}

function randomCondition(random: Random): FilterCondition {
  const operator = (["Eq", "NotEq", "Lt", "Gt"] as const)[random.below(4)];
  if (random.below(4) === 0) return where("a", operator, { ref: "a" });
  return where("a", operator, random.below(6) === 0 ? null : BigInt(random.below(6)));
}

function randomWrite(random: Random): { sent: Sent; rest: Partial<WriteRequest> } {
  const ids = Array.from({ length: 20 }, (_, i) => i + 1).sort(() => random.next() - 0.5);
  const take = (most: number) => ids.splice(0, random.below(most + 1));
  const upserts = take(6).map((id) => randomRow(random, id, false));
  const patches = take(5).map((id) => randomRow(random, id, true));
  const deletes = take(3);
  const maybe = (one: number) => random.below(one) === 0;
  const value = BigInt(random.below(6));
  const patch = clean({ ...randomRow(random, 0, true), id: null });
  return {
    sent: {
      ...(maybe(4) ? {} : { upserts }),
      ...(maybe(3) ? {} : { patches }),
      ...(maybe(3) ? {} : { deletes }),
      ...(maybe(4) ? { patchByFilter: { filter: where("a", "Lt", value), patch } } : {}),
    },
    rest: {
      ...(maybe(5) ? { deleteByFilter: where("a", "Eq", value) } : {}),
      ...(maybe(4) ? { upsertCondition: randomCondition(random) } : {}),
      ...(maybe(4) ? { patchCondition: randomCondition(random) } : {}),
      ...(maybe(4) ? { deleteCondition: randomCondition(random) } : {}),
    },
  };
}

/** Documents as the model has them: integers as numbers. */
function contentsOf(stored: StoredDocuments): Map<number, Row> {
  const plain = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  return new Map(
    [...stored.contents(ATTRIBUTES)].map(([id, values]) => [
      Number(id),
      Object.fromEntries([...values].map(([name, value]) => [name, plain(value)])),
    ]),
  );
}

test.each([1, 2, 3, 4, 5, 6].slice(0, effort({ usual: 2, full: 6 })))(
  "random batches do what the model says (seed %i)",
  (seed) => {
    const random = seededRandom(seed);
    const model = new Model();
    const stored = new StoredDocuments();
    const replayed = new StoredDocuments();
    let schema: Schema = EMPTY_SCHEMA;
    for (let round = 0; round < 150; round++) {
      const { sent, rest } = randomWrite(random);
      const batch = runSteps(
        bindBatch(requestOf(sent, rest), {
          schema,
          isNewNamespace: round === 0,
          dimensionsOf: () => undefined,
        }),
      );
      const resolved = runSteps(resolveBatch(batch, stored));
      schema = resolved.schema ?? schema;
      stored.apply(resolved);
      const expected = model.write(sent, rest);
      expect(resolved.outcome.affected, `seed ${seed}, round ${round}`).toEqual(expected);
      expect(contentsOf(stored), `seed ${seed}, round ${round}`).toEqual(model.documents);

      // What the log holds gives the same state without reading anything.
      const records = runSteps(encodeBatches([changesOf(resolved, batch.schema)])).map(
        ({ kind, pieces }) => {
          return { kind, bytes: joinPieces(pieces) };
        },
      );
      const [changes] = decodeBatches(records, "wal/1");
      const documents = changes.find((change) => change.kind === "documents");
      const deletes = changes.find((change) => change.kind === "deletes");
      if (documents && resolved.documents) {
        const encoded = encodeColumns(documents.documents);
        expect(Buffer.compare(encoded, encodeColumns(resolved.documents))).toBe(0);
      }
      replayed.apply({
        ...(documents && { documents: documents.documents }),
        ...(deletes && { deletes: deletes.deletes }),
        outcome: resolved.outcome,
      });
      expect(contentsOf(replayed)).toEqual(model.documents);
    }
  },
);
