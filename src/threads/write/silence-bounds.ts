/**
 * Bounds the time without progress for which a request waits for the write thread. Requests to the
 * store have bounds of their own over a bucket, and none over a directory whose disk hangs; waits
 * for turns add up over either.
 */

import type { WriteThreadOperation } from "../../api/write-call.ts";
import { DatabaseError } from "../../base/errors.ts";

/** For changes: over a bucket, a request and its second try are over by then. */
export const CHANGE_SILENCE_MS_MAX = 120_000;
/** For what may move gigabytes, piece by piece: as long as a request may take to arrive. */
export const TRANSFER_SILENCE_MS_MAX = 900_000;

/** When a request is answered without the write thread, and with what. */
export interface SilenceBound {
  /** Milliseconds since the last sign of progress. */
  readonly ms: number;
  readonly error: (ms: number) => DatabaseError;
}

/** Effect of a request that ended at its bound. */
type Outcome = "nothing was changed" | "unknown";

const CHANGE = { transfers: false, outcome: "unknown" } as const;
const READ = { transfers: false, outcome: "nothing was changed" } as const;
const TRANSFER = { transfers: true, outcome: "unknown" } as const;
const LONG_READ = { transfers: true, outcome: "nothing was changed" } as const;

/** By operation, so that a new one is an error of the compiler here. */
const KINDS: Readonly<
  Record<WriteThreadOperation, { readonly transfers: boolean; readonly outcome: Outcome }>
> = {
  write: CHANGE,
  start_copy: TRANSFER,
  import: CHANGE,
  delete_namespace: CHANGE,
  update_metadata: CHANGE,
  update_schema: CHANGE,
  list_namespaces: READ,
  get_metadata: READ,
  get_schema: READ,
  describe_namespace: READ,
  warm_cache_hint: READ,
  warm_cache: LONG_READ,
  purge_cache: READ,
  begin_backup: CHANGE,
  read_backup: LONG_READ,
  end_backup: CHANGE,
  begin_restore: CHANGE,
  look_restore: READ,
  put_restore: TRANSFER,
  finish_restore: TRANSFER,
  end_restore: CHANGE,
  create_checkpoint: CHANGE,
  list_checkpoints: READ,
  delete_checkpoint: CHANGE,
  restore_checkpoint: TRANSFER,
  // Queries have deadlines of their own.
  query: READ,
  explain: READ,
  recall: READ,
  export_documents: READ,
  poll_operation: READ,
  open: READ,
  verify: READ,
  refresh: READ,
};

/** The bound of an operation; reads have the time of queries. */
export function silenceBound(operation: WriteThreadOperation, readMs: number): SilenceBound {
  const { transfers, outcome } = KINDS[operation];
  if (outcome === "unknown") {
    const ms = transfers ? TRANSFER_SILENCE_MS_MAX : CHANGE_SILENCE_MS_MAX;
    return { ms, error: changeUnanswered };
  }
  return transfers
    ? { ms: TRANSFER_SILENCE_MS_MAX, error: transferTimedOut }
    : { ms: readMs, error: readTimedOut };
}

function changeUnanswered(ms: number): DatabaseError {
  return new DatabaseError(
    "unavailable",
    `💔 the object store has not answered for ${ms / 1000} seconds: the outcome of the request ` +
      "is unknown, it may have taken effect or may do so later; read what it was to change " +
      "before you repeat it",
  );
}

function readTimedOut(ms: number): DatabaseError {
  return new DatabaseError(
    "timed_out",
    `💔 the request took longer than ${ms} ms (--query-timeout) and was ended: it waited for the ` +
      "object store; retry later, or allow more time",
  );
}

function transferTimedOut(ms: number): DatabaseError {
  return new DatabaseError(
    "timed_out",
    `💔 the object store has not answered for ${ms / 1000} seconds, and the request was ended; ` +
      "retry later",
  );
}
