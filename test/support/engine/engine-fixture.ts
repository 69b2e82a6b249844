/**
 * The whole engine inside one thread, over any store: the same parts as in production, with ports
 * that need no workers, a clock that needs no time and chance from a seed. Restarts and crashes
 * take milliseconds.
 */

import type { EngineAnswer, EngineRequest, OperationName } from "../../../src/api/engine.ts";
import { type OperationContext, runOperation } from "../../../src/api/write-operations.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { DatabaseError } from "../../../src/base/errors.ts";
import { namespaceName } from "../../../src/base/ids.ts";
import { MANIFEST_RELOAD_MS } from "../../../src/base/limits.ts";
import { type Random, seededRandom } from "../../../src/base/random.ts";
import { connectCache } from "../../../src/cache/cache-reader.ts";
import type { CacheService } from "../../../src/cache/cache-service.ts";
import { localCachePort } from "../../../src/cache/local-cache.ts";
import type { SegmentReads } from "../../../src/cache/segment-reads.ts";
import { CacheWarmer } from "../../../src/commit/background/cache-warmer.ts";
import { NamespaceCatalog } from "../../../src/commit/namespace-catalog.ts";
import { hashEmbeddingProvider } from "../../../src/embed/hash-embedding-provider.ts";
import type { FromCacheThread } from "../../../src/engine/cache-thread.ts";
import type { SharedParts } from "../../../src/engine/namespace-parts.ts";
import { Indexer } from "../../../src/indexer/indexer.ts";
import type { IndexerParts } from "../../../src/indexer/indexer-options.ts";
import { Arenas } from "../../../src/kernel/arena.ts";
import { ArenaKernels } from "../../../src/kernel/arena-kernels.ts";
import { THRESHOLDS, type Thresholds } from "../../../src/namespace/thresholds.ts";
import type { Probing } from "../../../src/query/query-options.ts";
import { arenaSegmentMemory } from "../../../src/segment/format/arena-segment-memory.ts";
import type { DiskCache } from "../../../src/storage/disk-cache/disk-cache.ts";
import type { DiskCacheConfig } from "../../../src/storage/disk-cache/disk-cache-store.ts";
import { EncryptingObjectStore } from "../../../src/storage/encryption/encrypting-object-store.ts";
import { DATA_KEY_BYTES, type KeyService } from "../../../src/storage/encryption/key-service.ts";
import { MemoryObjectStore } from "../../../src/storage/memory-object-store.ts";
import type { ObjectStore } from "../../../src/storage/object-store.ts";
import { QueryService } from "../../../src/threads/query/query-service.ts";
import type {
  FromQueryThread,
  FromWriteThread,
  ToQueryThread,
  ToWriteThread,
} from "../../../src/threads/thread-messages.ts";
import { ThreadedEngine } from "../../../src/threads/threaded-engine.ts";
import { WriteService } from "../../../src/threads/write/write-service.ts";
import { InstantClock } from "../clocks/instant-clock.ts";
import { openFixtureStore, startFixtureCache } from "../fixture-store.ts";
import { type ClusterSizes, partsOfIndexer } from "../indexer-parts.ts";
import { type FarEnd, localPorts, type Turn } from "./local-ports.ts";

const MIB = 1024 * 1024;

/** What a test may choose. */
export interface FixtureOptions {
  /** Kept by the caller across restarts. */
  readonly store?: ObjectStore;
  readonly clock?: Clock;
  readonly keys?: TestKeys;
  readonly thresholds?: Partial<Thresholds>;
  readonly memoryBytes?: number;
  readonly indexerMemoryBytes?: number;
  readonly cacheBytes?: number;
  /** Runs an indexer after each write, which collects garbage at once. */
  readonly indexing?: boolean;
  readonly queryThreads?: number;
  /** Other servers write to the store, too. */
  readonly isShared?: boolean;
  /** Without it, each fixture draws from a seed of its own. */
  readonly random?: Random;
  /** When messages arrive, and when work goes on that let others go first: without it, soon. */
  readonly turn?: Turn;
  /** Stands in front of the store; kept by the caller across restarts. */
  readonly diskCache?: DiskCacheConfig;
  readonly clusters?: ClusterSizes;
  /** How far ANN searches walk. */
  readonly probing?: Probing;
  /** Queries use it, and not the scalar one. */
  readonly kernel?: WebAssembly.Module | undefined;
  readonly arenaBytes?: number;
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

/** Of all fixtures, so that no two processes draw the same nonces. */
let processes = 0;

/** One run of the server. */
export class EngineFixture {
  readonly engine: ThreadedEngine;
  readonly catalog: NamespaceCatalog;
  readonly arenas: Arenas;
  readonly cacheArenas: Arenas;
  readonly logs: LogLine[] = [];
  /** The disk caches of its threads, if it has any. */
  readonly disks: readonly DiskCache[];
  readonly #indexerParts: Omit<IndexerParts, "garbageGraceMs">;
  readonly #isIndexing: boolean;

