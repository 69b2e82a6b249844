/** The side of a thread that helps with a query of another one. */

import type { MessagePort } from "node:worker_threads";
import { runSlice } from "../../base/slices.ts";
import type { Touches } from "../../cache/resident-ranges.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import { encodeFindings, runPart } from "../../query/executor/findings.ts";
import type { Snapshot } from "../../query/operator/snapshot.ts";
import { BytesMissing } from "../../segment/format/bytes-missing.ts";
import type { PartMessage, PartsOffer } from "../thread-messages.ts";
import { PartBoard } from "./part-board.ts";

/**
 * Milliseconds after which a part is returned at its next pause. By the times of earlier parts, a
 * part is planned to take 5 to 8 ms at most. But a helping thread has to compute again what a query
 * computes once for all of its parts, such as the strings that match a pattern. The thread does
 * nothing else in that time.
 */
const HELP_MS_MAX = 10;

/** What a helping thread works with. */
export interface HelpOptions {
  readonly kernels: ArenaKernels;
  readonly reads: {
    readonly touches: Touches;
    run<T>(attempt: () => T): Promise<T>;
  };
  /** Missing bytes that are loaded at most for one query. */
  readonly loadBytesMax: number;
  monotonicMs(): number;
  /** Resolves when the thread has looked at its own messages. */
  nextTurn(): Promise<void>;
}

/**
 * Runs parts of an offered query over the snapshot that it sees, until none is free. Tells how many
 * it has run. Between two of them the thread does its own work. A part that cannot be run here is
 * given back: where bytes are missing they are loaded, so that the next parts, or queries, find
 * them.
 */
export async function takeParts(
  { plan, parts, board: buffer }: PartsOffer,
  port: Pick<MessagePort, "postMessage">,
  snapshot: Snapshot,
  options: HelpOptions,
): Promise<number> {
  const { kernels, reads, nextTurn, monotonicMs } = options;
  const board = new PartBoard(buffer);
  let loadBytes = options.loadBytesMax;
  let count = 0;
  for (let part = board.take(); part !== undefined; part = board.take()) {
    try {
      const before = reads.touches;
      const startMs = monotonicMs();
      const run = runPart(plan, parts[part], { snapshot, options: { kernels } });
      const isLate = () => monotonicMs() - startMs >= HELP_MS_MAX;
      const ended = runSlice(run, () => !board.isWanted(part) || isLate());
      if (ended === undefined) {
        // Only the `finally` blocks run.
        run.return(undefined as never);
        if (!board.isWanted(part)) continue;
        board.giveBack(part);
        return count;
      }
      const { findings, work } = ended.value;
      const { touched, resident } = reads.touches;
      const touches = { touched: touched - before.touched, resident: resident - before.resident };
      const message: PartMessage = { part, data: encodeFindings(findings), work, touches };
      port.postMessage(message);
      board.finish(part);
      count++;
    } catch (error) {
      board.giveBack(part);
      // What is wrong shows where the query runs the part itself.
      if (!(error instanceof BytesMissing)) return count;
      loadBytes -= error.wanted.reduce((bytes, { start, end }) => bytes + end - start, 0);
      if (loadBytes < 0 || !(await isLoaded(error, reads))) return count;
    }
    await nextTurn();
  }
  return count;
}

/** Loads what was missing. */
async function isLoaded(missing: BytesMissing, reads: HelpOptions["reads"]): Promise<boolean> {
  let isFirst = true;
  try {
    await reads.run(() => {
      if (!isFirst) return;
      isFirst = false;
      throw missing;
    });
    return true;
  } catch {
    return false;
  }
}
