import type { Random } from "../../../src/base/random.ts";
import { ClientError } from "../../../src/client/client-error.ts";
import { planRetry } from "../../../src/client/retry-plan.ts";
import type { PostRows } from "../../../src/transfer/import/row-sender.ts";
import { type ApiClient, apiPath } from "../../api/api-client.ts";
import { ApiFault } from "../../api/api-fault.ts";
import type { ImportEvent } from "./import-messages.ts";

/** What is waited for one request in all, as the client of the command line does. */
const RETRY_WAIT_MS_MAX = 60_000;

/** What posts work with. */
export interface RowPosterOptions {
  readonly client: ApiClient;
  readonly namespace: string;
  /** Aborted: what is under way is waited for, and nothing is sent again. */
  readonly stop: AbortSignal;
  readonly clock: { sleep(ms: number, signal?: AbortSignal): Promise<void> };
  readonly random: Random;
  /** Told before each wait. */
  readonly tell: (event: ImportEvent) => void;
}

/** Posts bodies of writes, again where the server asks for it, or is gone for a while. */
export function rowPoster(options: RowPosterOptions): PostRows {
  const { client, namespace, stop, clock, random, tell } = options;
  const path = apiPath("v2", "namespaces", namespace);
  return async (body) => {
    let waitedMs = 0;
    for (let tries = 1; ; tries++) {
      try {
        await client.send({
          method: "POST",
          path,
          body: new Blob([body as Uint8Array<ArrayBuffer>]),
        });
        return;
      } catch (error) {
        const fault = clientErrorOf(error);
        // Upserts by id may take effect twice, and the server has told of the namespace before.
        const failed = { fault, tries, waitedMs, repeatable: true, unsent: false };
        const waitMs = planRetry({ ...failed, knownServer: true }, RETRY_WAIT_MS_MAX, random);
        if (waitMs === undefined || stop.aborted) throw fault;
        tell({ kind: "waiting", message: fault.message, waitMs });
        await clock.sleep(waitMs, stop).catch(() => {
          throw fault;
        });
        waitedMs += waitMs;
      }
    }
  };
}

/** The page's fault as the command line's client would have it, by whose rules is tried again. */
function clientErrorOf(error: unknown): ClientError {
  if (!(error instanceof ApiFault)) throw error;
  const { kind, status, message, retryAfterMs } = error;
  if (kind === "gone") return new ClientError("unreachable", message);
  if (kind === "unreadable") return new ClientError("misunderstood", message, { status });
  const retry = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new ClientError("refused", message, { status, ...retry });
}
