/** Cases: what several readers and writers see of each other. */

import { ALWAYS, IF_ABSENT, type ObjectStore, objectKey } from "../object-store.ts";
import {
  BrokenPromise,
  bytesOf,
  type CertificationCase,
  expectSame,
  expectThat,
  inParallel,
  type Tally,
  textOf,
} from "./certification-case.ts";
import { faultOfRace, racePuts } from "./put-race.ts";

const RACE_ROUNDS = 10;
const RACERS = 64;

/** The cases, in the order in which they run. */
export const RACE_CASES: readonly CertificationCase[] = [
  {
    promise: `of ${RACERS} conditional puts at once, one is written and all others conflict`,
    run: races,
  },
  { promise: "readers see whole objects while writers replace them", run: wholeReads },
  { promise: "a put shows at once in reads and listings, and so does a delete", run: freshness },
];

async function races(store: ObjectStore, tally: Tally): Promise<string> {
  let conflicts = 0;
  let unknown = 0;
  for (let round = 0; round < RACE_ROUNDS; round++) {
    const race = await racePuts(store, objectKey(`race/${round}`), RACERS);
    const fault = faultOfRace(race);
    if (fault !== undefined) throw new BrokenPromise(fault);
    if (race.found === undefined) throw race.unknown[0].error;
    conflicts += race.conflicts;
    unknown += race.unknown.length;
  }
  tally.unknownPuts += unknown;
  const open = unknown === 0 ? "" : `, ${unknown} unknown and settled by reading`;
  return `${RACE_ROUNDS} races, one winner each; ${conflicts} conflicts${open}`;
}

async function wholeReads(store: ObjectStore): Promise<string> {
  const key = objectKey("replaced");
  const size = 100_000;
  const body = (fill: number) => new Uint8Array(size).fill(fill);
  await store.put(key, body(0), ALWAYS);
  let isWriting = true;
  let reads = 0;
  const writer = async () => {
    for (let fill = 1; fill <= 30; fill++) await store.put(key, body(fill), ALWAYS);
    isWriting = false;
  };
  const reader = async () => {
    let last = 0;
    while (isWriting) {
      const read = (await store.get(key)) ?? new Uint8Array(0);
      reads++;
      expectSame("the length while it is replaced", read.length, size);
      expectThat(Buffer.compare(read, body(read[0])) === 0, "a read saw parts of two puts");
      expectThat(read[0] >= last, `a read saw put ${read[0]} after put ${last}`);
      last = read[0];
    }
  };
  // A reader that throws leaves the writer to its end, so that nothing writes after the case.
  const ends = await Promise.allSettled([writer(), reader(), reader()]);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return `${reads} reads, each whole, none older than the one before`;
}

async function freshness(store: ObjectStore): Promise<string> {
  const count = 60;
  await inParallel(count, 4, async (number) => {
    const folder = `fresh/${number}/`;
    const key = objectKey(`${folder}object`);
    const list = async () => (await store.list({ prefix: folder, limit: 5 })).keys;
    expectSame("an absent object", await store.get(key), undefined);
    await store.put(key, bytesOf("there"), IF_ABSENT);
    expectSame("an object right after its put", textOf(await store.get(key)), "there");
    expectSame("a listing right after a put", await list(), [key]);
    await store.delete(key);
    expectSame("an object right after its delete", await store.get(key), undefined);
    expectSame("a listing right after a delete", await list(), []);
  });
  return `${count} puts and deletes, each seen at once`;
}
