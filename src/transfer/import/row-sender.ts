/** Sends the documents of an import, with what its first write declares. */

import { isClientError } from "../../client/client-error.ts";
import type { ImportPlan } from "./import-plan.ts";
import { writeBody } from "./row-batches.ts";
import type { SendRows } from "./settle-batch.ts";

/** Statuses by which a server refuses what rows hold, and not who sends them. */
const ROW_STATUSES = [400, 413, 422];
/** Statuses that ask for patience; a client itself waits for a minute. */
const WAIT_STATUSES = [429, 503];
/** How often a batch is sent again after that: an indexer that is behind may take its time. */
const PATIENT_TRIES_MAX = 30;

/** Posts the body of a write to the namespace. Throws `ClientError`. */
export type PostRows = (body: Uint8Array) => Promise<void>;

/** Where documents go. */
export interface ImportTarget {
  readonly post: PostRows;
  readonly plan: Pick<ImportPlan, "schema">;
  /** Said with the schema, if the namespace is to be made with vectors. */
  readonly distanceMetric: string | undefined;
  /** Aborted by an interruption: then nothing is sent again. */
  readonly stop: AbortSignal;
}

/** Makes what sends documents. The schema goes with them until some were taken. */
export function rowSender({ post, plan, distanceMetric, stop }: ImportTarget): SendRows {
  const hasSchema = Object.keys(plan.schema).length > 0;
  let members: Record<string, unknown> = {
    ...(hasSchema && { schema: plan.schema }),
    ...(distanceMetric !== undefined && { distance_metric: distanceMetric }),
  };
  return async (documents) => {
    const body = writeBody(documents, members);
    for (let tries = 1; ; tries++) {
      try {
        await post(body);
        members = {};
        return undefined;
      } catch (error) {
        if (isClientError(error, ...ROW_STATUSES)) return error.message;
        const mayWait = isClientError(error, ...WAIT_STATUSES) && !stop.aborted;
        if (!mayWait || tries === PATIENT_TRIES_MAX) throw error;
      }
    }
  };
}
