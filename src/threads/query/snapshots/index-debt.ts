import type { EngineMetric } from "../../../api/engine.ts";
import type { Clock } from "../../../base/clock.ts";
import type { NamespaceInstance, NamespaceState } from "../../../namespace/published-state.ts";
import type { Thresholds } from "../../../namespace/thresholds.ts";

interface Debt {
  readonly bytes: number;
  /** Since when there is enough to fold, by the monotonic clock; undefined: there is not. */
  readonly dueMs: number | undefined;
}

/** What indexers have still to fold of the open namespaces, and for how long they are late. */
export class IndexDebt {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #dueBytes: number;
  readonly #debts = new Map<NamespaceInstance, Debt>();

  constructor(
    clock: Pick<Clock, "monotonicMs">,
    { indexTailBytes }: Pick<Thresholds, "indexTailBytes">,
  ) {
    this.#clock = clock;
    this.#dueBytes = indexTailBytes;
  }

  /** Takes a published state. */
  note({ instance, retired, unindexedBytes: bytes }: NamespaceState): void {
    if (retired || bytes === 0) {
      this.#debts.delete(instance);
      return;
    }
    const before = this.#debts.get(instance);
    // Where it has become less, an indexer is at it.
    const isLess = before !== undefined && bytes < before.bytes;
    const since = isLess ? undefined : before?.dueMs;
    const dueMs = bytes < this.#dueBytes ? undefined : (since ?? this.#clock.monotonicMs());
    this.#debts.set(instance, { bytes, dueMs });
  }

  /** Sum, greatest, and how late. */
  metrics(): EngineMetric[] {
    const nowMs = this.#clock.monotonicMs();
    let [sum, greatest, lateMs] = [0, 0, 0];
    for (const { bytes, dueMs = nowMs } of this.#debts.values()) {
      sum += bytes;
      greatest = Math.max(greatest, bytes);
      lateMs = Math.max(lateMs, nowMs - dueMs);
    }
    const gauge = (name: string, help: string, value: number): EngineMetric => {
      return { name, help, kind: "gauge", value };
    };
    return [
      gauge("trawl_unindexed_bytes", "bytes of logs that no segment has yet", sum),
      gauge("trawl_unindexed_bytes_max", "the most of one namespace", greatest),
      gauge(
        "trawl_index_lag_seconds",
        "longest time for which a namespace has waited to be indexed, or for the next step of that",
        lateMs / 1000,
      ),
    ];
  }
}
