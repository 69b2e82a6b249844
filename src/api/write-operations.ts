/** Answers the calls of the write thread: one function for each operation. */

import { assert, must } from "../base/assert.ts";
import type { BlockPool } from "../base/block-pool.ts";
import { clipName } from "../base/bounded-text.ts";
import { DatabaseError, invalid } from "../base/errors.ts";
import type { NamespaceName, SegmentId } from "../base/ids.ts";
import type { MemoryPool } from "../base/memory-pool.ts";
import { Slices } from "../base/slices.ts";
import { awaitIndexes } from "../commit/await-indexes.ts";
import type { CacheWarmer } from "../commit/cache-warmer.ts";
import { copyNamespace } from "../commit/copies/copy-namespace.ts";
import { metadataOf } from "../commit/metadata.ts";
import type { Namespace } from "../commit/namespace.ts";
import type { NamespaceCatalog } from "../commit/namespace-catalog.ts";
import type { NamespaceOptions } from "../commit/opened/namespace-options.ts";
import {
  deleteJob,
  schemaJob,
  settingsJob,
  WriteJob,
  type WriteJobOptions,
} from "../commit/write-jobs.ts";
import type { EmbeddingProvider } from "../embed/embedding-provider.ts";
import { formatDatetime } from "../model/datetime.ts";
import type { NamespaceEffect } from "../model/namespace-effect.ts";
import {
  EVERY_NAMESPACE,
  fitsPatterns,
  type NamespacePatterns,
} from "../model/namespace-pattern.ts";
import type { RequestScope } from "../model/request-scope.ts";
import type { EmbeddingStats } from "../model/request-stats.ts";
import { EMPTY_SCHEMA } from "../model/schema.ts";
import type { CustomerKey, WriteRequest } from "../model/write-request.ts";
import { NamespaceNotFound, namespaceNotFound } from "../namespace/namespace-faults.ts";
import { UNINDEXED_RETRY_MS } from "../namespace/thresholds.ts";
import { segmentKey } from "../storage/object-keys.ts";
import { SpanRecorder } from "../trace/span-recorder.ts";
import { encodeImportAnswer } from "../wire/answers/import-answer.ts";
import { encodeMetadataAnswer } from "../wire/answers/metadata-json.ts";
import { encodeListAnswer, parseListParameters } from "../wire/answers/namespace-list.ts";
import { encodeSchemaAnswer } from "../wire/answers/schema-json.ts";
import { encodeDeleteAnswer, encodeWarmAnswer } from "../wire/answers/service-answers.ts";
import { encodeWriteAnswer, NO_COUNTS } from "../wire/answers/write-answer.ts";
import type { UnknownMembers } from "../wire/json/unknown-members.ts";
import { parseMetadataPatch, parseSchemaBody } from "../wire/write/parse-namespace-bodies.ts";
import { WriteBodyParser } from "../wire/write/parse-write.ts";
import { embedDocuments, planEmbeddings } from "../write/bind/embed-documents.ts";
import { billedQueryBytes } from "../write/resolve/write-billing.ts";
import { withoutAbsentDrops } from "../write/schema/drop-attribute.ts";
import { mergeSchema } from "../write/schema/merge-schema.ts";
import { type BackupOperationOptions, runBackupOperation } from "./backup-operations.ts";
import { type HttpAnswer, jsonAnswer } from "./engine.ts";
import { bodyOf, importLines } from "./import-lines.ts";
import { wholeBody } from "./whole-body.ts";
import type { BodySource, CallMessage, CallReporter } from "./write-call.ts";
import { WriteMemory } from "./write-memory.ts";

/** What the operations work with. */
export interface OperationOptions {
  readonly namespaceOptions: Pick<
    NamespaceOptions,
    | "clock"
    | "random"
    | "log"
    | "reads"
    | "memory"
    | "thresholds"
    | "storeFor"
    | "yield"
    | "endsSlice"
  >;
  readonly catalog: NamespaceCatalog;
  readonly embedding: EmbeddingProvider;
  readonly warmer: CacheWarmer;
  /** Of the documents of all writes. */
  readonly writeMemory: MemoryPool;
  /** For the vectors of writes; none where a put may outlive its write. */
  readonly blocks: BlockPool | undefined;
  readonly backup: BackupOperationOptions;
  /** Throws (400) if there is no such customer-managed key. */
  checkKey(key: CustomerKey): Promise<void>;
}

