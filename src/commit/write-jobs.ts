/** The requests that change a namespace, as jobs for its commit queue. */

import { must } from "../base/assert.ts";
import { DatabaseError, invalid } from "../base/errors.ts";
import type { NamespaceName } from "../base/ids.ts";
import { oneStep, type Steps } from "../base/steps.ts";
import type { WriteBatch } from "../log/wal-records.ts";
import type { JsonObject } from "../model/json-value.ts";
import type { NamespaceEffect } from "../model/namespace-effect.ts";
import type { NamespaceSettings } from "../model/namespace-settings.ts";
import type { Schema } from "../model/schema.ts";
import type { MetadataPatch, WriteRequest } from "../model/write-request.ts";
import type { NamespaceFacts } from "../namespace/namespace-facts.ts";
import { namespaceNotFound } from "../namespace/namespace-faults.ts";
import type { NamespaceGeneration } from "../storage/object-keys.ts";
import { type BoundBatch, bindBatch, insertsDocuments } from "../write/bind/bind-batch.ts";
import { changesOf, resolveBatch, type WriteOutcome } from "../write/resolve/resolve-batch.ts";
import { mergeSchema } from "../write/schema/merge-schema.ts";
import {
  assertWritable,
  mergeRequest,
  newSettings,
  patchSettings,
} from "../write/schema/namespace-settings.ts";
import type { BoundJob, CommitJob, JobState, ResolvedJob } from "./commit-job.ts";

/** What binding a write needs from outside. */
export interface WriteJobOptions {
  readonly name: NamespaceName;
  readonly nowMs: number;
  dimensionsOf(model: string): number | undefined;
  /** Hears what is done for the write from now on; undefined: it is committed. */
  enter?(step: "bind" | "resolve" | "commit" | undefined): void;
}

/** A job's part of an entry beside its documents. */
const JOB_BYTES_MIN = 1024;

/** What a write has done. */
export interface CommittedWrite extends WriteOutcome {
  readonly effects: readonly NamespaceEffect[];
}

/** A write of documents. Holds the request, which may be large, until it is released. */
export class WriteJob implements CommitJob<CommittedWrite> {
  readonly bytes: number;
  readonly alone = false;
  readonly #options: WriteJobOptions;
  #request: WriteRequest | undefined;
  #bound: { readonly schema: Schema; readonly batch: BoundBatch } | undefined;

  constructor(request: WriteRequest, options: WriteJobOptions) {
    this.bytes = JOB_BYTES_MIN + request.bodyBytes;
    this.#options = options;
    this.#request = request;
  }

