/** One end of the talk with another thread. */

import { type MessagePort, type Transferable, Worker } from "node:worker_threads";
import { DatabaseError } from "../base/errors.ts";
import { type EntryModule, entryModule } from "../base/program-files.ts";

/**
 * Heap for new objects of each thread, in MiB. Without a limit each of them grows to some 50 MiB
 * and stays there; with this one the same writes and queries took no more CPU time.
 */
const THREAD_YOUNG_HEAP_MIB = 8;

/** Sends messages to one thread and hears what it says. */
export interface ThreadPort<To, From> {
  /** `transfer`: buffers and ports that move instead of being copied. */
  post(message: To, transfer?: readonly Transferable[]): void;
  /** Sets the one listener; messages sent before are delivered to it first. */
  listen(listener: (message: From) => void): void;
  /** Ends the thread. */
  terminate(): Promise<void>;
}

/** What a thread is told at its start. */
export interface ThreadStart {
  readonly data: unknown;
  /** Ports among the data, which move to the thread. */
  readonly ports: readonly MessagePort[];
}

/**
 * Starts a module as a thread. `onCrash`
 * hears of a thread that ends by an error or without being asked to.
 */
export function startThread<To, From>(
  entry: EntryModule,
  { data, ports }: ThreadStart,
  onCrash: (error: Error) => void,
): ThreadPort<To, From> {
  const worker = new Worker(entryModule(entry), {
    workerData: data,
    transferList: [...ports],
    resourceLimits: { maxYoungGenerationSizeMb: THREAD_YOUNG_HEAP_MIB },
  });
  let stopped = false;
  worker.on("error", (error) => {
    // Its exit follows and says less.
    stopped = true;
    onCrash(error instanceof Error ? error : new Error(String(error)));
  });
  worker.on("exit", (code) => {
    if (stopped || code === 0) return;
    onCrash(new DatabaseError("internal", `thread ${entry} ended with code ${code}`));
  });
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    listen: (listener) => void worker.on("message", listener),
    terminate: async () => {
      stopped = true;
      await worker.terminate();
    },
  };
}