/** Answers one call. Operating errors are thrown. */
export async function runOperation(
  call: CallMessage,
  body: BodySource,
  reporter: CallReporter,
  options: OperationOptions,
): Promise<HttpAnswer> {
  const { unknown } = reporter;
  if (call.operation === "list_namespaces") return listNamespaces(call, unknown, options);
  const aboutBackups = runBackupOperation(call, body, reporter, options.backup);
  if (aboutBackups !== undefined) return aboutBackups;
  const { namespace: name } = call;
  if (name === undefined) throw new Error(`${call.operation} without a namespace`);
  const operations = new NamespaceOperations(name, call, options);
  try {
    return await operate(operations, call, body, reporter);
  } catch (error) {
    const isAbsent = error instanceof NamespaceNotFound && error.namespace === name;
    throw isAbsent ? options.catalog.notFound(name, visibleTo(call)) : error;
  }
}

function operate(
  operations: NamespaceOperations,
  call: CallMessage,
  body: BodySource,
  reporter: CallReporter,
): Promise<HttpAnswer> {
  const { unknown } = reporter;
  switch (call.operation) {
    case "write":
    case "start_copy":
      return operations.write(body, reporter);
    case "import":
      return operations.import(body, reporter);
    case "delete_namespace":
      return operations.delete();
    case "get_metadata":
      return operations.metadata();
    case "update_metadata":
      return operations.updateMetadata(body, unknown);
    case "get_schema":
      return operations.schema();
    case "update_schema":
      return operations.updateSchema(body, unknown);
    case "warm_cache_hint":
      return operations.hintWarm();
    case "warm_cache":
      return operations.warm();
    case "purge_cache":
      return operations.purge();
    case "describe_namespace":
      return operations.describe();
    default:
      throw new Error(`${call.operation} is not for the write thread`);
  }
}

/** Which namespaces an answer may name. */
function visibleTo({ scope }: CallMessage): NamespacePatterns {
  return scope?.visible ?? [EVERY_NAMESPACE];
}

/** What a copy does, for the audit. */
function copyEffects({
  kind,
  namespace: source,
}: NonNullable<WriteRequest["copyFrom"]>): readonly NamespaceEffect[] {
  return [{ kind: kind === "copy" ? "copied" : "branched", source }];
}

/** Throws `forbidden` unless the client may read what is to be copied. */
function checkSource({ copyFrom }: WriteRequest, scope: RequestScope | undefined): void {
  if (copyFrom === undefined || scope === undefined) return;
  const { kind, namespace } = copyFrom;
  if (fitsPatterns(scope.readable, namespace)) return;
  throw new DatabaseError(
    "forbidden",
    `the ${scope.holder} lacks the action \`read\` on namespace '${clipName(namespace)}', which ` +
      `is needed to ${kind} from it`,
  );
}

async function listNamespaces(
  call: CallMessage,
  unknown: UnknownMembers,
  { catalog }: OperationOptions,
): Promise<HttpAnswer> {
  const parameters = parseListParameters(call.parameters, unknown);
  const names = await catalog.list(parameters, visibleTo(call));
  return jsonAnswer(200, encodeListAnswer(names, parameters.pageSize));
}

/** The body of a write, and what holds its documents. */
interface WriteSource {
  readonly body: BodySource;
  readonly memory: WriteMemory;
}

/** What a write asks for. */
type ParsedWrite =
  | { readonly kind: "copy"; readonly request: WriteRequest }
  | {
      readonly kind: "documents";
      readonly job: WriteJob;
      readonly declaresSchema: boolean;
      readonly embeddingStats: EmbeddingStats | undefined;
    };

/** Operations on one namespace. */
class NamespaceOperations {
  readonly #name: NamespaceName;
  readonly #call: CallMessage;
  readonly #options: OperationOptions;
  readonly #startedMs: number;
  /** Undefined where the request is not traced. */
  readonly #spans: SpanRecorder | undefined;

