/**
 * The whole engine inside one thread, over any store: the same parts as in production, with ports
 * that need no workers, a clock that needs no time and chance from a seed. Restarts and crashes
 * take milliseconds.
 */

import {
  answerPieces,
  type EngineMetric,
  type EngineRequest,
  type HttpAnswer,
  type OperationName,
} from "../../../src/api/engine.ts";
import { MIB } from "../../../src/base/byte-sizes.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { DatabaseError } from "../../../src/base/errors.ts";
import { namespaceName } from "../../../src/base/ids.ts";
import { nextTurn } from "../../../src/base/next-turn.ts";
import { type Random, seededRandom } from "../../../src/base/random.ts";
import { connectCache } from "../../../src/cache/cache-reader.ts";
import { CacheService } from "../../../src/cache/cache-service.ts";
import { localCachePort } from "../../../src/cache/local-cache.ts";
import type { CheckpointPeriod } from "../../../src/commit/checkpoints/periodic-checkpoints.ts";
import { MANIFEST_RELOAD_MS } from "../../../src/commit/following/manifest-follower.ts";
import type { NamespaceCatalog } from "../../../src/commit/namespace-catalog.ts";
import { hashEmbeddingProvider } from "../../../src/embed/hash-embedding-provider.ts";
import { WordRerankProvider } from "../../../src/embed/word-rerank-provider.ts";
import { Indexer } from "../../../src/indexer/indexer.ts";
import type { IndexerOptions } from "../../../src/indexer/indexer-options.ts";
import { Arenas } from "../../../src/kernel/arena.ts";
import { ArenaKernels } from "../../../src/kernel/arena-kernels.ts";
import { THRESHOLDS, type Thresholds } from "../../../src/namespace/thresholds.ts";
import type { DivisionLimits } from "../../../src/query/operator/division.ts";
import type { Probing } from "../../../src/query/operator/query-options.ts";
import { StoreAccess } from "../../../src/storage/access/store-access.ts";
import type { DiskCacheConfig } from "../../../src/storage/disk-cache/disk-cache-store.ts";
import type { KeyService } from "../../../src/storage/encryption/key-service.ts";
import type { ObjectStore } from "../../../src/storage/object-store.ts";
import type { FromCacheThread } from "../../../src/threads/cache/cache-thread.ts";
import { cacheThreadMetrics } from "../../../src/threads/cache/cache-thread-metrics.ts";
import { ThreadedEngine } from "../../../src/threads/main/threaded-engine.ts";
import { ownPort } from "../../../src/threads/query/own-port.ts";
import { OwnQueries } from "../../../src/threads/query/own-queries.ts";
import {
  QueryService,
  type QueryServiceOptions,
} from "../../../src/threads/query/query-service.ts";
import { ReadAhead } from "../../../src/threads/query/read-ahead.ts";
import { ThreadLoads } from "../../../src/threads/query/thread-loads.ts";
import type {
  FromQueryThread,
  FromWriteThread,
  ToQueryThread,
  ToWriteThread,
} from "../../../src/threads/thread-messages.ts";
import type { ThreadPort } from "../../../src/threads/thread-port.ts";
import { serveWrites } from "../../../src/threads/write/serve-writes.ts";
import { writeThreadMetrics } from "../../../src/threads/write/write-thread-metrics.ts";
import { InstantClock } from "../clocks/instant-clock.ts";
import { fixtureSeed } from "../random/fixture-seeds.ts";
import { MemoryObjectStore } from "../stores/memory-object-store.ts";
import { localPorts, type Turn } from "./local-ports.ts";
import { ScribbledBlocks } from "./scribbled-blocks.ts";
import {
  type ClusterSizes,
  type IndexerSizes,
  testIndexerOptions,
} from "./test-indexer-options.ts";

