/** The namespace that an import writes to, through the client. */

import { type ApiClient, apiPath } from "../../client/api-client.ts";
import { isClientError } from "../../client/client-error.ts";
import { readMetadata } from "../../client/namespaces.ts";
import type { ImportPlan } from "./import-plan.ts";
import { writeBody } from "./row-batches.ts";
import type { SendRows } from "./settle-batch.ts";

/** Statuses by which a server refuses what rows hold, and not who sends them. */
const ROW_STATUSES = [400, 413, 422];
/** Statuses that ask for patience; the client itself waits for a minute. */
const WAIT_STATUSES = [429, 503];
/** How often a batch is sent again after that: an indexer that is behind may take its time. */
const PATIENT_TRIES_MAX = 30;

/** Types of a namespace's attributes as schemas spell them, `id` among them; undefined: no such. */
export async function existingTypes(
  client: ApiClient,
  namespace: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const { schema } = await readMetadata(client, namespace, signal);
    return new Map(
      Object.entries(schema).flatMap(([name, declared]) => {
        const { type } = declared as { readonly type?: unknown };
        return typeof type === "string" ? [[name, type] as const] : [];
      }),
    );
  } catch (error) {
    if (isClientError(error, 404)) return undefined;
    throw error;
  }
}

/** Where documents go. */
export interface ImportTarget {
  readonly client: ApiClient;
  readonly namespace: string;
  readonly plan: Pick<ImportPlan, "schema">;
  /** Said with the schema, if the namespace is to be made with vectors. */
  readonly distanceMetric: string | undefined;
  /** Aborted by an interruption: then nothing is sent again. */
  readonly stop: AbortSignal;
}

/**
 * Makes what sends documents. The schema goes with them until some were taken. Requests are never
 * cut off by an interruption, so that what was sent is known to be there or not.
 */
export function rowSender(target: ImportTarget): SendRows {
  const { client, namespace, plan, distanceMetric, stop } = target;
  const hasSchema = Object.keys(plan.schema).length > 0;
  let members: Record<string, unknown> = {
    ...(hasSchema && { schema: plan.schema }),
    ...(distanceMetric !== undefined && { distance_metric: distanceMetric }),
  };
  const path = apiPath("v2", "namespaces", namespace);
  const headers = { "content-type": "application/json" };
  return async (documents) => {
    const body = writeBody(documents, members);
    for (let tries = 1; ; tries++) {
      try {
        // Upserts by id may take effect twice.
        const request = { method: "POST", path, body, headers, repeatable: true } as const;
        await (await client.send({ ...request, lastTry: stop })).bytes();
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
