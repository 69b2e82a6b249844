/**
 * Finds out which request each committed batch is of, and what it made of its namespace: exactly
 * what the request asks for, of exactly the state before it (I3, I4, I5, I6).
 */

import type { Ordinal } from "../../src/base/ids.ts";
import type { TypedDocument } from "../../src/codec/columns-builder.ts";
import { columnValue, idAt } from "../../src/codec/columns-value.ts";
import type { WriteBatch } from "../../src/log/wal-records.ts";
import { EMPTY_SCHEMA, type Schema } from "../../src/model/schema.ts";
import type { AttributeValue } from "../../src/model/value.ts";
import { nameView } from "../../src/segment/view/named-columns.ts";
import type { SegmentView } from "../../src/segment/view/segment-view.ts";
import { DocumentsView } from "../../src/write/resolve/documents-view.ts";
import type { Commit } from "./committed-log.ts";
import {
  applyWrite,
  type Documents,
  documentsText,
  type NamespaceState,
  type SimulatedWrite,
  type WriteCounts,
  withoutAttributes,
} from "./namespace-state.ts";
import { fateOf, type Operation } from "./operation.ts";
import { Timeline } from "./timeline.ts";
import { MARK_ATTRIBUTE, MARKS_FIRST } from "./workload.ts";

/** Where a request took effect. */
export interface Placement {
  readonly index: number;
  /** What its answer should say, by variant of the epoch. */
  readonly counts: readonly (WriteCounts | undefined)[];
}

/** Most states that one copy may leave open. */
const VARIANTS_MAX = 200;

/** All namespaces' histories, and the requests that made them. */
export class PlacedCommits {
  readonly timelines = new Map<string, Timeline>();
  readonly placements = new Map<Operation, Placement>();
  readonly faults: string[] = [];
  readonly #byNumber: ReadonlyMap<number, Operation>;
  readonly #operations: readonly Operation[];

  constructor(operations: readonly Operation[], commits: readonly Commit[]) {
    this.#operations = operations;
    this.#byNumber = new Map(operations.map((operation) => [operation.number, operation]));
    for (const commit of commits) this.#place(commit);
  }

  timeline(name: string): Timeline {
    const timeline = this.timelines.get(name) ?? new Timeline();
    this.timelines.set(name, timeline);
    return timeline;
  }

  #place(commit: Commit): void {
    const { generation, batch, event, sequence } = commit;
    const timeline = this.timeline(generation.name);
    const where = `${generation.name}/${generation.generation} entry ${sequence} (event ${event})`;
    const place = { event, generation: generation.generation, sequence };
    const isNew = timeline.last.generation !== generation.generation;
    const [before] = timeline.possibleStates(timeline.positions.length - 1);
    if (isNew && before !== undefined) {
      this.faults.push(`I5: ${where} begins a life while the last one goes on`);
    }
    const imported = batch.find(({ kind }) => kind === "import");
    const owner = this.#byNumber.get(numberOf(batch, timeline.last.states[0]?.schema) ?? 0);
    const endsLife = batch.some(({ kind }) => kind === "delete_namespace");
    if (endsLife && isNew) {
      timeline.begin(place, [undefined]); // A start has ended what a crash had not begun.
    } else if (endsLife) {
      const deleter = this.#claim(commit, ({ meaning }) => meaning.kind === "delete namespace");
      const index = timeline.begin(place, [undefined]);
      this.#note(deleter, { index, counts: [undefined] }, where);
    } else if (imported?.kind === "import") {
      this.#placeCopy(commit, imported.source, where);
    } else if (owner?.meaning.kind === "schema") {
      this.#placeSchema(commit, owner, where);
    } else if (owner?.meaning.kind === "write") {
      this.#placeWrite(commit, { owner, write: owner.meaning.write, where });
    } else {
      this.faults.push(`I3: ${where} is of no request`);
    }
  }

  #placeWrite(
    { batch, generation, event, sequence }: Commit,
    of: { readonly owner: Operation; readonly write: SimulatedWrite; readonly where: string },
  ): void {
    const { owner, write, where } = of;
    const timeline = this.timeline(generation.name);
    const { states: before, epoch } = timeline.last;
    const schemaRecord = batch.find(({ kind }) => kind === "schema");
    const outcomes = before.map((state) => {
      const schema = schemaRecord?.kind === "schema" ? schemaRecord.schema : state?.schema;
      const { documents, counts } = applyWrite(state, write);
      const there = documentsText(withBatch(state, batch, schema));
      const isRight = schema !== undefined && there === documentsText(documents);
      const next = schema && documents && { schema, documents };
      return { isRight, counts, next, there, wanted: documentsText(documents) };
    });
    outcomes.forEach(({ isRight }, variant) => {
      if (!isRight && outcomes.some((other, i) => epoch.possible[i] && other.isRight)) {
        epoch.possible[variant] = false;
      }
    });
    const best = outcomes.findIndex(({ isRight }, i) => isRight && epoch.possible[i]);
    if (best < 0) {
      const { there, wanted } = outcomes[0];
      const body = `request ${owner.number} ${owner.body}`;
      this.faults.push(`I4/I5: ${where} is not what ${body} makes:\n${there}\nnot\n${wanted}`);
    }
    const states = outcomes.map(({ next }) => next);
    const index = timeline.add({ event, generation: generation.generation, sequence }, states);
    this.#note(owner, { index, counts: outcomes.map(({ counts }) => counts) }, where);
  }

  #placeSchema(
    { batch, generation, event, sequence }: Commit,
    owner: Operation,
    where: string,
  ): void {
    const timeline = this.timeline(generation.name);
    const record = batch.find(({ kind }) => kind === "schema");
    if (record?.kind !== "schema" || owner.meaning.kind !== "schema") return;
    const { schema } = record;
    if (schema.attributes.get("t")?.fullTextSearch?.language !== owner.meaning.language) {
      this.faults.push(`I5: ${where} has another schema than request ${owner.number}`);
    }
    const states = timeline.last.states.map((state) => state && { ...state, schema });
    const index = timeline.add({ event, generation: generation.generation, sequence }, states);
    this.#note(owner, { index, counts: states.map(() => undefined) }, where);
  }

  #placeCopy(commit: Commit, source: string, where: string): void {
    const { generation, batch, event, sequence } = commit;
    const timeline = this.timeline(generation.name);
    const owner = this.#claim(commit, ({ meaning }) => {
      return meaning.kind === "copy" && meaning.source === source;
    });
    // Two where the copy serves the index of older full-text settings until it has its own.
    const schemas = batch.flatMap((record) => (record.kind === "schema" ? [record.schema] : []));
    if (schemas.length === 0) {
      this.faults.push(`I3: ${where} copies without a schema`);
      return;
    }
    const from = this.timeline(source);
    const floor = this.floor(source, owner?.sentAt ?? 0);
    const distinct = new Map<string, Documents>();
    for (let index = floor; index < from.positions.length; index++) {
      for (const state of from.possibleStates(index)) {
        if (state === undefined) continue;
        const { documents } = state;
        distinct.set(documentsText(documents), documents);
      }
    }
    const variants = [...distinct.values()].slice(-VARIANTS_MAX);
    if (variants.length === 0)
      this.faults.push(`I3: ${where} copies ${source}, which was not there`);
    const [first, ...later] = schemas.map((schema) => {
      return variants.map((documents) => ({ schema, documents }));
    });
    const place = { event, generation: generation.generation, sequence };
    let index = timeline.begin(place, first);
    for (const states of later) index = timeline.add(place, states);
    this.#note(owner, { index, counts: variants.map(() => undefined) }, where);
  }

  /** The last position that a request of this moment must see, as far as changes tell. */
  floor(name: string, event: number): number {
    let floor = 0;
    for (const [operation, { index }] of this.placements) {
      const isBefore = operation.name === name && (operation.answeredAt ?? event) < event;
      if (isBefore && fateOf(operation) === "happened") floor = Math.max(floor, index);
    }
    return floor;
  }

  /** The request that a batch without a mark is of: that which must have one the soonest. */
  #claim(
    { generation, event }: Commit,
    is: (operation: Operation) => boolean,
  ): Operation | undefined {
    const candidates = this.#operations.filter((operation) => {
      if (operation.name !== generation.name || this.placements.has(operation) || !is(operation)) {
        return false;
      }
      const { sentAt, answeredAt = event } = operation;
      const fate = fateOf(operation);
      return (
        sentAt <= event && (fate === "unknown" || (fate === "happened" && event <= answeredAt))
      );
    });
    const due = (operation: Operation) =>
      fateOf(operation) === "happened" ? (operation.answeredAt ?? 0) : Number.POSITIVE_INFINITY;
    return candidates.sort((a, b) => due(a) - due(b)).at(0);
  }

  #note(owner: Operation | undefined, placement: Placement, where: string): void {
    if (owner === undefined) {
      this.faults.push(`I3: ${where} is of no request`);
      return;
    }
    if (this.placements.has(owner)) {
      this.faults.push(`I3: ${where} does request ${owner.number} a second time`);
    }
    this.placements.set(owner, placement);
  }
}

