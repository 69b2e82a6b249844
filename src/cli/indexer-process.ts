/** The indexer that `trawl serve` starts beside itself. */

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Clock } from "../base/clock.ts";
import type { NamespaceName } from "../base/ids.ts";
import { entryModule } from "../base/program-files.ts";
import type { HttpLog } from "../http/observability/request-log.ts";
import { HINTED, namespaceOfManifest } from "./indexer-messages.ts";

/** How long a server waits before it starts an indexer again that has ended; doubles each time. */
const INDEXER_RESTART_MS_MIN = 1_000;
/** Longest such wait. */
const INDEXER_RESTART_MS_MAX = 60_000;

/**
 * How long an indexer may take to hear that it is to end: one that clusters many vectors hears
 * nothing meanwhile. Then it is killed, which loses nothing, since a step changes nothing before
 * its end.
 */
const INDEXER_STOP_MS = 2_000;

/** The flags say all of it; settings of the server alone must not confuse the indexer. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !name.startsWith("TRAWL_"));
  return Object.fromEntries(kept);
}

/** What the server does beside it. */
export interface IndexerProcessOptions {
  readonly clock: Clock;
  readonly log: HttpLog;
  /** Hears which namespaces have a new manifest. */
  readonly onManifest: (namespace: NamespaceName) => void;
  /** Flags of its Node; absent: those of this process. */
  readonly nodeFlags?: readonly string[];
}

/** A child process that is started again when it ends by itself. */
export class IndexerProcess {
  readonly #flags: readonly string[];
  readonly #clock: Clock;
  readonly #log: HttpLog;
  readonly #onManifest: (namespace: NamespaceName) => void;
  readonly #nodeFlags: readonly string[];
  #child: ChildProcess | undefined;
  #stopping = false;
  #waitMs = INDEXER_RESTART_MS_MIN;

  /** `flags` are those of `trawl index`. */
  constructor(flags: readonly string[], options: IndexerProcessOptions) {
    const { clock, log, onManifest, nodeFlags = process.execArgv } = options;
    this.#flags = flags;
    this.#nodeFlags = nodeFlags;
    this.#clock = clock;
    this.#log = log;
    this.#onManifest = onManifest;
  }

  /** Starts the process. It ends with this one, since it notices that their channel is closed. */
  start(): void {
    const program = fileURLToPath(entryModule("cli/main"));
    const startedMs = this.#clock.monotonicMs();
    const child = fork(program, ["index", ...this.#flags], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: withoutSettings(process.env),
      execArgv: [...this.#nodeFlags],
    });
    this.#child = child;
    child.on("message", (message) => {
      const namespace = namespaceOfManifest(message);
      if (namespace !== undefined) this.#onManifest(namespace);
    });
    child.once("exit", (code, signal) => {
      if (this.#stopping) return;
      const lived = this.#clock.monotonicMs() - startedMs;
      if (lived > INDEXER_RESTART_MS_MAX) this.#waitMs = INDEXER_RESTART_MS_MIN;
      const waitMs = this.#waitMs;
      this.#log("warn", "the indexer ended; starting it again", { code, signal, waitMs });
      this.#waitMs = Math.min(2 * waitMs, INDEXER_RESTART_MS_MAX);
      void this.#clock.sleep(waitMs).then(() => {
        if (!this.#stopping) this.start();
      });
    });
  }

  /** Tells the process that there is a hint. */
  wake(): void {
    // One that has just ended finds the hint when it is started again.
    if (this.#child?.connected) this.#child.send(HINTED, () => {});
  }

  /** Ends the process, whatever it is doing, and waits until it is gone. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGTERM");
    const waiting = new AbortController();
    const kill = () => void child.kill("SIGKILL");
    this.#clock.sleep(INDEXER_STOP_MS, waiting.signal).then(kill, () => {});
    await gone;
    waiting.abort();
  }
}
