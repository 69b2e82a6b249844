/** The command `trawl index`: folds logs into stored segments until it is told to stop. */

import { constants, setPriority } from "node:os";
import type { IndexerConfig } from "../api/config.ts";
import type { NamespaceName } from "../base/ids.ts";
import type { Indexer } from "../indexer/indexer.ts";
import { storeName } from "../storage/store-config.ts";
import { HINTED, type ManifestMessage } from "./indexer-messages.ts";
import { LineBuffer } from "./line-buffer.ts";
import { createLog } from "./log.ts";
import type { LogConfig } from "./settings/server-config.ts";

/** What the command needs; a parameter for tests. */
export interface IndexCommandOptions {
  readonly openIndexer: (config: IndexerConfig) => Promise<Indexer>;
  readonly exit: (code: number) => void;
}

/**
 * Runs until SIGTERM, SIGINT, or the end of the server that started this process, however that
 * ended. A step under way is given up then: it has changed nothing yet.
 */
export async function runIndexCommand(
  config: { readonly indexer: Omit<IndexerConfig, "log">; readonly log: LogConfig },
  { openIndexer, exit }: IndexCommandOptions,
): Promise<void> {
  const lines = new LineBuffer((text) => process.stderr.write(text));
  const log = createLog(config.log, {
    isTerminal: process.stderr.isTTY === true,
    write: (line) => lines.write(line),
  });
  process.once("exit", () => lines.flush());
  // Queries and writes come first.
  setPriority(constants.priority.PRIORITY_LOW);
  let indexer: Indexer | undefined;
  const stop = () => {
    indexer?.stop();
    exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.on("disconnect", stop);
  // The server that started this process may have ended before this line; then no end of input
  // arrives.
  if (process.connected === false) return stop();
  const onManifest = (manifestOf: NamespaceName) => {
    const message: ManifestMessage = { manifestOf };
    // Without a server that listens, or with one that ends just now, nobody is told.
    process.send?.(message, undefined, undefined, () => {});
  };
  const isWoken = process.connected === true;
  indexer = await openIndexer({ ...config.indexer, log, onManifest, isWoken });
  process.on("message", (message) => {
    if (message === HINTED) indexer?.wake();
  });
  log("info", "indexing", { store: storeName(config.indexer.store) });
  await indexer.run();
}
