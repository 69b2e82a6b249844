import type { HttpAnswer } from "../../api/engine.ts";
import type { AuditActor } from "./audit-actor.ts";

/** The outcome of a request, for log and metrics. */
export interface ApiOutcome {
  readonly answer: HttpAnswer;
  /** The engine's operation, a service route's name, or `none`. */
  readonly operation: string;
  readonly namespace?: string;
  /** The key or token that was made or revoked. */
  readonly target?: string;
  /** Whose key it came with; absent where the server has none, or does not know it. */
  readonly actor?: AuditActor;
  /** Decompressed bytes of the body that were read. */
  readonly bytesReceived: number;
  /** Set when the program is wrong: to be logged with its stack. */
  readonly bug?: unknown;
}

/** Stands in logs and metrics for requests whose client was gone before the answer. */
export const CLIENT_GONE_STATUS = 499;
