/**
 * Claims of names for checkpoints, so that of several servers that make a checkpoint of one name at
 * a time one does. A claim is an object that is created if absent, whose bytes are drawn at random
 * and tell whose it is where an answer was lost:
 *
 *     checkpoints/<namespace>-table/names/<name of the checkpoint>/<number, 20 digits>
 *
 *     1. wait until nobody claims the name, for a while: who has claimed it may be gone
 *     2. see that no checkpoint has the name
 *     3. claim it under the next number, or be told that another one has
 *     4. put the checkpoint, if absent: two of one state and time have one key
 *     5. see that no other checkpoint has the name, or take the own one back
 *     6. remove the claim, and those that were left before it
 *
 * The claim decides who goes on while all are alive. That no two succeed needs no claim and no
 * clock: of two that have put a checkpoint, the later one sees the other in step 5.
 */

import { DatabaseError } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import { type CreateOptions, createObject, NONCE_BYTES } from "../../storage/create-object.ts";
import {
  checkpointClaimKey,
  checkpointClaimsPrefix,
  parseCheckpointClaim,
} from "../../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import { storePages } from "../../storage/store-pages.ts";

/** How often a claim is looked at before it is taken for one that was left; 6.35 s in all. */
const LOOKS_MAX = 8;
/** The pause after the first look; each next one is twice as long. */
const LOOK_MS_MIN = 50;

/** A name that is claimed by nobody else. */
export interface ClaimableName {
  readonly namespace: NamespaceName;
  readonly checkpoint: string;
  /** Of the claim to be made. */
  readonly number: number;
}

/** Waits until nobody claims a name, or whoever does has had the time for it. */
export async function awaitClaimable(
  namespace: NamespaceName,
  checkpoint: string,
  { store, clock }: Pick<CreateOptions, "store" | "clock">,
): Promise<ClaimableName> {
  let newest: number | undefined;
  for (let look = 0; look < LOOKS_MAX; look++) {
    if (look > 0) await clock.sleep(LOOK_MS_MIN * 2 ** (look - 1));
    const found = (await listClaims(store, namespace, checkpoint)).at(-1);
    if (found === undefined) return { namespace, checkpoint, number: 1 };
    newest = found;
  }
  return { namespace, checkpoint, number: (newest ?? 0) + 1 };
}

/** Claims a name. Throws `conflict` where another one was faster. */
export async function claimName(
  { namespace, checkpoint, number }: ClaimableName,
  options: CreateOptions,
): Promise<void> {
  const key = checkpointClaimKey(namespace, checkpoint, number);
  if (!(await putOwn(key, options))) throw nameTaken(namespace, checkpoint);
}

/** Puts an object if absent; false says that another one has the key. */
export async function putOwn(key: ObjectKey, options: CreateOptions): Promise<boolean> {
  const nonce = options.random.bytes(NONCE_BYTES);
  const isOwn = async (tried: number): Promise<{ kind: "written" | "conflict" }> => {
    const there = tried > 1 ? await options.store.get(key) : undefined;
    const isSame = there !== undefined && Buffer.compare(there, nonce) === 0;
    return { kind: isSame ? "written" : "conflict" };
  };
  const { kind } = await createObject({ key, object: nonce }, isOwn, options);
  return kind === "written";
}

/** Removes a claim, and those before it, whose makers are gone or give way. */
export async function releaseName(
  { namespace, checkpoint, number }: ClaimableName,
  { store }: Pick<CreateOptions, "store">,
): Promise<void> {
  for (const left of await listClaims(store, namespace, checkpoint))
    if (left <= number) await store.delete(checkpointClaimKey(namespace, checkpoint, left));
}

/** The name belongs to another checkpoint. */
export function nameTaken(namespace: NamespaceName, checkpoint: string): DatabaseError {
  return new DatabaseError(
    "conflict",
    `💔 namespace '${namespace}' has a checkpoint '${checkpoint}': ` +
      "delete it, or take another name",
  );
}

/** Numbers of all claims of a name, ascending. */
async function listClaims(
  store: ObjectStore,
  namespace: NamespaceName,
  checkpoint: string,
): Promise<number[]> {
  const found: number[] = [];
  const prefix = checkpointClaimsPrefix(namespace, checkpoint);
  for await (const { keys } of storePages(store, { prefix }))
    found.push(...keys.flatMap((key) => parseCheckpointClaim(namespace, checkpoint, key) ?? []));
  return found;
}