/** The number of the request that marked a batch. */
function numberOf(batch: WriteBatch, schemaBefore: Schema | undefined): number | undefined {
  for (const record of batch) {
    if (record.kind === "documents") {
      const column = record.documents.attributes.get("w");
      if (column !== undefined) return Number(columnValue(column, 0 as Ordinal));
    }
    if (record.kind === "deletes") {
      for (let i = 0; i < record.deletes.count; i++) {
        const id = idAt(record.deletes.ids, i) as bigint;
        if (id >= MARKS_FIRST) return Number(id - MARKS_FIRST);
      }
    }
  }
  const record = batch.find(({ kind }) => kind === "schema");
  if (record?.kind !== "schema") return undefined;
  const names = [...record.schema.attributes.keys()];
  const added = names.find((name) => {
    return name.startsWith(MARK_ATTRIBUTE) && !schemaBefore?.attributes.has(name);
  });
  return added === undefined ? undefined : Number(added.slice(MARK_ATTRIBUTE.length));
}

/**
 * The documents with what the records of a batch say. Values belong to an attribute as long as that
 * has their column.
 */
function withBatch(
  before: NamespaceState | undefined,
  batch: WriteBatch,
  schema: Schema = EMPTY_SCHEMA,
): Documents {
  const gone = [...(before?.schema.attributes ?? [])].flatMap(([name, { column }]) => {
    const attribute = schema.attributes.get(name);
    return attribute !== undefined && attribute.column === column ? [] : [name];
  });
  const next = new Map(withoutAttributes(before?.documents, gone));
  for (const record of batch) {
    if (record.kind === "deletes") {
      for (let i = 0; i < record.deletes.count; i++) {
        next.delete(idAt(record.deletes.ids, i) as bigint);
      }
    }
    if (record.kind !== "documents") continue;
    for (const document of documentsOf(nameView(new DocumentsView(record.documents), schema))) {
      next.set(document.id as bigint, document);
    }
  }
  return next;
}

function documentsOf(view: SegmentView): TypedDocument[] {
  return Array.from({ length: view.documentCount }, (_, i) => {
    const ordinal = i as Ordinal;
    const attributes = view.attributes.map((name): [string, AttributeValue] => {
      return [name, view.column(name)?.value(ordinal) ?? null];
    });
    return { id: view.idOf(ordinal), attributes: new Map(attributes) };
  });
}
