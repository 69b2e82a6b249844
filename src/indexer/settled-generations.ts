/**
 * Sweeps: a listing of all objects shows which generations have changed since nothing was left to
 * do in them. A listing costs one request for each 1,000 objects; a visit of each generation would
 * cost about ten. One change is not in a listing: a generation marked as deleted whose objects
 * stay. So each generation is visited again after a day.
 */

import { createHash, type Hash } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { listAllCheckpoints } from "../namespace/checkpoints/checkpoint.ts";
import { announcedDeletions } from "../namespace/generations/namespace-generations.ts";
import {
  generationPrefix,
  NAMESPACES_PREFIX,
  type NamespaceGeneration,
  parseGenerationPrefix,
  pinPrefix,
} from "../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../storage/object-store.ts";
import { storePages } from "../storage/store-pages.ts";

/** Time for which a generation whose objects stay the same counts as settled. */
const SETTLED_MS_MAX = 86_400_000;
/**
 * Settled generations that are remembered, some 200 bytes each; others are visited in each sweep.
 */
const SETTLED_MAX = 200_000;

/** A generation as a listing shows it. */
export interface ListedGeneration {
  readonly generation: NamespaceGeneration;
  /** A hash of the keys of its objects and checkpoints. */
  readonly fingerprint: string;
  /** True if the work depends on more than the keys: on other namespaces, or on time. */
  readonly isOpen: boolean;
}

/** Generations in which nothing was left to do. */
export class SettledGenerations {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #settled = new Map<string, { readonly fingerprint: string; readonly atMs: number }>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Returns true if nothing has changed since nothing was left to do. */
  has({ generation, fingerprint, isOpen }: ListedGeneration): boolean {
    const key = generationPrefix(generation);
    const settled = this.#settled.get(key);
    if (settled === undefined) return false;
    const isOld = this.#clock.monotonicMs() - settled.atMs >= SETTLED_MS_MAX;
    if (!isOpen && !isOld && settled.fingerprint === fingerprint) return true;
    this.#settled.delete(key);
    return false;
  }

  /** Records that nothing was left to do in a generation at or after this listing. */
  add({ generation, fingerprint, isOpen }: ListedGeneration): void {
    if (isOpen) return;
    const [oldest] = this.#settled.keys();
    if (this.#settled.size >= SETTLED_MAX) this.#settled.delete(oldest);
    this.#settled.set(generationPrefix(generation), {
      fingerprint,
      atMs: this.#clock.monotonicMs(),
    });
  }
}

/** Lists all generations that have objects, in byte order. */
export async function* listGenerations(
  store: ObjectStore,
  clock: Pick<Clock, "nowMs">,
): AsyncGenerator<ListedGeneration> {
  const announced = new Set((await announcedDeletions(store)).map(generationPrefix));
  const checkpoints = await checkpointsByGeneration(store);
  const finish = ({ generation, prefix, hash, hasPins }: Listing): ListedGeneration => {
    const kept = checkpoints.get(prefix) ?? [];
    for (const { key } of kept) hash.update(`${key}\n`);
    const hasExpired = kept.some(({ expiresAtMs }) => expiresAtMs <= clock.nowMs());
    const isOpen = hasPins || hasExpired || announced.has(prefix);
    return { generation, fingerprint: hash.digest("base64"), isOpen };
  };
  let current: Listing | undefined;
  for await (const { keys } of storePages(store, { prefix: NAMESPACES_PREFIX })) {
    for (const key of keys) {
      if (current === undefined || !key.startsWith(current.prefix)) {
        if (current !== undefined) yield finish(current);
        current = beginListing(key);
      }
      if (current === undefined) continue;
      current.hash.update(`${key}\n`);
      current.hasPins ||= key.startsWith(current.pins);
    }
  }
  if (current !== undefined) yield finish(current);
}

interface Listing {
  readonly generation: NamespaceGeneration;
  readonly prefix: string;
  readonly pins: string;
  readonly hash: Hash;
  hasPins: boolean;
}

/** Undefined: the key is of no generation. */
function beginListing(key: ObjectKey): Listing | undefined {
  const prefix = `${key.split("/", 3).join("/")}/`;
  const generation = parseGenerationPrefix(prefix);
  if (generation === undefined) return undefined;
  const pins = pinPrefix(generation);
  return { generation, prefix, pins, hash: createHash("sha256"), hasPins: false };
}

type Kept = Awaited<ReturnType<typeof listAllCheckpoints>>;

async function checkpointsByGeneration(store: ObjectStore): Promise<ReadonlyMap<string, Kept>> {
  const found = new Map<string, Kept>();
  for (const checkpoint of await listAllCheckpoints(store)) {
    const prefix = generationPrefix(checkpoint.of);
    const kept = found.get(prefix);
    if (kept === undefined) found.set(prefix, [checkpoint]);
    else kept.push(checkpoint);
  }
  return found;
}
