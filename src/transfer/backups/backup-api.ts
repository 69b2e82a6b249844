/** Requests about backups and restores. */

import { createHash } from "node:crypto";
import { type ApiClient, apiPath } from "../../client/api-client.ts";
import { ClientError } from "../../client/client-error.ts";
import { BACKUP_PART_BYTES_MAX } from "../../model/backup.ts";
import type { BackedUpNamespace } from "./backup-index.ts";

/** A state that the server keeps until it is ended, with its objects. */
export interface BegunBackup extends Omit<BackedUpNamespace, "objects"> {
  readonly id: string;
  readonly objects: readonly {
    readonly key: string;
    /** Of objects that are known by their content alone. */
    readonly bytes?: number;
    readonly sha256?: string;
  }[];
}

/** Which server, and until when. */
export interface BackupRequests {
  readonly client: ApiClient;
  readonly signal: AbortSignal;
}

/** Keeps what a namespace is now. */
export function beginBackup(
  { client, signal }: BackupRequests,
  namespace: string,
): Promise<BegunBackup> {
  const path = apiPath("trawl", "backups");
  return client.json({ method: "POST", path, json: { namespace }, signal });
}

/** Lets go of it. */
export async function endBackup({ client }: BackupRequests, id: string): Promise<void> {
  await client.json({ method: "DELETE", path: apiPath("trawl", "backups", id), repeatable: true });
}

/** Reads an object part by part, and checks each part. */
export async function* readParts(
  { client, signal }: BackupRequests,
  id: string,
  number: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const path = apiPath("trawl", "backups", id, "objects", String(number));
  for (let start = 0, isLast = false; !isLast; ) {
    const answer = await client.send({ method: "GET", path, parameters: { start }, signal });
    const bytes = await answer.bytes(BACKUP_PART_BYTES_MAX);
    const digest = createHash("sha256").update(bytes).digest("base64");
    if (answer.headers["content-digest"] !== `sha-256=:${digest}:`) {
      const why = `the answer of ${client.url}${path} was damaged on its way; try again`;
      throw new ClientError("misunderstood", why);
    }
    isLast = answer.headers["trawl-object-end"] === "true";
    start += bytes.length;
    yield bytes;
  }
}

/** Makes room for the namespace `as`; returns the restore's id. */
export async function beginRestore(
  { client, signal }: BackupRequests,
  namespace: BackedUpNamespace,
  as: string,
): Promise<string> {
  const json = { ...namespace, as };
  const path = apiPath("trawl", "restores");
  return (await client.json<{ id: string }>({ method: "POST", path, json, signal })).id;
}

/** Tells whether the server has an object of the restore already. */
export async function isPresent(
  { client, signal }: BackupRequests,
  id: string,
  number: number,
): Promise<boolean> {
  const path = apiPath("trawl", "restores", id, "objects", String(number));
  return (await client.json<{ present: boolean }>({ method: "GET", path, signal })).present;
}

/** Sends bytes of an object. */
export async function putPart(
  { client, signal }: BackupRequests,
  to: { readonly id: string; readonly number: number; readonly start: number },
  body: Uint8Array,
): Promise<void> {
  const path = apiPath("trawl", "restores", to.id, "objects", String(to.number));
  const parameters = { start: to.start };
  await client.json({ method: "PUT", path, parameters, body, repeatable: true, signal });
}

/** Makes the namespace; returns how many documents it has. */
export async function finishRestore(
  { client, signal }: BackupRequests,
  id: string,
): Promise<number> {
  const path = apiPath("trawl", "restores", id, "finish");
  return (await client.json<{ documents: number }>({ method: "POST", path, signal })).documents;
}

/** Gives a restore up. */
export async function endRestore({ client }: BackupRequests, id: string): Promise<void> {
  await client.json({ method: "DELETE", path: apiPath("trawl", "restores", id), repeatable: true });
}
