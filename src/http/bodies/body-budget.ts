/**
 * The bytes of request bodies that are in memory, over all requests, against their bound.
 *
 * A namespace may hold at most as much as is left free, and a client three times as much: dynamic
 * thresholds (Choudhury and Hahne, 1998). However much one of them sends, the next one finds room,
 * and nothing is set aside that nobody asks for. Nobody waits for room, so no bodies can wait for
 * each other: who finds none is refused, and among those of one client that still arrive, it is the
 * youngest one, so that the older ones come to their end.
 */

import { NumberMap } from "../../base/tables/number-map.ts";

/** What a namespace may hold against what is free: half of everything, where it is alone. */
const NAMESPACE_FREE_SHARE = 1;
/** What a client may hold against what is free: three quarters of everything, where it is alone. */
const CLIENT_FREE_SHARE = 3;

/** Whose body it is. */
export interface BodyOwner {
  /** See `clientOf`. */
  readonly client: string;
  readonly namespace: string | undefined;
  /** The body's room was given to an older one; it must end. */
  evict(): void;
}

/** All bodies together. */
export class BodyBudget {
  /** Bound on all bodies together. */
  readonly bytesMax: number;
  #bytesUsed = 0;
  readonly #clients = new Holdings(CLIENT_FREE_SHARE);
  readonly #namespaces = new Holdings(NAMESPACE_FREE_SHARE);
  /** Those that are not there to their ends, by their numbers, which rise. */
  readonly #arriving = new NumberMap<BodyCharge>();
  #nextNumber = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Bytes that are charged now. */
  get bytesUsed(): number {
    return this.#bytesUsed;
  }

  /** Bytes of the largest body that fits where there is no other. */
  get bodyBytesMax(): number {
    return Math.floor((this.bytesMax * NAMESPACE_FREE_SHARE) / (1 + NAMESPACE_FREE_SHARE));
  }

  /** Opens the account of one body, with nothing charged. */
  open(owner: BodyOwner): BodyCharge {
    const number = this.#nextNumber++;
    const charge = new BodyCharge(owner, {
      fits: (bytes) => this.#fits(owner, bytes),
      reserve: (bytes) => this.#reserve(charge, number, bytes),
      release: (bytes) => this.#add(owner, -bytes),
      arrived: () => this.#arriving.delete(number),
    });
    this.#arriving.set(number, charge);
    return charge;
  }

  #fits({ client, namespace }: BodyOwner, bytes: number): boolean {
    const free = this.bytesMax - this.#bytesUsed - bytes;
    return (
      free >= 0 &&
      this.#clients.allows(client, bytes, free) &&
      (namespace === undefined || this.#namespaces.allows(namespace, bytes, free))
    );
  }

  #reserve(charge: BodyCharge, number: number, bytes: number): boolean {
    while (!this.#fits(charge.owner, bytes)) {
      const younger = this.#youngestAfter(number, charge.owner);
      if (younger === undefined) return false;
      // Its memory is free when its reader has let go of it, which it will at once.
      younger.release();
      younger.owner.evict();
    }
    this.#add(charge.owner, bytes);
    return true;
  }

  /** The youngest body of the same client that arrives, holds something, and came later. */
  #youngestAfter(number: number, { client }: BodyOwner): BodyCharge | undefined {
    let youngest: BodyCharge | undefined;
    let newest = number;
    for (const [other, charge] of this.#arriving.entries()) {
      if (other <= newest || charge.owner.client !== client || charge.bytes === 0) continue;
      newest = other;
      youngest = charge;
    }
    return youngest;
  }

  #add({ client, namespace }: BodyOwner, bytes: number): void {
    this.#bytesUsed += bytes;
    this.#clients.add(client, bytes);
    if (namespace !== undefined) this.#namespaces.add(namespace, bytes);
  }
}

/** What a charge does to the budget that it belongs to. */
interface ChargeActions {
  fits(bytes: number): boolean;
  reserve(bytes: number): boolean;
  release(bytes: number): void;
  arrived(): void;
}

/** What one body holds. `release` must follow, whatever happens. */
export class BodyCharge {
  readonly owner: BodyOwner;
  readonly #actions: ChargeActions;
  #bytes = 0;
  #isOver = false;

  constructor(owner: BodyOwner, actions: ChargeActions) {
    this.owner = owner;
    this.#actions = actions;
  }

  /** Bytes that are charged now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether so many bytes more would fit now. */
  fits(bytes: number): boolean {
    return this.#actions.fits(bytes);
  }

  /** Charges `bytes` more if they fit, and tells whether they did; what comes later costs nothing. */
  reserve(bytes: number): boolean {
    if (this.#isOver) return true;
    if (!this.#actions.reserve(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** The body is there to its end: it is no longer ended for others. */
  arrived(): void {
    this.#actions.arrived();
  }

  /** Gives everything back, for good: nobody keeps what comes from now on. */
  release(): void {
    this.#actions.arrived();
    this.#actions.release(this.#bytes);
    this.#bytes = 0;
    this.#isOver = true;
  }
}

/** What each of some kind holds. */
class Holdings {
  readonly #freeShare: number;
  readonly #bytes = new Map<string, number>();

  constructor(freeShare: number) {
    this.#freeShare = freeShare;
  }

  /** Whether `name` may have so many bytes more, where `free` bytes are left then. */
  allows(name: string, bytes: number, free: number): boolean {
    return (this.#bytes.get(name) ?? 0) + bytes <= this.#freeShare * free;
  }

  add(name: string, bytes: number): void {
    const after = (this.#bytes.get(name) ?? 0) + bytes;
    if (after === 0) this.#bytes.delete(name);
    else this.#bytes.set(name, after);
  }
}