/** What a test may choose. */
export interface FixtureOptions {
  /** Kept by the caller across restarts. */
  readonly store?: ObjectStore;
  readonly clock?: Clock;
  readonly keys?: TestKeys;
  readonly thresholds?: Partial<Thresholds>;
  readonly memoryBytes?: number;
  readonly queryTimeoutMs?: number;
  readonly queryBytes?: number;
  readonly indexerMemoryBytes?: number;
  readonly cacheBytes?: number;
  /** Query threads read ahead; not by default, so that what is read is what was asked for. */
  readonly readsAhead?: boolean;
  /** Runs an indexer after each write, which collects garbage at once. */
  readonly indexing?: boolean;
  readonly queryThreads?: number;
  /** Whether the main thread answers short queries itself: it does, if it is not told otherwise. */
  readonly answersOwn?: boolean;
  /** When plans are offered to other query threads; never where time stands still. */
  readonly divisionLimits?: DivisionLimits;
  /** When checkpoints are made without anybody's asking. */
  readonly checkpoints?: CheckpointPeriod;
  /** Share of ANN rankings whose recall is measured. */
  readonly recallSampleRate?: number;
  /** Other servers write to the store, too. */
  readonly isShared?: boolean;
  /** Without it, each fixture draws from a seed of its own. */
  readonly random?: Random;
  /** When messages arrive, and when work goes on that let others go first: without it, soon. */
  readonly turn?: Turn;
  /** Decides where slices of the write thread end; without it the clock does. */
  readonly endsSlice?: () => boolean;
  /** Stands in front of the store; kept by the caller across restarts. */
  readonly diskCache?: DiskCacheConfig;
  readonly clusters?: ClusterSizes;
  /** How far ANN searches walk. */
  readonly probing?: Probing;
  /** Queries and indexers use it, and not the scalar one. */
  readonly kernel?: WebAssembly.Module | undefined;
  readonly arenaBytes?: number;
  /** Hears of each log line when it is written. */
  readonly onLog?: (line: LogLine) => void;
}

/** What an indexer may have of its own. */
export interface IndexerChoices extends Pick<IndexerOptions, "onManifest" | "onStep" | "isWoken"> {
  readonly graceMs?: number;
}

/** A row as tests see it. */
export type Row = Record<string, unknown>;

/** An answer with its body parsed. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly json: any;
}

/** A log line. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Keys that tests put there and take away; `wrap` is no secret. */
export class TestKeys implements KeyService {
  readonly names = new Set<string>();
  /** Keys that vanish after so many wraps. */
  readonly wrapsLeft = new Map<string, number>();

  async wrap(keyName: string, dataKey: Uint8Array): Promise<Uint8Array> {
    const left = this.wrapsLeft.get(keyName);
    if (left !== undefined) this.wrapsLeft.set(keyName, left - 1);
    if (left === 0) this.names.delete(keyName);
    if (!this.names.has(keyName)) throw new DatabaseError("invalid", `no key ${keyName}`);
    return dataKey.map((byte) => byte ^ 0x5a);
  }

  async unwrap(keyName: string, wrapped: Uint8Array): Promise<Uint8Array> {
    if (!this.names.has(keyName)) throw new DatabaseError("unavailable", `${keyName} is gone`);
    return wrapped.map((byte) => byte ^ 0x5a);
  }
}

/** Of segments, and of the cache. */
/** As `--query-timeout` by default. */
const QUERY_TIMEOUT_MS = 30_000;
const MEMORY_BYTES = 64 * MIB;

/** The same for all write threads. */
const WRITES = {
  embedding: hashEmbeddingProvider,
  writeBytesMax: 256 * MIB,
  onClosed: async () => {},
};

/** One run of the server. */
export class EngineFixture {
  readonly engine: ThreadedEngine;
  readonly catalog: NamespaceCatalog;
  readonly arenas: Arenas;
  readonly cacheArenas: Arenas;
  readonly logs: LogLine[] = [];
  /** How its threads, and indexers beside it, reach the store. */
  readonly accesses: Readonly<Record<"cache" | "write" | "indexer", StoreAccess>>;
  /** What the threads would tell `/metrics` now. */
  readonly metrics: () => readonly EngineMetric[];
  /** Queries that all threads have run. */
  readonly queriesRun: () => number;
  readonly #indexerOptions: Omit<IndexerOptions, "garbageGraceMs">;
  readonly #isIndexing: boolean;

  private constructor(parts: {
    engine: ThreadedEngine;
    catalog: NamespaceCatalog;
    arenas: Arenas;
    cacheArenas: Arenas;
    accesses: EngineFixture["accesses"];
    metrics: EngineFixture["metrics"];
    queriesRun: EngineFixture["queriesRun"];
    logs: LogLine[];
    indexerOptions: Omit<IndexerOptions, "garbageGraceMs">;
    isIndexing: boolean;
  }) {
    this.engine = parts.engine;
    this.catalog = parts.catalog;
    this.arenas = parts.arenas;
    this.cacheArenas = parts.cacheArenas;
    this.accesses = parts.accesses;
    this.metrics = parts.metrics;
    this.queriesRun = parts.queriesRun;
    this.logs = parts.logs;
    this.#indexerOptions = parts.indexerOptions;
    this.#isIndexing = parts.isIndexing;
  }

