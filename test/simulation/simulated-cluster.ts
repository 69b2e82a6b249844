/** Servers and indexers over one simulated store, and what befalls them. */

import { MIB } from "../../src/base/byte-sizes.ts";
import { isDatabaseError } from "../../src/base/errors.ts";
import type { NamespaceName } from "../../src/base/ids.ts";
import { seededRandom } from "../../src/base/random.ts";
import { RETIREMENT_MESSAGE, type Retirement } from "../../src/commit/opened/namespace-options.ts";
import { Indexer } from "../../src/indexer/indexer.ts";
import { THRESHOLDS } from "../../src/namespace/thresholds.ts";
import { StoreAccess } from "../../src/storage/access/store-access.ts";
import type { NamespaceGeneration } from "../../src/storage/object-keys.ts";
import { GARBAGE_GRACE_MS } from "../../src/threads/open-indexer.ts";
import { EngineFixture, TestKeys } from "../support/engine/engine-fixture.ts";
import { testIndexerOptions } from "../support/engine/test-indexer-options.ts";
import type { Reopening } from "./check-reopenings.ts";
import { HELD_MS_MAX, NO_FAULTS } from "./fault-profile.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedObjectStore } from "./simulated-object-store.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import { drawSwarm, type ProcessFault, type Swarm } from "./swarm.ts";

/**
 * Longest time between two looks of a server at all of its namespaces. With the time after which it
 * looks at an idle one, and that for which it then trusts its log's end (30 and 15 s), it is less
 * than servers know of having slept.
 */
const FOLLOW_MS_MAX = 14_000;
/** Longest that an indexer rests between two passes. */
const REST_MS_MAX = 20_000;
/** Longest that a process is paused: longer than garbage waits. */
const PAUSE_MS_MAX = 2 * GARBAGE_GRACE_MS;
/** Longest until another process takes the place of one that has ended. */
const RESTART_MS_MAX = 5_000;

/** Longest that a message between two processes takes. */
const MESSAGE_MS_MAX = 200;

/** Process faults of one run at most; it has to come to an end. */
const PROCESS_FAULTS_MAX = 40;
/** Fault profiles after which they change slowly: where calls take long, nothing else happens. */
const QUICK_PROFILES_MAX = 1_000;
/** How long a server that was asked to stop may take. */
const STOP_MS_MAX = 60_000;

/** A server that serves. */
export interface SimulatedServer {
  readonly process: SimulatedProcess;
  readonly fixture: EngineFixture;
}

/** One cluster, from its seed. */
export class SimulatedCluster {
  readonly scheduler: Scheduler;
  readonly swarm: Swarm;
  readonly store: SimulatedObjectStore;
  /** Longest time for which a process stood still, or one of its clocks, or a call was held. */
  longestLagMs = 0;
  /** Bugs that processes noticed by themselves. */
  readonly alarms: string[] = [];
  /** Namespaces that servers had to open again, in the order in which they noticed. */
  readonly reopenings: Reopening[] = [];
  readonly #fixtures: EngineFixture[] = [];
  readonly #servers = new Set<SimulatedServer>();
  readonly #processes = new Set<SimulatedProcess>();
  #started = 0;
  #isEnding = false;

  constructor(seed: number, options: { readonly keepsTrace: boolean }) {
    this.scheduler = new Scheduler(seed, options.keepsTrace);
    this.swarm = drawSwarm(this.scheduler.random);
    this.store = new SimulatedObjectStore(this.scheduler, NO_FAULTS);
  }

  /** Entries of other servers that servers have applied. */
  get followedEntries(): number {
    return this.#fixtures.reduce((sum, { catalog }) => sum + catalog.stats.followedEntries, 0);
  }

