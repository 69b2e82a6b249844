/**
 * Bounds the time without progress for which a request waits for the write thread, and the time
 * for which a stop waits for it. Requests to the store have bounds of their own over a bucket, and
 * none over a directory whose disk hangs; waits for turns add up over either.
 */

import type { OperationName } from "../../api/engine.ts";
import { DatabaseError } from "../../base/errors.ts";

/** For changes: over a bucket, a request and its second try are over by then. */
export const CHANGE_SILENCE_MS_MAX = 120_000;
/** For what may move gigabytes, piece by piece: as long as a request may take to arrive. */
export const TRANSFER_SILENCE_MS_MAX = 900_000;
/**
 * For the close of the store, in all: with the drain delay of 5 s and the 30 s of requests in
 * flight, a stop takes less than the 60 s after which supervisors kill the process.
 */
export const CLOSE_MS_MAX = 20_000;

/** When a request is answered without the write thread, and with what. */
export interface SilenceBound {
  /** Milliseconds since the last sign of progress. */
  readonly ms: number;
  readonly error: (ms: number) => DatabaseError;
}

/** The bound of reads, which have the time of queries, and of what the engine asks for itself. */
export function readSilenceBound(readMs: number): SilenceBound {
  return { ms: readMs, error: readTimedOut };
}

const READ = readSilenceBound;
const CHANGE = () => ({ ms: CHANGE_SILENCE_MS_MAX, error: changeUnanswered });
const TRANSFER = () => ({ ms: TRANSFER_SILENCE_MS_MAX, error: changeUnanswered });
const LONG_READ = () => ({ ms: TRANSFER_SILENCE_MS_MAX, error: transferTimedOut });

/** By operation, so that a new one is an error of the compiler here. */
const BOUNDS: Readonly<Record<OperationName, (readMs: number) => SilenceBound>> = {
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
};

/** The bound of a client's request. */
export function silenceBound(operation: OperationName, readMs: number): SilenceBound {
  return BOUNDS[operation](readMs);
}

/** The error of a stop that did not wait any longer for the store. */
export function closeUnanswered(): DatabaseError {
  return new DatabaseError(
    "unavailable",
    `the object store has not answered for ${CLOSE_MS_MAX / 1000} seconds and was not closed: ` +
      "acknowledged writes are durable, the outcome of the others is unknown",
  );
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