  *bind(facts: NamespaceFacts): Steps<BoundJob<CommittedWrite>> {
    const request = must(this.#request, "a job that was released is bound again");
    this.#options.enter?.("bind");
    if (facts.settings !== undefined) assertWritable(facts.settings);
    const batch = yield* this.#bindTo(request, facts);
    if (facts.settings === undefined && !this.#creates(request, batch)) {
      return absentWrite(request, this.#options.name);
    }
    const settings = settingsFor(request, facts.settings, this.#options.nowMs);
    return {
      conflictsWith: (footprint) => footprint.conflictsWith(batch),
      resolve: (state) => this.#resolve(batch, state, { before: facts, after: settings }),
    };
  }

  *#resolve(
    batch: BoundBatch,
    state: JobState,
    settings: { readonly before: NamespaceFacts; readonly after: NamespaceSettings },
  ): Steps<ResolvedJob<CommittedWrite>> {
    const { before, after } = settings;
    const { enter } = this.#options;
    enter?.("resolve");
    const resolved = yield* resolveBatch(batch, state.documents(batch.schema));
    const outcome = { ...resolved.outcome, effects: effectsOf(batch, before) };
    const changes = changesOf(resolved, batch.schema);
    enter?.("commit");
    return {
      batch:
        after === before.settings ? changes : [{ kind: "settings", settings: after }, ...changes],
      touched: resolved,
      result: () => {
        enter?.(undefined);
        return outcome;
      },
    };
  }

  release(): void {
    this.#request = undefined;
    this.#bound = undefined;
  }

  /** Tells whether the request creates the namespace, which does not exist. */
  #creates(request: WriteRequest, batch: BoundBatch): boolean {
    const { createNamespace } = request;
    if (createNamespace === false) throw namespaceNotFound(this.#options.name);
    if (insertsDocuments(batch)) return true;
    if (createNamespace === undefined) return false;
    if (batch.schema.idType === undefined) throw missingIdType();
    return true;
  }

  *#bindTo(request: WriteRequest, { schema, settings }: NamespaceFacts): Steps<BoundBatch> {
    if (this.#bound?.schema !== schema) {
      const { dimensionsOf } = this.#options;
      const isNewNamespace = settings === undefined;
      const batch = yield* bindBatch(request, { schema, isNewNamespace, dimensionsOf });
      this.#bound = { schema, batch };
    }
    return this.#bound.batch;
  }
}

function effectsOf({ schema }: BoundBatch, before: NamespaceFacts): NamespaceEffect[] {
  if (before.settings === undefined) return [{ kind: "created" }];
  return schema === before.schema ? [] : [{ kind: "schema_changed" }];
}

/** A change of the schema alone. Results in the schema. */
export function schemaJob(declared: JsonObject, options: WriteJobOptions): CommitJob<Schema> {
  return boundAtOnce({ bytes: JOB_BYTES_MIN, alone: false }, (facts) => {
    if (facts.settings === undefined) throw namespaceNotFound(options.name);
    assertWritable(facts.settings);
    const schema = mergeSchema(facts.schema, {
      declared,
      path: "",
      distanceMetric: undefined,
      isNewNamespace: false,
      dimensionsOf: options.dimensionsOf,
    });
    const batch: WriteBatch = schema === facts.schema ? [] : [{ kind: "schema", schema }];
    return simply({ batch, result: (after) => after.schema });
  });
}

/** A change of settings. */
export function settingsJob(patch: MetadataPatch, options: WriteJobOptions): CommitJob<void> {
  return boundAtOnce({ bytes: JOB_BYTES_MIN, alone: false }, (facts) => {
    if (facts.settings === undefined) throw namespaceNotFound(options.name);
    const settings = patchSettings(facts.settings, patch, options.nowMs);
    return simply({ batch: [{ kind: "settings", settings }], result: () => {} });
  });
}

/** The end of a namespace. */
export function deleteJob(name: NamespaceName): CommitJob<void> {
  return boundAtOnce({ bytes: JOB_BYTES_MIN, alone: true }, (facts) => {
    if (facts.settings === undefined) throw namespaceNotFound(name);
    return simply({ batch: [{ kind: "delete_namespace" }], result: () => {} });
  });
}

/**
 * The end of a generation that nobody has committed to: what is about to be committed to it, in
 * whatever process, is refused its number from then on. Results in false if the generation exists.
 */
export function endUnlessExistsJob(generation: NamespaceGeneration): CommitJob<boolean> {
  return boundAtOnce({ bytes: JOB_BYTES_MIN, alone: true }, ({ settings }) =>
    readsNothing(({ generation: generationNumber }) => {
      const isOver = generationNumber !== generation.generation;
      const isAbsent = !isOver && settings === undefined;
      const batch: WriteBatch = isAbsent ? [{ kind: "delete_namespace" }] : [];
      return { batch, result: () => isOver || isAbsent };
    }),
  );
}

/** The commit of a copy or branch, whose segments are in the store already, under `generation`. */
export function importJob(batch: WriteBatch, generation: NamespaceGeneration): CommitJob<void> {
  const named = new Set(
    batch
      .flatMap((record) => (record.kind === "import" ? record.segments : []))
      .map(({ id }) => id),
  );
  return boundAtOnce({ bytes: JOB_BYTES_MIN, alone: true }, () =>
    readsNothing(({ segments, generation: generationNumber }) => {
      const isUsed = segments.some(({ view, liveCount }) => liveCount > 0 || named.has(view.id));
      if (isUsed) throw destinationExists(generation.name);
      if (generationNumber !== generation.generation) throw destinationDeleted(generation.name);
      return { batch, result: () => {} };
    }),
  );
}

/** The error for a copy or branch into a namespace that exists. */
export function destinationExists(name: NamespaceName): DatabaseError {
  return new DatabaseError(
    "conflict",
    `💔 namespace '${name}' has documents already: copy or branch into an empty or new one`,
  );
}

function destinationDeleted(name: NamespaceName): DatabaseError {
  return new DatabaseError(
    "conflict",
    `💔 namespace '${name}' was deleted while it was being filled: nothing was copied`,
  );
}

/**
 * A write that inserts nothing into a namespace that does not exist: deletes and patches find
 * nothing to do there, which is no error; a schema alone has nothing to belong to.
 */
function absentWrite(request: WriteRequest, name: NamespaceName): BoundJob<CommittedWrite> {
  const { upserts, patches, patchByFilter, deletes, deleteByFilter, deleteCondition } = request;
  const operations = [upserts, patches, patchByFilter, deletes, deleteByFilter];
  if (operations.every((operation) => operation === undefined)) throw namespaceNotFound(name);
  // A condition is on a document that is there.
  const found = deletes && (deleteCondition ? 0 : deletes.values.length);
  const deleted = found ?? (deleteByFilter && 0);
  const outcome: CommittedWrite = {
    effects: [],
    upserted: upserts && 0,
    patched: patches || patchByFilter ? 0 : undefined,
    deleted,
    remaining: false,
    affected: undefined,
    queries: 0,
    billedBytes: 0,
  };
  return simply({ batch: [], result: () => outcome });
}

function missingIdType(): DatabaseError {
  return invalid(
    "💔 create_namespace without documents needs the type of `id` in `schema`, " +
      'eg: `"schema": {"id": "uint"}`',
  );
}

function settingsFor(
  request: WriteRequest,
  current: NamespaceSettings | undefined,
  nowMs: number,
): NamespaceSettings {
  const { encryption, shardCount } = request;
  const asked = {
    ...(encryption !== undefined && { encryption }),
    ...(shardCount !== undefined && { shardCount }),
  };
  return current === undefined ? newSettings(nowMs, asked) : mergeRequest(current, asked);
}

/** A job that takes no time. */
function boundAtOnce<T>(
  facts: Pick<CommitJob<T>, "bytes" | "alone">,
  bind: (facts: NamespaceFacts) => BoundJob<T>,
): CommitJob<T> {
  return { ...facts, bind: (before) => oneStep(() => bind(before)) };
}

/** A job that reads no documents. */
function readsNothing<T>(resolve: (state: JobState) => ResolvedJob<T>): BoundJob<T> {
  return {
    conflictsWith: () => oneStep(() => false),
    resolve: (state) => oneStep(() => resolve(state)),
  };
}

/** The same, whatever the state. */
function simply<T>(resolved: ResolvedJob<T>): BoundJob<T> {
  return readsNothing(() => resolved);
}
