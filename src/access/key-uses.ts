/** When keys were last used: noted at each request, and written down once in a while. */

import type { Clock } from "../base/clock.ts";
import type { KeyUseTimes } from "./key-codec.ts";
import type { KeyStore } from "./key-store.ts";

/** How often it is written down; so much may be missing. */
export const KEY_USES_MS = 60_000;

/** See the file's head. Servers join what they know; none takes back a later time. */
export class KeyUses {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  /** Since what was last found in the store. */
  readonly #noted = new Map<string, number>();

  constructor(store: KeyStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A key is being used. */
  note(id: string): void {
    this.#noted.set(id, this.#clock.nowMs());
  }

  /** Something was noted that may not be written down yet. */
  get areNoted(): boolean {
    return this.#noted.size > 0;
  }

  /** What all servers have written down, and what this one has noted since. */
  async times(): Promise<KeyUseTimes> {
    return this.#joined(await this.#store.readUses());
  }

  /**
   * Writes down what was noted, of the keys in `ids` alone. What another server overwrites at the
   * same time is found missing, and written, the next time.
   */
  async flush(ids: { has(id: string): boolean }): Promise<void> {
    if (this.#noted.size === 0) return;
    const stored = await this.#store.readUses();
    for (const [id, time] of this.#noted) {
      if (!ids.has(id) || (stored.get(id) ?? 0) >= time) this.#noted.delete(id);
    }
    if (this.#noted.size === 0) return;
    const joined = this.#joined(stored);
    for (const id of joined.keys()) if (!ids.has(id)) joined.delete(id);
    await this.#store.writeUses(joined);
  }

  #joined(stored: KeyUseTimes): Map<string, number> {
    const joined = new Map(stored);
    for (const [id, time] of this.#noted) {
      joined.set(id, Math.max(time, joined.get(id) ?? 0));
    }
    return joined;
  }
}
