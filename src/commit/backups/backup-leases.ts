/**
 * Backups that are being read. Each keeps one state of one namespace by a checkpoint of its own,
 * which expires: a backup that nobody goes on with does not keep anything for long. Bytes are read
 * as they are stored; nothing is decrypted.
 */

import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError, invalid } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { BACKUP_PART_BYTES_MAX, type BackupPoint } from "../../model/backup.ts";
import { checkStoredObject } from "../../namespace/checkpoints/check-stored-object.ts";
import {
  type Checkpoint,
  newCheckpoint,
  putCheckpoint,
} from "../../namespace/checkpoints/checkpoint.ts";
import { pointObjects } from "../../namespace/checkpoints/point-objects.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import { type KeepOptions, keepPoint } from "../checkpoints/keep-point.ts";

/** How long a state is kept after the last read of it; a client that is alive reads all the time. */
export const BACKUP_LEASE_MS = 3_600_000;
/** Backups that may be read at the same time; each keeps the garbage of its namespace. */
const BACKUPS_MAX = 16;

/** Objects whose content is read together: hides the time of a round trip, and is little memory. */
const READ_AT_ONCE = 8;

/** What backups need. */
export interface BackupOptions extends KeepOptions {
  /** As it is stored: encrypted objects stay encrypted. */
  readonly store: ObjectStore;
}

/** One object of a backup. */
export interface ListedObject {
  readonly key: ObjectKey;
  /**
   * Of objects whose names other stores use, too, for other bytes: what tells them apart. The names
   * of segments are drawn at random.
   */
  readonly content?: { readonly bytes: number; readonly sha256: string };
}

/** A backup that has begun. */
export interface Backup {
  readonly id: string;
  readonly point: BackupPoint;
  readonly expiresAtMs: number;
  readonly objects: readonly ListedObject[];
}

/** Some bytes of an object. */
export interface BackupPart {
  readonly bytes: Uint8Array;
  /** The object ends with them. */
  readonly isLast: boolean;
}

interface Lease {
  checkpoint: Checkpoint;
  /** Under way; reads that come meanwhile wait for it. */
  renewal?: Promise<void> | undefined;
  readonly objects: readonly ListedObject[];
}

/** All backups that are being read through this server. */
export class BackupLeases {
  readonly #options: BackupOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #leases = new Map<string, Lease>();
  #beginning = 0;

  constructor(options: BackupOptions) {
    this.#options = options;
    this.#clock = options.namespaceOptions.clock;
    this.#random = options.namespaceOptions.random;
  }

  /** Keeps what a namespace is now, and lists its objects. */
  async begin(name: NamespaceName): Promise<Backup> {
    await this.#removeExpired();
    if (this.#leases.size + this.#beginning >= BACKUPS_MAX) {
      throw new DatabaseError(
        "overloaded",
        `💔 ${BACKUPS_MAX} backups are being read; end one with DELETE /trawl/backups/:id, or retry`,
      );
    }
    this.#beginning++;
    try {
      return await this.#begin(name);
    } finally {
      this.#beginning--;
    }
  }

