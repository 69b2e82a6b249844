/** Makes checkpoints of all that is written, again and again, so that a mistake can be undone. */

import { formatTime } from "../../base/clock.ts";
import { isDatabaseError } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import { EVERY_NAMESPACE } from "../../model/namespace-pattern.ts";
import type { NamespaceOptions } from "../opened/namespace-options.ts";
import { createCheckpoint } from "./checkpoints.ts";
import type { OpenPointOptions } from "./open-point.ts";

/** How often, and for how long. */
export interface CheckpointPeriod {
  readonly everyMs: number;
  readonly keepMs: number;
}

/** What making them needs. */
export interface PeriodicOptions extends Omit<OpenPointOptions, "progress" | "visible"> {
  readonly namespaceOptions: OpenPointOptions["namespaceOptions"] & Pick<NamespaceOptions, "log">;
  readonly period: CheckpointPeriod;
}

/** Checkpoints of the namespaces that this server has written to since the last ones. */
export class PeriodicCheckpoints {
  readonly #options: PeriodicOptions;
  /** Namespaces whose last one failed. */
  readonly #owed = new Set<NamespaceName>();
  #running: Promise<void> | undefined;

  /** From now on they are made. */
  constructor(options: PeriodicOptions) {
    this.#options = options;
    options.catalog.noteWrites();
    options.namespaceOptions.clock.every(options.period.everyMs, () => {
      this.#running ??= this.#pass().finally(() => {
        this.#running = undefined;
      });
    });
  }

  /** Waits for what is being made. */
  async settle(): Promise<void> {
    await this.#running;
  }

  async #pass(): Promise<void> {
    const { clock, log } = this.#options.namespaceOptions;
    const nowMs = clock.nowMs();
    const name = `auto-${formatTime(nowMs).replace(/[:.]/g, "-")}`;
    const expiresAtMs = nowMs + this.#options.period.keepMs;
    const options = { ...this.#options, visible: [EVERY_NAMESPACE], progress: () => {} };
    for (const namespace of new Set([...this.#owed, ...this.#options.catalog.takeWritten()])) {
      this.#owed.delete(namespace);
      try {
        await createCheckpoint(namespace, { name, expiresAtMs }, options);
      } catch (error) {
        if (!isDatabaseError(error)) throw error;
        if (error.code === "not_found") continue; // It is deleted.
        this.#owed.add(namespace);
        log("warn", "cannot make a checkpoint now", { namespace, reason: error.message });
      }
    }
  }
}
