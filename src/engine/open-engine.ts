/** Starts the threads and connects them. */

import { systemClock } from "../base/clock.ts";
import { SEGMENT_MEMORY_SHARE } from "../base/limits.ts";
import { systemRandom } from "../base/random.ts";
import { compileKernel } from "../kernel/load-kernel.ts";
import type { EngineConfig } from "./config.ts";
import type { Engine } from "./engine.ts";
import { batchingPort } from "./message-batch.ts";
import type { QueryThreadData } from "./query-thread.ts";
import type {
  FromQueryThread,
  FromWriteThread,
  ToQueryThread,
  ToWriteThread,
} from "./thread-messages.ts";
import { startThread } from "./thread-port.ts";
import { ThreadedEngine } from "./threaded-engine.ts";
import type { WriteThreadData } from "./write-thread.ts";

/**
 * Opens the database in `config.dataDir`. Throws `conflict` if another server owns the directory.
 * A thread that crashes ends the process: what was acknowledged is durable, and a restart is clean.
 */
export async function openEngine(config: EngineConfig): Promise<Engine> {
  const { dataDir, queryThreads, embedding, log } = config;
  const onCrash = (error: Error) => {
    log("error", "a thread has crashed; the server ends", { stack: error.stack });
    throw error;
  };
  const kernel = await compileKernel(config.kernel);
  const writeData: WriteThreadData = {
    dataDir,
    encryptionKeysPath: config.encryptionKeysPath,
    embedding,
    segmentBytesMax: Math.floor(config.memoryBytesMax * SEGMENT_MEMORY_SHARE),
    queryThreads,
  };
  const engine = new ThreadedEngine({
    clock: systemClock,
    random: systemRandom,
    log,
    writeThread: startThread<ToWriteThread, FromWriteThread>("write-thread", writeData, onCrash),
    queryThreads: Array.from({ length: queryThreads }, (_, thread) => {
      const queryData: QueryThreadData = { thread, kernel, embedding };
      const port = startThread<readonly ToQueryThread[], readonly FromQueryThread[]>(
        "query-thread",
        queryData,
        onCrash,
      );
      return batchingPort(port, systemClock);
    }),
  });
  try {
    await engine.ready();
  } catch (error) {
    await engine.abandon();
    throw error;
  }
  return engine;
}