  async #begin(name: NamespaceName): Promise<Backup> {
    const id = Buffer.from(this.#random.bytes(8)).toString("hex");
    const expiresAtMs = this.#clock.nowMs() + BACKUP_LEASE_MS;
    const to = { name: `_backup-${id}`, expiresAtMs, isAlone: false };
    const checkpoint = await keepPoint(name, to, this.#options);
    try {
      const { of, manifestVersion, sequence, hasImport } = checkpoint;
      const found = await pointObjects(this.#options.namespaceOptions, of, checkpoint);
      const objects: ListedObject[] = [];
      for (let start = 0; start < found.own.length; start += READ_AT_ONCE) {
        const some = found.own.slice(start, start + READ_AT_ONCE);
        const read = some.map(async (key) => ({ key, content: await this.#contentOf(key) }));
        objects.push(...(await Promise.all(read)));
      }
      objects.push(...found.segments.map((key) => ({ key })));
      this.#leases.set(id, { checkpoint, objects });
      const point = { namespace: name, generation: of.generation, manifestVersion, sequence };
      return { id, point: { ...point, hasImport }, expiresAtMs, objects };
    } catch (error) {
      await this.#options.store.delete(checkpoint.key);
      throw error;
    }
  }

  /** Reads an object from `start` on, at most `BACKUP_PART_BYTES_MAX` bytes. */
  async read(id: string, number: number, start: number): Promise<BackupPart> {
    const lease = this.#leaseOf(id);
    const object = lease.objects[number];
    if (object === undefined) {
      const last = lease.objects.length - 1;
      throw new DatabaseError("not_found", `🤷 backup '${id}' has objects 0 to ${last}`);
    }
    if (!Number.isSafeInteger(start) || start < 0) {
      throw invalid("💔 start must be the number of the first byte that is wanted, from 0 on");
    }
    await this.#renew(lease);
    // Segments are known by their keys: what is copied damaged once would be in all later backups.
    if (start === 0 && object.content === undefined) {
      await checkStoredObject(this.#options.store, object.key);
    }
    const end = start + BACKUP_PART_BYTES_MAX + 1; // One more tells whether there is more.
    const bytes = await this.#options.store.getRange(object.key, start, end);
    if (bytes === undefined) throw missing(object.key);
    const isLast = bytes.length <= BACKUP_PART_BYTES_MAX;
    return { bytes: bytes.subarray(0, BACKUP_PART_BYTES_MAX), isLast };
  }

  /** Gives up what a backup kept. */
  async end(id: string): Promise<void> {
    const { checkpoint } = this.#leaseOf(id);
    this.#leases.delete(id);
    await this.#options.store.delete(checkpoint.key);
  }

  async #contentOf(key: ObjectKey): Promise<NonNullable<ListedObject["content"]>> {
    const bytes = await this.#options.store.get(key);
    if (bytes === undefined) throw missing(key);
    await checkStoredObject(this.#options.store, key);
    return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  }

  async #renew(lease: Lease): Promise<void> {
    const nowMs = this.#clock.nowMs();
    if (lease.checkpoint.expiresAtMs - nowMs > BACKUP_LEASE_MS / 2) return;
    lease.renewal ??= this.#prolong(lease, nowMs).finally(() => {
      lease.renewal = undefined;
    });
    await lease.renewal;
  }

  /** The longer lease is in the store before it counts, and before the shorter one goes. */
  async #prolong(lease: Lease, nowMs: number): Promise<void> {
    const { checkpoint } = lease;
    const { of, name } = checkpoint;
    const expiresAtMs = nowMs + BACKUP_LEASE_MS;
    const renewed = newCheckpoint(of, checkpoint, { name, createdAtMs: nowMs, expiresAtMs });
    await putCheckpoint(this.#options.store, renewed);
    lease.checkpoint = renewed;
    await this.#options.store.delete(checkpoint.key);
  }

  #leaseOf(id: string): Lease {
    const lease = this.#leases.get(id);
    if (lease !== undefined && lease.checkpoint.expiresAtMs > this.#clock.nowMs()) return lease;
    throw new DatabaseError(
      "not_found",
      `🤷 there is no backup '${id}': it was ended, or nobody read it for an hour, or the server ` +
        "was started again; begin a new one, of which only new objects need to be read",
    );
  }

  async #removeExpired(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    for (const [id, { checkpoint }] of [...this.#leases]) {
      if (checkpoint.expiresAtMs > nowMs) continue;
      this.#leases.delete(id);
      await this.#options.store.delete(checkpoint.key);
    }
  }
}

function missing(key: ObjectKey): DatabaseError {
  return new DatabaseError("corrupt", `cannot read ${key}: it is missing, but a backup needs it`);
}