  /** Starts a server on a store and recovers what a stop interrupted. */
  static async open(given: FixtureOptions = {}): Promise<EngineFixture> {
    const options = { ...given, store: given.store ?? new MemoryObjectStore() };
    const clock = options.clock ?? new InstantClock();
    const random = options.random ?? seededRandom(fixtureSeed());
    const { queryThreads: threads = 1, arenaBytes = MIB } = options;
    const sizes = { threads: threads + 1, arenaBytes };
    const arenas = new Arenas({ totalBytes: options.memoryBytes ?? MEMORY_BYTES, ...sizes });
    const cacheArenas = new Arenas({ totalBytes: options.cacheBytes ?? MEMORY_BYTES, ...sizes });
    const logs: LogLine[] = [];
    const log = (level: string, message: string, facts: LogLine["facts"] = {}) => {
      logs.push({ level, message, facts });
      options.onLog?.({ level, message, facts });
    };
    const writeThread = localPorts<ToWriteThread, FromWriteThread>(options.turn);
    const { store, keys = new TestKeys(), diskCache } = options;
    // Every thread, and an indexer, has one of its own.
    const newAccess = () => new StoreAccess({ store, clock, random, keys, diskCache });
    const accesses = { cache: newAccess(), write: newAccess(), indexer: newAccess() };
    const cache = startCacheThread(accesses.cache, cacheArenas);
    const tools = {
      clock,
      random,
      log,
      thresholds: { ...THRESHOLDS, ...options.thresholds },
      yield: () => new Promise<void>((resolve) => (options.turn ?? setImmediate)(resolve)),
    };
    const loads = ThreadLoads.of(threads);
    const parts: QueryThreadsParts = { clock, random, cache, loads, options, services: [] };
    const threadNumbers = [...Array(threads).keys()];
    const engine = new ThreadedEngine({
      ...tools,
      isShared: options.isShared ?? false,
      queryTimeoutMs: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
      samplesRecall: options.recallSampleRate !== undefined,
      writeThread: writeThread.near,
      queryThreads: threadNumbers.map((thread) => startQueryThread({ thread, ...parts })),
      queryLoads: loads,
      ownQueries: ownQueries({ thread: threads, ...parts }),
      cacheThread: localPorts<never, FromCacheThread>().near,
    });
    const catalog = await serveWrites({
      ...tools,
      access: accesses.write,
      keys,
      arenas,
      reads: connectCache(localCachePort(cache)),
      ...ownership(options),
      ...WRITES,
      ...(options.endsSlice && { endsSlice: options.endsSlice }),
      ...writeThread.far,
    });
    await engine.ready();
    const indexerOptions = testIndexerOptions(tools, accesses.indexer, indexerSizes(options));
    const metrics = () => [
      ...writeThreadMetrics({ access: accesses.write, catalog, arenas, turns: { maxMs: () => 0 } }),
      ...cacheThreadMetrics(cache, accesses.cache),
    ];
    return new EngineFixture({
      engine,
      catalog,
      arenas,
      cacheArenas,
      accesses,
      metrics,
      queriesRun: () => parts.services.reduce((sum, { stats }) => sum + stats.queries, 0),
      logs,
      indexerOptions,
      isIndexing: options.indexing ?? false,
    });
  }

