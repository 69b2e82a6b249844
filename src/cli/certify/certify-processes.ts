/** Cases that need several processes: races between them, and puts of a process that is killed. */

import { type ChildProcess, fork } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { entryModule } from "../../base/program-files.ts";
import {
  BrokenPromise,
  type CertificationCase,
  expectBytes,
  type Tally,
} from "../../storage/certify/certification-case.ts";
import { faultOfRace, type PutRace, racerOf } from "../../storage/certify/put-race.ts";
import { type ObjectStore, objectKey } from "../../storage/object-store.ts";
import type { StoreConfig } from "../../storage/store-config.ts";
import { type FromWorker, numberedBody, type ToWorker } from "./certify-messages.ts";
import type { CertifyWorkerStart } from "./certify-worker.ts";

const PROCESSES = 4;
const RACE_ROUNDS = 100;
const KILLS = 3;
/** Acknowledgements after which a process is killed. */
const ACKNOWLEDGED = 100;
const PARALLEL_PUTS = 8;

/** The cases for the store that `config` describes; `folder` is the part of it that they get. */
export function processCases(config: StoreConfig, folder: string): readonly CertificationCase[] {
  const start = () => Worker.start(config, folder);
  return [
    {
      promise: `of conditional puts of ${PROCESSES} processes at once, one is written`,
      run: (store, tally) => raceProcesses(store, tally, start),
    },
    {
      promise: "acknowledged puts outlive their process, and others see them at once",
      run: (store) => killProcesses(store, start),
    },
  ];
}

async function raceProcesses(
  store: ObjectStore,
  tally: Tally,
  start: () => Promise<Worker>,
): Promise<string> {
  const workers = await Promise.all(Array.from({ length: PROCESSES }, start));
  const wins = new Array<number>(PROCESSES).fill(0);
  let unknownPuts = 0;
  try {
    for (let round = 0; round < RACE_ROUNDS; round++) {
      const race = await raceOnce(store, workers, `race/${round}`);
      const fault = faultOfRace(race);
      if (fault !== undefined) throw new BrokenPromise(`race ${round}: ${fault}`);
      if (race.found === undefined) throw race.unknown[0].error;
      wins[race.found]++;
      unknownPuts += race.unknown.length;
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
  }
  tally.unknownPuts += unknownPuts;
  const open = unknownPuts === 0 ? "" : `, ${unknownPuts} unknown and settled by reading`;
  return `${RACE_ROUNDS} races, one winner each (${wins.join(" + ")})${open}`;
}

async function raceOnce(
  store: ObjectStore,
  workers: readonly Worker[],
  key: string,
): Promise<PutRace> {
  const ends = await Promise.all(
    workers.map((worker, racer) => worker.ask({ kind: "race", key, racer })),
  );
  const raced = ends.flatMap((end) => (end.kind === "raced" ? [end] : []));
  return {
    racers: workers.length,
    written: raced.flatMap(({ outcome, racer }) => (outcome === "written" ? [racer] : [])),
    conflicts: raced.filter(({ outcome }) => outcome === "conflict").length,
    unknown: raced.flatMap(({ outcome, racer, message }) =>
      outcome === "unknown" ? [{ racer, error: new Error(message) }] : [],
    ),
    found: racerOf(await store.get(objectKey(key))),
  };
}

async function killProcesses(store: ObjectStore, start: () => Promise<Worker>): Promise<string> {
  const acknowledged: number[] = [];
  let unacknowledged = 0;
  for (let round = 0; round < KILLS; round++) {
    const first = 1_000_000 * (round + 1);
    const heard = await putUntilKilled(store, await start(), first);
    // Everything that is there now: acknowledged or not, it is whole.
    const { keys } = await store.list({ prefix: `put/${round + 1}`, limit: 100_000 });
    for (const key of keys) {
      expectBytes(`${key} after the kill`, await store.get(key), numberOf(key));
    }
    const missing = heard.filter((number) => !keys.includes(objectKey(`put/${number}`)));
    if (missing.length > 0) {
      throw new BrokenPromise(`${missing.length} acknowledged objects are gone: ${missing[0]}, …`);
    }
    acknowledged.push(...heard);
    unacknowledged += keys.length - heard.length;
  }
  const others = `${unacknowledged} that were not acknowledged are whole`;
  return `${KILLS} kills, ${acknowledged.length} acknowledged puts, none lost; ${others}`;
}

/** Returns what the process acknowledged until it was killed; each is read when it is heard of. */
async function putUntilKilled(
  store: ObjectStore,
  worker: Worker,
  first: number,
): Promise<readonly number[]> {
  const heard: number[] = [];
  const reads: Promise<void>[] = [];
  const isEnough = new Promise<void>((resolve) => {
    worker.listen((message) => {
      if (message.kind !== "acknowledged") return;
      heard.push(message.number);
      const key = objectKey(`put/${message.number}`);
      const read = store.get(key).then((body) => {
        expectBytes(`${key} right after its put`, body, numberedBody(message.number));
      });
      read.catch(() => undefined); // Awaited below.
      reads.push(read);
      if (heard.length === ACKNOWLEDGED) resolve();
    });
  });
  worker.post({ kind: "put numbered", first, parallel: PARALLEL_PUTS });
  try {
    await Promise.race([isEnough, worker.ended]);
  } finally {
    await worker.kill();
  }
  await Promise.all(reads);
  return heard;
}

function numberOf(key: string): Uint8Array {
  return numberedBody(Number(basename(key)));
}

/** One process. */
class Worker {
  readonly #child: ChildProcess;
  /** Rejects when the process ends by itself. */
  readonly ended: Promise<never>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = new Promise((_, reject) => {
      child.once("exit", (code) => {
        reject(new Error(`a process of the test ended with code ${code}`));
      });
    });
    this.ended.catch(() => undefined); // Heard of where somebody waits.
  }

  /** Resolves once the process has opened its store. */
  static async start(config: StoreConfig, folder: string): Promise<Worker> {
    const program = fileURLToPath(entryModule("cli/certify/certify-worker"));
    const data: CertifyWorkerStart = { config, folder };
    const child = fork(program, [JSON.stringify(data)]);
    const worker = new Worker(child);
    await worker.next();
    return worker;
  }

  post(message: ToWorker): void {
    this.#child.send(message);
  }

  /** Sets the listener of all further messages. */
  listen(listener: (message: FromWorker) => void): void {
    this.#child.on("message", listener);
  }

  /** Sends a message and resolves with the next one that comes back. */
  ask(message: ToWorker): Promise<FromWorker> {
    const answer = this.next();
    this.post(message);
    return answer;
  }

  next(): Promise<FromWorker> {
    const message = new Promise<FromWorker>((resolve) => {
      this.#child.once("message", (heard) => resolve(heard as FromWorker));
    });
    return Promise.race([message, this.ended]);
  }

  /** SIGKILL; resolves once the process is gone and all that it said was heard. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => this.#child.once("close", () => resolve()));
    this.#child.kill("SIGKILL");
    await gone;
  }
}
