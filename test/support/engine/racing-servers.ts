/**
 * Servers that write to one namespace over one store, each with its own latency to the store. Time
 * is virtual, so that a minute of writes takes a second and the same seed gives the same counts.
 */

import { namespaceName, sequenceNumber } from "../../../src/base/ids.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { idAt } from "../../../src/codec/columns-value.ts";
import { WalReader } from "../../../src/log/wal-reader.ts";
import { decodeBatches } from "../../../src/log/wal-records.ts";
import { CountingObjectStore } from "../../../src/storage/counting-object-store.ts";
import { waitMarkPrefix, walKey } from "../../../src/storage/object-keys.ts";
import type { ListRequest, ObjectStore } from "../../../src/storage/object-store.ts";
import { Scheduler } from "../../simulation/scheduler.ts";
import { SimulatedProcess } from "../../simulation/simulated-process.ts";
import { MemoryObjectStore } from "../stores/memory-object-store.ts";
import { type Answer, EngineFixture } from "./engine-fixture.ts";

/** The namespace that all of them write to. */
export const RACE_NAME = namespaceName("n");
/** First generation of the namespace. */
export const RACE_GENERATION = { name: RACE_NAME, generation: 1 };

/** Options of a server. */
export interface RacerChoices {
  /** Latency of each call to the store, ±10 %. */
  readonly latencyMs: number;
  /** True for a server that sees no wait marks, as if they were lost. */
  readonly isDeaf?: boolean;
}

/** One server, and what became of its clients' writes. */
export interface Racer {
  readonly process: SimulatedProcess;
  readonly fixture: EngineFixture;
  readonly store: CountingObjectStore;
  /** Ids whose writes were acknowledged, and refused. */
  readonly acknowledged: number[];
  readonly refused: number[];
  /** Longest wait of all writes that were answered. */
  longestWaitMs: number;
}

/** Duration of a race; each client sends its next write after an answer. */
export interface RaceLength {
  readonly forMs: number;
  readonly clientCount: number;
}

/** Time between an answer and the client's next write, at most. */
const THINK_MS_MAX = 2;

/** A store with its servers. */
export class RacingServers {
  readonly scheduler: Scheduler;
  readonly store = new MemoryObjectStore();
  #started = 0;
  #ids = 0;

  constructor(seed: number) {
    this.scheduler = new Scheduler(seed, false);
  }

  /** Does what takes virtual time. */
  async run(act: () => Promise<void>): Promise<void> {
    let isOver = false;
    const acting = act().finally(() => {
      isOver = true;
    });
    acting.catch(() => {}); // The error is thrown below.
    await this.scheduler.run(() => isOver);
    await acting;
  }

  /** Starts a server. */
  async open(choices: RacerChoices): Promise<Racer> {
    const process = new SimulatedProcess(`server-${++this.#started}`, this.scheduler);
    const store = new CountingObjectStore(this.#reached(process, choices));
    const random = seededRandom(this.scheduler.random.below(2 ** 32));
    const { clock, turn } = process;
    const fixture = await EngineFixture.open({ store, clock, random, turn, isShared: true });
    return { process, fixture, store, acknowledged: [], refused: [], longestWaitMs: 0 };
  }

  /** Has the clients of all servers write for a while, and waits for their last answers. */
  async race(racers: readonly Racer[], { forMs, clientCount }: RaceLength): Promise<void> {
    const endMs = this.scheduler.nowMs + forMs;
    const write = async (racer: Racer) => {
      while (this.scheduler.nowMs < endMs && !racer.process.hasEnded) {
        await this.write(racer);
        await this.scheduler.sleep(this.scheduler.random.next() * THINK_MS_MAX, "thought");
      }
    };
    const clients = racers.flatMap((racer) => Array.from({ length: clientCount }, () => racer));
    await Promise.all(clients.map(write));
  }

  /** Writes one document with an id of its own; undefined: the server has ended. */
  async write(racer: Racer): Promise<Answer | undefined> {
    const id = ++this.#ids;
    const sentMs = this.scheduler.nowMs;
    const writing = racer.fixture.call("write", RACE_NAME, { upsert_rows: [{ id, n: id }] });
    const answer = await Promise.race([writing, racer.process.end.then(() => undefined)]);
    if (answer === undefined) return undefined;
    if (answer.status === 200) racer.acknowledged.push(id);
    else racer.refused.push(id);
    racer.longestWaitMs = Math.max(racer.longestWaitMs, this.scheduler.nowMs - sentMs);
    return answer;
  }

  /** Ids of the documents that the log holds, as often as they are in it. */
  async committedIds(): Promise<number[]> {
    const ids: number[] = [];
    const entries = new WalReader(this.store, RACE_GENERATION).entriesAfter(sequenceNumber(0));
    for await (const { entry } of entries) {
      const key = walKey(RACE_GENERATION, entry.sequence);
      for (const record of decodeBatches(entry.records, key).flat()) {
        if (record.kind !== "documents") continue;
        const { ids: column, count } = record.documents;
        for (let at = 0; at < count; at++) ids.push(Number(idAt(column, at)));
      }
    }
    return ids.sort((a, b) => a - b);
  }

  /** The store as one server reaches it: half of a call's time before its effect, half after. */
  #reached(process: SimulatedProcess, { latencyMs, isDeaf = false }: RacerChoices): ObjectStore {
    const { scheduler, store } = this;
    const call = <T>(effect: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const halfMs = (latencyMs / 2) * (0.9 + 0.2 * scheduler.random.next());
        scheduler.after(halfMs, "effect", () => {
          const answer = (action: () => void) => scheduler.after(halfMs, "answer", action, process);
          effect().then(
            (result) => answer(() => resolve(result)),
            (error: unknown) => answer(() => reject(error)),
          );
        });
      });
    const list = (request: ListRequest) => {
      const isHidden = isDeaf && request.prefix === waitMarkPrefix(RACE_GENERATION);
      return store.list(isHidden ? { prefix: "nothing/", limit: 1 } : request);
    };
    return {
      get: (key) => call(() => store.get(key)),
      getRange: (key, start, end) => call(() => store.getRange(key, start, end)),
      put: (key, body, condition) => call(() => store.put(key, body, condition)),
      list: (request) => call(() => list(request)),
      delete: (key) => call(() => store.delete(key)),
    };
  }
}