  /** Servers that have started and not ended, paused ones too. */
  get servers(): readonly SimulatedServer[] {
    return [...this.#servers];
  }

  /** Starts everything; from now on each process that ends is followed by another. */
  start(): void {
    for (let i = 0; i < this.swarm.serverCount; i++) void this.#keepServer();
    for (let i = 0; i < this.swarm.indexerCount; i++) void this.#keepIndexer();
    if (this.swarm.processFaults.length > 0) void this.#befall();
    if (this.swarm.faultProfiles.length > 1) void this.#changeFaultProfile();
  }

  /** Ends everything at once and lets calls under way take effect; there are no faults after. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.store.faultProfile = NO_FAULTS;
    for (const process of this.#processes) process.kill();
    this.#servers.clear();
    while (this.store.pendingCount > 0) await this.scheduler.sleep(1000, "calls under way");
  }

  /** A server that nobody follows. */
  async startServer(): Promise<SimulatedServer> {
    const process = this.#process("server");
    const server = await this.#openServer(process);
    if (server === undefined) throw new Error("a server does not start without faults");
    return server;
  }

  /** An indexer that nobody follows. */
  startIndexer(): Indexer {
    return this.#indexer(this.#process("indexer"));
  }

  /** Always a server, until the run ends. */
  async #keepServer(): Promise<void> {
    while (!this.#isEnding) {
      const process = this.#process("server");
      const server = await this.#openServer(process);
      if (server !== undefined) {
        this.#servers.add(server);
        void this.#follow(server);
        await process.end;
        this.#servers.delete(server);
      }
      process.kill();
      await this.scheduler.sleep(this.#upTo(RESTART_MS_MAX), "starts a server");
    }
  }

  async #openServer(process: SimulatedProcess): Promise<SimulatedServer | undefined> {
    const { thresholds, cacheBytes, sliceEnds } = this.swarm;
    const slicing = this.#randomOf(process);
    try {
      const opening = EngineFixture.open({
        store: this.store.connect(process),
        clock: process.clock,
        random: this.#randomOf(process),
        turn: process.turn,
        endsSlice: () => slicing.next() < sliceEnds,
        thresholds,
        cacheBytes,
        isShared: this.swarm.serverCount > 1,
        memoryBytes: 16 * MIB,
        onLog: ({ message, facts }) => {
          if (message !== RETIREMENT_MESSAGE) return;
          const { eventCount: event, nowMs: atMs } = this.scheduler;
          const retirement = facts as unknown as Retirement;
          this.reopenings.push({ ...retirement, event, atMs, by: process.name });
        },
      });
      const fixture = await Promise.race([opening, process.end.then(() => undefined)]);
      if (fixture !== undefined) this.#fixtures.push(fixture);
      return fixture && { process, fixture };
    } catch (error) {
      if (!isDatabaseError(error)) this.#alarm(process, error);
      return undefined;
    }
  }

  /** What the write thread of a server does from time to time. */
  async #follow({ process, fixture }: SimulatedServer): Promise<void> {
    const { catalog } = fixture;
    try {
      while (!process.hasEnded) {
        await process.clock.sleep(this.#upTo(FOLLOW_MS_MAX));
        await catalog.follow(process.clock.monotonicMs());
        if (this.scheduler.random.below(8) === 0) catalog.closeIdle();
      }
    } catch (error) {
      this.#alarm(process, error);
    }
  }

  async #keepIndexer(): Promise<void> {
    while (!this.#isEnding) {
      const process = this.#process("indexer");
      void this.#work(process);
      await process.end;
      await this.scheduler.sleep(this.#upTo(RESTART_MS_MAX), "starts an indexer");
    }
  }

  async #work(process: SimulatedProcess): Promise<void> {
    const indexer = this.#indexer(process);
    while (!process.hasEnded) {
      try {
        await indexer.pass();
      } catch (error) {
        if (!isDatabaseError(error)) return this.#alarm(process, error);
      }
      await process.clock.sleep(this.#upTo(REST_MS_MAX));
    }
  }

