/** A ring of API keys over a store in memory, as a server has one. */

import type { Caller } from "../../../src/access/caller.ts";
import { KeyOperations } from "../../../src/access/key-operations.ts";
import { KeyRing } from "../../../src/access/key-ring.ts";
import { KeyStore } from "../../../src/access/key-store.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { seededRandom } from "../../../src/base/random.ts";
import type { ObjectStore } from "../../../src/storage/object-store.ts";
import { InstantClock } from "../clocks/instant-clock.ts";
import { fixtureSeed } from "../random/fixture-seeds.ts";
import { MemoryObjectStore } from "../stores/memory-object-store.ts";

/** What a test may choose. */
export interface KeyChoices {
  readonly store?: ObjectStore;
  /** Undefined: `sleep` ends at once, and its time has passed. */
  readonly clock?: Clock;
  readonly apiKey?: string;
}

/** A key as it was answered. */
export interface CreatedKey {
  readonly key: string;
  readonly id: string;
}

/** See the file's head. */
export class KeyFixture {
  readonly ring: KeyRing;
  readonly operations: KeyOperations;
  readonly clock: Clock;
  readonly logs: string[] = [];

  private constructor({ store = new MemoryObjectStore(), clock, apiKey }: KeyChoices) {
    this.clock = clock ?? new InstantClock();
    const log = (_level: string, message: string) => void this.logs.push(message);
    const random = seededRandom(fixtureSeed());
    const keyStore = new KeyStore({ store, random, log });
    this.ring = new KeyRing({ store: keyStore, clock: this.clock, log, bootstrapKey: apiKey });
    const options = { ring: this.ring, clock: this.clock, random };
    this.operations = new KeyOperations(options);
  }

  /** Opens a ring on a store. */
  static async open(choices: KeyChoices = {}): Promise<KeyFixture> {
    const fixture = new KeyFixture(choices);
    await fixture.ring.open();
    return fixture;
  }

  /** Makes a key; one that may do everything unless `members` says otherwise. */
  async create(members: object = {}): Promise<CreatedKey> {
    const all = { name: "test", actions: ["admin"], namespaces: ["*"], ...members };
    const { json } = await this.operations.create(Buffer.from(JSON.stringify(all)));
    return json as unknown as CreatedKey;
  }

  /** Who comes with this key or token. */
  caller(text: string): Caller {
    return this.ring.identify(`Bearer ${text}`);
  }

  /** Who does, or why nobody. */
  verdict(text: string): string {
    try {
      return this.caller(text).kind;
    } catch (error) {
      return (error as Error).message;
    }
  }
}