  /** Sends one request. */
  async call(
    operation: OperationName,
    namespace: string | undefined,
    body?: unknown,
    rest: Partial<EngineRequest> = {},
  ): Promise<Answer> {
    const answer = parsed(
      await this.engine.handle({
        operation,
        ...(namespace !== undefined && { namespace: namespaceName(namespace) }),
        parameters: {},
        ...(body !== undefined && { body: bodyOf(body) }),
        apiVersion: "v2",
        respondAsync: false,
        isStrict: false,
        signal: new AbortController().signal,
        ...rest,
      }),
    );
    // An indexer that fails, by the store or by a crash, is no answer's business.
    if (this.#isIndexing && operation === "write") await this.index().catch(() => {});
    return answer;
  }

  /** Sends a write that must succeed. */
  async write(namespace: string, body: unknown): Promise<Answer> {
    const answer = await this.call("write", namespace, body);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.json)}`);
    return answer;
  }

  /** All documents by ascending id; undefined if there is no such namespace. */
  async rows(namespace: string): Promise<Row[] | undefined> {
    const answer = await this.call("query", namespace, {
      rank_by: ["id", "asc"],
      limit: 10_000,
      include_attributes: true,
    });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.json)}`);
    return answer.json.rows;
  }

  /** Runs an indexer over all namespaces' logs, and lets this server follow it. */
  async index(options: { readonly graceMs?: number } = {}): Promise<void> {
    await this.indexer(options).pass();
    await this.follow();
  }

  /** The same whatever the length of the logs. */
  async indexAll(): Promise<void> {
    const thresholds = { indexTailBytes: 1, indexTailEntries: 1 };
    await new Indexer({ ...this.#indexerOptions, thresholds, garbageGraceMs: 0 }).pass();
    await this.follow();
  }

  /** Takes over the newest manifests. */
  async follow(): Promise<void> {
    // Versions in between may be collected already, so that only a listing finds the newest.
    const { clock } = this.#indexerOptions;
    if (clock instanceof InstantClock) await clock.sleep(MANIFEST_RELOAD_MS);
    await this.catalog.followAll();
    await this.catalog.settle();
  }

  /** An indexer on the same store, as another process has it. */
  indexer({ graceMs = 0, ...heard }: IndexerChoices = {}): Indexer {
    return new Indexer({ ...this.#indexerOptions, garbageGraceMs: graceMs, ...heard });
  }

  /** Stops as a server that was asked to; what was to be kept on disk is there then. */
  async close(): Promise<void> {
    await this.engine.close();
    for (const { disk } of Object.values(this.accesses)) await disk?.whenIdle();
  }
}

function startCacheThread(access: StoreAccess, arenas: Arenas): CacheService {
  const store = access.storeFor(undefined);
  return new CacheService({ store, arenas, disk: access.disk, nextTurn });
}

interface QueryThreadParts extends QueryThreadsParts {
  readonly thread: number;
}

interface QueryThreadsParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly cache: CacheService;
  readonly loads: Pick<ThreadLoads, "idleCount">;
  readonly options: FixtureOptions;
  /** Takes what is made. */
  readonly services: QueryService[];
}

/** Starts one; its port for the main thread. */
function startQueryThread(of: QueryThreadParts): ThreadPort<ToQueryThread, FromQueryThread> {
  const { near, far } = localPorts<ToQueryThread, FromQueryThread>(of.options.turn);
  const service = queryService(of, {
    post: (message) => far.post(message),
    postNow: (message, transfer) => far.post(message, transfer),
  });
  far.listen((message) => service.onMessage(message));
  return near;
}

/** Short queries that the main thread answers itself; it never divides them. */
function ownQueries(of: QueryThreadParts): OwnQueries | undefined {
  const { answersOwn = true, turn = setImmediate } = of.options;
  if (!answersOwn) return undefined;
  const start = (post: QueryServiceOptions["post"]) =>
    queryService({ ...of, loads: { idleCount: 0 } }, { post, postNow: post, handsOver: true });
  const onCrash = (error: unknown) => {
    throw error;
  };
  return new OwnQueries({ port: ownPort({ start, onCrash }), afterTurn: turn });
}

function queryService(
  of: QueryThreadParts,
  channel: Pick<QueryServiceOptions, "post" | "postNow" | "handsOver">,
): QueryService {
  const kernels = new ArenaKernels(of.options.kernel, of.thread);
  const reads = connectCache(localCachePort(of.cache), (arena, memory) =>
    kernels.attach(arena, memory),
  );
  const service = new QueryService({
    kernels,
    probing: of.options.probing,
    reads,
    readAhead: of.options.readsAhead === true ? new ReadAhead({ reads, nextTurn }) : undefined,
    embedding: hashEmbeddingProvider,
    reranking: new WordRerankProvider(["words"], of.clock),
    clock: of.clock,
    random: of.random,
    scanBytesMax: Math.floor((of.options.cacheBytes ?? 64 * MIB) / 4),
    thresholds: { ...THRESHOLDS, ...of.options.thresholds },
    timeoutMs: of.options.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
    queryBytesMax: of.options.queryBytes ?? 64 * MIB,
    recallSampleRate: of.options.recallSampleRate,
    loads: of.loads,
    divisionLimits: of.options.divisionLimits,
    nextTurn,
    ...channel,
  });
  of.services.push(service);
  return service;
}

async function* bodyOf(body: unknown): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
}

function parsed(answer: HttpAnswer): Answer {
  const { status, headers } = answer;
  const text = new TextDecoder().decode(Buffer.concat(answerPieces(answer)));
  return { status, headers, json: text === "" ? undefined : JSON.parse(text) };
}

function indexerSizes({ clusters, kernel, indexerMemoryBytes }: FixtureOptions): IndexerSizes {
  return { clusters, kernel, memoryBytes: indexerMemoryBytes };
}

/** Whether the server has its store for itself, and what it does by itself then. */
function ownership({ isShared = false, checkpoints }: FixtureOptions) {
  const blocks = isShared ? undefined : new ScribbledBlocks();
  return { isExclusive: !isShared, blocks, checkpoints };
}