  constructor(name: NamespaceName, call: CallMessage, options: OperationOptions) {
    this.#name = name;
    this.#call = call;
    this.#options = options;
    const { clock } = options.namespaceOptions;
    this.#startedMs = clock.monotonicMs();
    if (call.tracedAtMs === undefined) return;
    const queuedMs = Math.max(0, clock.nowMs() - call.tracedAtMs);
    this.#spans = new SpanRecorder(() => queuedMs + this.#elapsedMs());
    this.#spans.begin("queue");
  }

  async write(body: BodySource, reporter: CallReporter): Promise<HttpAnswer> {
    this.#spans?.enter("open");
    const answer = await this.#with((namespace, memory) =>
      this.#writeTo(namespace, { body, memory }, reporter),
    );
    return this.#spans === undefined ? answer : { ...answer, spans: this.#spans.end() };
  }

  #with<T>(work: (namespace: Namespace, memory: WriteMemory) => Promise<T>): Promise<T> {
    const memory = new WriteMemory(this.#options.writeMemory, this.#options.blocks);
    const working = this.#options.catalog.with(this.#name, (namespace) => work(namespace, memory));
    return working.finally(() => memory.release());
  }

  /** Each batch of lines is a write of its own. */
  async import(body: BodySource, reporter: CallReporter): Promise<HttpAnswer> {
    const slices = this.#slices();
    const rows = await importLines(body, this.#call.parameters, {
      slices,
      write: (batch) => this.#writeBatch(batch, reporter),
    });
    const serverTotalMs = this.#elapsedMs();
    return jsonAnswer(200, encodeImportAnswer({ ...rows, serverTotalMs }));
  }

  #writeBatch(
    bytes: Uint8Array,
    reporter: CallReporter,
  ): Promise<{ readonly billedBytes: number }> {
    return this.#with(async (namespace, memory) => {
      const parsed = await this.#parse(namespace, { body: bodyOf(bytes), memory }, reporter);
      assert(parsed.kind === "documents", "lines of documents are no copy");
      const { billedBytes } = await this.#options.catalog.submit(this.#name, parsed.job);
      if (parsed.declaresSchema) await this.#awaitIndexes();
      return { billedBytes };
    });
  }

  async #writeTo(
    namespace: Namespace,
    source: WriteSource,
    reporter: CallReporter,
  ): Promise<HttpAnswer> {
    const { catalog } = this.#options;
    this.#spans?.enter("parse");
    const parsed = await this.#parse(namespace, source, reporter);
    this.#spans?.enter(parsed.kind === "copy" ? "copy" : "wait");
    if (parsed.kind === "copy") return this.#copy(parsed.request, reporter);
    const outcome = await catalog.submit(this.#name, parsed.job);
    if (parsed.declaresSchema) await this.#awaitIndexes();
    const queryBilling = outcome.queries > 0 ? billedReads(outcome.queries, namespace) : undefined;
    const answer = jsonAnswer(
      200,
      encodeWriteAnswer({
        counts: outcome,
        copied: undefined,
        billedBytes: outcome.billedBytes,
        queryBilling,
        serverTotalMs: this.#elapsedMs(),
        embedding: parsed.embeddingStats,
      }),
    );
    const { effects } = outcome;
    return effects.length === 0 ? answer : { ...answer, effects };
  }

  /** Only the job keeps the documents as they were written, since they may be large. */
  async #parse(
    namespace: Namespace,
    source: WriteSource,
    reporter: CallReporter,
  ): Promise<ParsedWrite> {
    const request = await parseBody(source, namespace, {
      unknown: reporter.unknown,
      slices: this.#slices(),
    });
    if (request.copyFrom !== undefined) reporter.tries(copyEffects(request.copyFrom));
    checkSource(request, this.#call.scope);
    if (this.#call.operation === "start_copy" && request.copyFrom?.kind !== "copy") {
      throw invalid(
        "💔 only copy_from_namespace can be started here: " +
          "send other writes to POST /v2/namespaces/:namespace",
      );
    }
    if (request.encryption?.kind === "customer_managed") {
      await this.#options.checkKey(request.encryption);
    }
    if (request.copyFrom !== undefined) return { kind: "copy", request };
    this.#checkBackpressure(namespace, request);
    const embedded = await this.#embed(request, namespace);
    const job = new WriteJob(embedded.request, this.#jobOptions());
    const { embeddingStats } = embedded;
    return { kind: "documents", job, declaresSchema: request.schema !== undefined, embeddingStats };
  }

  async delete(): Promise<HttpAnswer> {
    await this.#options.catalog.delete(this.#name, deleteJob(this.#name));
    return jsonAnswer(200, encodeDeleteAnswer());
  }

  async metadata(): Promise<HttpAnswer> {
    const namespace = await this.#findNewest();
    const metadata = metadataOf(namespace, visibleTo(this.#call));
    return jsonAnswer(200, encodeMetadataAnswer(metadata, this.#call.apiVersion));
  }

  async updateMetadata(body: BodySource, unknown: UnknownMembers): Promise<HttpAnswer> {
    const slices = this.#slices();
    const bytes = await wholeBody(body, slices);
    await this.#findNewest();
    const patch = await slices.run(parseMetadataPatch(bytes, unknown));
    await this.#options.catalog.submit(this.#name, settingsJob(patch, this.#jobOptions()));
    return this.metadata();
  }

  async schema(): Promise<HttpAnswer> {
    const { facts } = await this.#findNewest();
    return jsonAnswer(200, encodeSchemaAnswer(facts.schema));
  }

  async updateSchema(body: BodySource, unknown: UnknownMembers): Promise<HttpAnswer> {
    const slices = this.#slices();
    const bytes = await wholeBody(body, slices);
    await this.#findNewest();
    const declared = await slices.run(parseSchemaBody(bytes, unknown));
    const job = schemaJob(declared, this.#jobOptions());
    const schema = await this.#options.catalog.submit(this.#name, job);
    await this.#awaitIndexes();
    return jsonAnswer(200, encodeSchemaAnswer(schema));
  }

  /** Answers at once; what cannot be read now is read by the queries that need it. */
  async hintWarm(): Promise<HttpAnswer> {
    const namespace = await this.#find();
    this.#options.warmer.hint(namespace);
    return jsonAnswer(202, encodeWarmAnswer());
  }

  /** Answers when everything is in memory. */
  async warm(): Promise<HttpAnswer> {
    await this.#options.warmer.warm(await this.#find());
    return jsonAnswer(200, { status: "OK" });
  }

  /** Answers when nothing of the stored segments is in memory or in the disk cache. */
  async purge(): Promise<HttpAnswer> {
    const { stored, generation } = await this.#find();
    const objects = stored.flatMap(({ object, tombstones }) => {
      if (tombstones === undefined) return [object];
      return [object, segmentKey(generation, tombstones.object as SegmentId)];
    });
    await this.#options.namespaceOptions.reads.purge(objects);
    return jsonAnswer(200, { status: "OK" });
  }

  /** The deprecated HEAD answer: facts in headers. */
  async describe(): Promise<HttpAnswer> {
    const namespace = await this.#findNewest();
    const { documentCount, schema } = namespace.state();
    const { settings } = namespace.facts;
    const vector = schema.attributes.get("vector")?.type;
    const dimensions = vector?.kind === "vector" ? vector.dimensions : 0;
    const answer = jsonAnswer(200, new Uint8Array(0));
    const headers = {
      ...answer.headers,
      "x-turbopuffer-dimensions": String(dimensions),
      "x-turbopuffer-approx-num-vectors": String(documentCount),
      ...(settings && {
        "x-turbopuffer-created-at": formatDatetime(BigInt(settings.createdAtMs)),
      }),
    };
    return { ...answer, headers };
  }

  async #copy(request: WriteRequest, reporter: CallReporter): Promise<HttpAnswer> {
    const { namespaceOptions, catalog } = this.#options;
    const copyFrom = must(request.copyFrom, "a copy without a source");
    const effects = copyEffects(copyFrom);
    reporter.long(effects);
    const progress = (text: string) => reporter.progress(text);
    const copied = await copyNamespace(this.#name, request, {
      namespaceOptions,
      catalog,
      region: this.#call.region,
      visible: visibleTo(this.#call),
      progress,
    });
    const answer = jsonAnswer(
      200,
      encodeWriteAnswer({
        counts: NO_COUNTS,
        copied: { kind: copyFrom.kind, documentCount: copied.documentCount },
        billedBytes: copied.billedBytes,
        queryBilling: undefined,
        serverTotalMs: this.#elapsedMs(),
        embedding: undefined,
      }),
    );
    return { ...answer, effects };
  }

  async #embed(
    request: WriteRequest,
    namespace: Namespace,
  ): Promise<{ request: WriteRequest; embeddingStats: EmbeddingStats | undefined }> {
    const { upserts, schema: declared, distanceMetric } = request;
    const { clock } = this.#options.namespaceOptions;
    if (upserts === undefined) return { request, embeddingStats: undefined };
    const current = namespace.exists ? namespace.facts.schema : EMPTY_SCHEMA;
    const schema = mergeSchema(current, {
      declared: declared && withoutAbsentDrops(declared, current),
      path: "schema",
      distanceMetric,
      isNewNamespace: !namespace.exists,
      dimensionsOf: (model) => this.#options.embedding.dimensionsOf(model),
    });
    const jobs = planEmbeddings(upserts, schema);
    if (jobs.length === 0) return { request, embeddingStats: undefined };
    this.#spans?.enter("embed");
    const startedMs = clock.monotonicMs();
    const embedded = await embedDocuments(upserts, jobs, this.#options.embedding);
    const embeddingStats = { tokens: embedded.tokens, ms: clock.monotonicMs() - startedMs };
    return { request: { ...request, upserts: embedded.upserts }, embeddingStats };
  }

  #checkBackpressure(namespace: Namespace, request: WriteRequest): void {
    const { unindexedBytes } = namespace.state();
    const { unindexedBytesMax } = this.#options.namespaceOptions.thresholds;
    if (request.disableBackpressure || unindexedBytes <= unindexedBytesMax) return;
    throw new DatabaseError(
      "overloaded",
      `💔 too much unindexed data in namespace '${this.#name}': ${unindexedBytes} bytes, at most ` +
        `${unindexedBytesMax}; retry later, or set disable_backpressure`,
      { retryAfterMs: UNINDEXED_RETRY_MS },
    );
  }

  async #awaitIndexes(): Promise<void> {
    const { catalog, namespaceOptions } = this.#options;
    const namespace = await catalog.find(this.#name);
    if (namespace !== undefined) await awaitIndexes(namespace, namespaceOptions);
  }

  async #find(): Promise<Namespace> {
    return this.#existing(await this.#options.catalog.find(this.#name));
  }

  async #findNewest(): Promise<Namespace> {
    return this.#existing(await this.#options.catalog.findNewest(this.#name));
  }

  #existing(namespace: Namespace | undefined): Namespace {
    if (namespace === undefined) throw namespaceNotFound(this.#name);
    return namespace;
  }

  #jobOptions(): WriteJobOptions {
    const { namespaceOptions, embedding } = this.#options;
    return {
      name: this.#name,
      nowMs: namespaceOptions.clock.nowMs(),
      dimensionsOf: (model) => embedding.dimensionsOf(model),
      enter: (step) => this.#spans?.enter(step),
    };
  }

  #slices(): Slices {
    return new Slices({ ...this.#options.namespaceOptions, flow: this.#name });
  }

  #elapsedMs(): number {
    return this.#options.namespaceOptions.clock.monotonicMs() - this.#startedMs;
  }
}

/** Parses a write's body while it arrives. */
async function parseBody(
  { body, memory }: WriteSource,
  namespace: Namespace,
  { unknown, slices }: { readonly unknown: UnknownMembers; readonly slices: Slices },
): Promise<WriteRequest> {
  const hints = { typeOf: (attribute: string) => namespace.typeOf(attribute) };
  const parser = new WriteBodyParser(hints, unknown, memory);
  for (;;) {
    const chunk = await body.next();
    if (chunk === undefined) return slices.run(parser.finish());
    await slices.run(parser.push(chunk));
  }
}

/** Queries that a write had to run, at the price of the smallest query or of the namespace. */
function billedReads(
  queries: number,
  namespace: Namespace,
): { bytesQueried: number; bytesReturned: number } {
  const bytesQueried = billedQueryBytes(queries, namespace.state().logicalBytes);
  return { bytesQueried, bytesReturned: 0 };
}
