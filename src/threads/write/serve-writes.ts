/** What the write thread does, whichever thread it runs in: simulations have it beside others. */

import { backupOperationOptions } from "../../api/backup-operations.ts";
import { type OperationOptions, runOperation } from "../../api/write-operations.ts";
import type { BlockPool } from "../../base/block-pool.ts";
import type { Clock } from "../../base/clock.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import type { Random } from "../../base/random.ts";
import type { SliceUse } from "../../base/slices.ts";
import type { StructuredLog } from "../../base/structured-log.ts";
import type { SegmentReads } from "../../cache/segment-reads.ts";
import { CacheWarmer } from "../../commit/cache-warmer.ts";
import {
  type CheckpointPeriod,
  PeriodicCheckpoints,
} from "../../commit/checkpoints/periodic-checkpoints.ts";
import { NamespaceCatalog } from "../../commit/namespace-catalog.ts";
import type { SharedOptions } from "../../commit/opened/namespace-options.ts";
import type { Arenas } from "../../kernel/arena.ts";
import type { VerifiedState } from "../../namespace/published-state.ts";
import type { Thresholds } from "../../namespace/thresholds.ts";
import { arenaSegmentMemory } from "../../segment/format/arena-segment-memory.ts";
import type { StoreAccess } from "../../storage/access/store-access.ts";
import { DATA_KEY_BYTES, type KeyService } from "../../storage/encryption/key-service.ts";
import {
  type EngineQuestion,
  type FromWriteThread,
  IDLE_SWEEP_MS,
  type ToWriteThread,
} from "../thread-messages.ts";
import { WriteService } from "./write-service.ts";

/** Interval between checks of open namespaces for due work. */
const MANIFEST_POLL_MS = 500;

/** What the write thread works with. */
export interface WriteThreadOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: StructuredLog;
  readonly access: StoreAccess;
  readonly keys: KeyService;
  /** Of all segments in memory. */
  readonly arenas: Arenas;
  /** From the cache thread. */
  readonly reads: SegmentReads;
  readonly embedding: OperationOptions["embedding"];
  readonly thresholds: Thresholds;
  /** Heap that documents of writes may take beyond their JSON, until they are committed. */
  readonly writeBytesMax: number;
  /** Nobody else writes to the store. */
  readonly isExclusive: boolean;
  /** For the vectors of writes; none where a put may outlive its write. */
  readonly blocks: BlockPool | undefined;
  /** When checkpoints are made without anybody's asking; absent: never. */
  readonly checkpoints?: CheckpointPeriod | undefined;
  /** See `SliceOptions`. */
  yield(use?: SliceUse): Promise<void>;
  /** See `SliceOptions`. */
  endsSlice?(): boolean;
  post(message: FromWriteThread): void;
  /** Hears of messages from then on; those that came before must wait. */
  listen(listener: (message: ToWriteThread) => void): void;
  /** Nothing is written any more; the main thread hears so when it resolves. */
  onClosed(): Promise<void>;
}

/**
 * Recovers what a stop interrupted, then says "ready" and serves. Throws what the store throws.
 * The caller has the catalog follow manifests and close what is idle: `keepCurrent`.
 */
export async function serveWrites(options: WriteThreadOptions): Promise<NamespaceCatalog> {
  const { random, access, keys, arenas, embedding, post } = options;
  arenas.onArena((memory, index) => post({ kind: "arena", index, memory }));
  const shared: SharedOptions = {
    ...options,
    memory: arenaSegmentMemory(arenas),
    storeFor: access.storeFor,
    hinted: () => post({ kind: "hinted" }),
    publish: (namespace, deltas, state) => post({ kind: "publish", namespace, deltas, state }),
  };
  const catalog = await NamespaceCatalog.open(shared, access.store);
  const { store, select } = access;
  const points = { namespaceOptions: shared, catalog, store, select };
  const period = options.checkpoints;
  const periodic = period && new PeriodicCheckpoints({ ...points, period });
  const operations: OperationOptions = {
    namespaceOptions: shared,
    catalog,
    warmer: new CacheWarmer(shared),
    embedding,
    writeMemory: new MemoryPool(options.writeBytesMax),
    blocks: options.blocks,
    backup: backupOperationOptions(points),
    checkKey: async ({ keyName, context }) => {
      await keys.wrap(keyName, random.bytes(DATA_KEY_BYTES), context);
    },
  };
  const service = new WriteService(
    post,
    (call, body, reporter) => runOperation(call, body, reporter, operations),
    (question) => answerQuestion(question, catalog),
  );
  options.listen((message) => {
    switch (message.kind) {
      case "release":
        return catalog.release(message.instance, message.version);
      case "used":
        return catalog.use(message.namespaces);
      case "manifest":
        return catalog.followManifest(message.namespace);
      case "close":
        return void close();
      default:
        return service.onMessage(message);
    }
  });
  post({ kind: "ready" });
  return catalog;

  async function close(): Promise<void> {
    await service.whenIdle();
    await periodic?.settle();
    await catalog.settle();
    await options.onClosed();
    post({ kind: "closed" });
  }
}

async function answerQuestion(
  question: EngineQuestion,
  catalog: NamespaceCatalog,
): Promise<VerifiedState | undefined> {
  const { kind, namespace: name } = question;
  if (kind === "verify") return catalog.verify(name, question.instance, question.stalenessMsMax);
  const namespace = await catalog.findNewest(name);
  if (namespace === undefined) throw catalog.notFound(name, question.visible);
  if (kind === "refresh") await namespace.refresh();
  return undefined;
}

/**
 * Runs the catalog's background work at intervals. Without client requests, it sends no requests to
 * the store.
 */
export function keepCurrent(catalog: NamespaceCatalog, clock: Clock): void {
  clock.every(MANIFEST_POLL_MS, () => void catalog.follow(clock.monotonicMs()));
  clock.every(IDLE_SWEEP_MS, () => catalog.closeIdle());
}