  private constructor(parts: {
    engine: ThreadedEngine;
    catalog: NamespaceCatalog;
    arenas: Arenas;
    cacheArenas: Arenas;
    disks: readonly DiskCache[];
    logs: LogLine[];
    indexerParts: Omit<IndexerParts, "garbageGraceMs">;
    isIndexing: boolean;
  }) {
    this.engine = parts.engine;
    this.catalog = parts.catalog;
    this.arenas = parts.arenas;
    this.cacheArenas = parts.cacheArenas;
    this.disks = parts.disks;
    this.logs = parts.logs;
    this.#indexerParts = parts.indexerParts;
    this.#isIndexing = parts.isIndexing;
  }

  /** Starts a server on a store and recovers what a stop interrupted. */
  static async open(given: FixtureOptions = {}): Promise<EngineFixture> {
    const options = { ...given, store: given.store ?? new MemoryObjectStore() };
    const clock = options.clock ?? new InstantClock();
    const random = options.random ?? seededRandom(0x7261 + ++processes);
    const { queryThreads: threads = 1, arenaBytes = MIB } = options;
    const arenas = new Arenas({ totalBytes: options.memoryBytes ?? 64 * MIB, threads, arenaBytes });
    const logs: LogLine[] = [];
    const log = (level: string, message: string, facts: LogLine["facts"] = {}) => {
      logs.push({ level, message, facts });
    };
    const writeThread = localPorts<ToWriteThread, FromWriteThread>(options.turn);
    const cacheArenas = new Arenas({
      totalBytes: options.cacheBytes ?? 64 * MIB,
      threads,
      arenaBytes,
    });
    const disks: DiskCache[] = [];
    const keys = options.keys ?? new TestKeys();
    const cache = startFixtureCache(options, { clock, random, arenas: cacheArenas, disks, keys });
    const parts = namespaceParts(options, {
      clock,
      random,
      arenas,
      disks,
      log,
      post: writeThread.far.post,
      reads: connectCache(localCachePort(cache)),
    });
    const queryThreads = Array.from({ length: threads }, (_, thread) => {
      const ports = localPorts<ToQueryThread, FromQueryThread>(options.turn);
      startQueryThread(ports.far, { thread, clock, random, cache, options });
      return ports.near;
    });
    const engine = new ThreadedEngine({
      clock,
      random,
      log,
      isShared: options.isShared ?? false,
      writeThread: writeThread.near,
      queryThreads,
      cacheThread: localPorts<never, FromCacheThread>().near,
    });
    const catalog = new NamespaceCatalog(parts, parts.store);
    await catalog.recover();
    startWriteThread(writeThread.far, { parts, catalog, arenas, keys: options.keys });
    await engine.ready();
    const indexerParts = partsOfIndexer(parts, options.clusters, options.indexerMemoryBytes);
    return new EngineFixture({
      engine,
      catalog,
      arenas,
      cacheArenas,
      disks,
      logs,
      indexerParts,
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
    await new Indexer({ ...this.#indexerParts, thresholds, garbageGraceMs: 0 }).pass();
    await this.follow();
  }

  /** Takes over the newest manifests. */
  async follow(): Promise<void> {
    // Versions in between may be collected already, so that only a listing finds the newest.
    const { clock } = this.#indexerParts;
    if (clock instanceof InstantClock) await clock.sleep(MANIFEST_RELOAD_MS);
    await this.catalog.followAll();
    await this.catalog.settle();
  }

  /** An indexer on the same store, as another process has it. */
  indexer({ graceMs = 0 }: { readonly graceMs?: number } = {}): Indexer {
    return new Indexer({ ...this.#indexerParts, garbageGraceMs: graceMs });
  }

  /** Stops as a server that was asked to; what was to be kept on disk is there then. */
  async close(): Promise<void> {
    await this.engine.close();
    for (const disk of this.disks) await disk.whenIdle();
  }
}

type Post = (message: FromWriteThread) => void;

function namespaceParts(
  options: FixtureOptions & { readonly store: ObjectStore },
  of: {
    clock: Clock;
    random: Random;
    arenas: Arenas;
    disks: DiskCache[];
    log: SharedParts["log"];
    post: Post;
    reads: SegmentReads;
  },
): SharedParts & { readonly store: ObjectStore } {
  const { random, log, clock, arenas, post, reads } = of;
  const { store } = openFixtureStore(options, of);
  const keys = options.keys ?? new TestKeys();
  return {
    store,
    clock,
    random,
    log,
    reads,
    memory: arenaSegmentMemory(arenas),
    isExclusive: !options.isShared,
    thresholds: { ...THRESHOLDS, ...options.thresholds },
    storeFor: (settings) => {
      const encryption = settings?.encryption;
      const keyName = encryption?.kind === "customer_managed" ? encryption.keyName : undefined;
      return new EncryptingObjectStore({ store, keys, random, keyName });
    },
    yield: () => new Promise((resolve) => (options.turn ?? setImmediate)(resolve)),
    publish: (namespace, deltas, state) => post({ kind: "publish", namespace, deltas, state }),
  };
}

function startWriteThread(
  far: FarEnd<ToWriteThread, FromWriteThread>,
  of: {
    parts: OperationContext["parts"] & { readonly random: Random };
    catalog: NamespaceCatalog;
    arenas: Arenas;
    keys: TestKeys | undefined;
  },
): void {
  const { parts, catalog, arenas, keys } = of;
  arenas.onArena((memory, index) => far.post({ kind: "arena", index, memory }));
  const context: OperationContext = {
    parts,
    catalog,
    embedding: hashEmbeddingProvider,
    warmer: new CacheWarmer(parts),
    checkKey: async (name) => {
      await keys?.wrap(name, parts.random.bytes(DATA_KEY_BYTES));
    },
  };
  const service = new WriteService(
    (message) => far.post(message),
    (call, body, reporter) => runOperation(call, body, reporter, context),
  );
  far.listen((message) => {
    if (message.kind === "release") catalog.release(message.instance, message.version);
    else if (message.kind === "used") catalog.use(message.namespaces);
    else if (message.kind === "close") void close();
    else service.hear(message);
  });
  far.post({ kind: "ready" });

  async function close(): Promise<void> {
    await service.whenIdle();
    await catalog.settle();
    far.post({ kind: "closed" });
  }
}

function startQueryThread(
  far: FarEnd<ToQueryThread, FromQueryThread>,
  of: {
    thread: number;
    clock: Clock;
    random: Random;
    cache: CacheService;
    options: FixtureOptions;
  },
): void {
  const kernels = new ArenaKernels(of.options.kernel, of.thread);
  const service = new QueryService({
    kernels,
    probing: of.options.probing,
    reads: connectCache(localCachePort(of.cache), (arena, memory) => kernels.attach(arena, memory)),
    embedding: hashEmbeddingProvider,
    clock: of.clock,
    random: of.random,
    scanBytesMax: Math.floor((of.options.cacheBytes ?? 64 * MIB) / 4),
    thresholds: { ...THRESHOLDS, ...of.options.thresholds },
    post: (message) => far.post(message),
  });
  far.listen((message) => service.hear(message));
}

async function* bodyOf(body: unknown): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
}

function parsed({ status, headers, body }: EngineAnswer): Answer {
  const text = new TextDecoder().decode(body);
  return { status, headers, json: text === "" ? undefined : JSON.parse(text) };
}