  #indexer(process: SimulatedProcess): Indexer {
    const { clock } = process;
    const random = this.#randomOf(process);
    const reached = this.store.connect(process);
    const access = new StoreAccess({ store: reached, clock, random, keys: new TestKeys() });
    const options = {
      clock,
      random,
      log: () => {},
      thresholds: { ...THRESHOLDS, ...this.swarm.thresholds },
      yield: () => new Promise<void>((resolve) => process.turn(resolve)),
    };
    const { cacheBytes } = this.swarm;
    const clusters = { rowsMin: 4, clusterRows: 3 };
    const sizes = { clusters, memoryBytes: 16 * MIB, cacheBytes };
    const garbageGraceMs = GARBAGE_GRACE_MS;
    const onManifest = ({ name }: NamespaceGeneration) => {
      if (this.swarm.indexersTell) this.#tell(name);
    };
    const wired = testIndexerOptions(options, access, sizes);
    return new Indexer({ ...wired, garbageGraceMs, onManifest });
  }

  /** A message to the servers; one to a process that ends is lost. */
  #tell(name: NamespaceName): void {
    for (const { process, fixture } of this.#servers) {
      const hear = () => fixture.engine.followManifest(name);
      this.scheduler.after(this.#upTo(MESSAGE_MS_MAX), "hears of a manifest", hear, process);
    }
  }

  async #befall(): Promise<void> {
    const { random } = this.scheduler;
    const { processFaults, processFaultMs } = this.swarm;
    for (let count = 0; count < PROCESS_FAULTS_MAX; count++) {
      await this.scheduler.sleep(this.#upTo(2 * processFaultMs), "fate");
      if (this.#isEnding) return;
      this.#happen(processFaults[random.below(processFaults.length)]);
    }
  }

  async #changeFaultProfile(): Promise<void> {
    const { random } = this.scheduler;
    const { faultProfiles, faultProfileMs } = this.swarm;
    for (let count = 0; !this.#isEnding; count++) {
      this.store.faultProfile = faultProfiles[random.below(faultProfiles.length)];
      if (this.store.faultProfile.held > 0) this.longestLagMs = HELD_MS_MAX;
      const meanMs = count < QUICK_PROFILES_MAX ? faultProfileMs : HELD_MS_MAX;
      await this.scheduler.sleep(this.#upTo(2 * meanMs), "another fault profile");
    }
  }

  #happen(processFault: ProcessFault): void {
    const { random } = this.scheduler;
    this.scheduler.note(processFault);
    const pick = <T>(values: readonly T[]): T | undefined => values[random.below(values.length)];
    const running = [...this.#processes].filter(({ hasEnded }) => !hasEnded);
    const one = (kind: string) => pick(running.filter(({ name }) => name.startsWith(kind)));
    switch (processFault) {
      case "kill a server":
        one("server")?.kill();
        break;
      case "kill an indexer":
        one("indexer")?.kill();
        break;
      case "pause a server":
        one("server")?.pause(this.#pauseMs());
        break;
      case "pause an indexer":
        one("indexer")?.pause(this.#pauseMs());
        break;
      case "stop a server": {
        const server = pick(this.servers);
        if (server !== undefined) void this.#stop(server);
        break;
      }
      case "set a clock":
        pick(running)?.clock.jump((random.next() - 0.5) ** 3 * 8 * PAUSE_MS_MAX);
        break;
      case "freeze a clock":
        pick(running)?.clock.freeze(this.#pauseMs());
    }
  }

  /** Mostly the time of some process faults, sometimes very long. */
  #pauseMs(): number {
    const { random } = this.scheduler;
    const isLong = random.below(6) === 0;
    const mostMs = isLong ? PAUSE_MS_MAX : Math.min(PAUSE_MS_MAX, 10 * this.swarm.processFaultMs);
    const pauseMs = random.next() ** 3 * mostMs;
    this.longestLagMs = Math.max(this.longestLagMs, pauseMs);
    return pauseMs;
  }

  /**
   * A server that does not stop in time is killed, as supervisors do; so is one whose store does
   * not answer, which exits by itself.
   */
  async #stop(server: SimulatedServer): Promise<void> {
    this.#servers.delete(server);
    const patience = this.scheduler.sleep(STOP_MS_MAX, "patience with a server");
    const closed = server.fixture.close().catch((error: unknown) => {
      if (!isDatabaseError(error, "unavailable")) throw error;
    });
    await Promise.race([closed, patience]);
    server.process.kill();
  }

  #process(kind: string): SimulatedProcess {
    const process = new SimulatedProcess(`${kind}-${++this.#started}`, this.scheduler);
    this.#processes.add(process);
    for (const other of this.#processes) if (other.hasEnded) this.#processes.delete(other);
    return process;
  }

  #randomOf(process: SimulatedProcess) {
    const number = Number(process.name.split("-")[1]);
    return seededRandom(Math.floor(this.scheduler.random.next() * 2 ** 32) + number);
  }

  #upTo(ms: number): number {
    return this.scheduler.random.next() * ms;
  }

  #alarm(process: SimulatedProcess, error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.alarms.push(`${process.name}: ${text}`);
  }
}
