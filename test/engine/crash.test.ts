/** A process that ends at any call to the store, before or after its effect, loses nothing. */

import { beforeAll, expect, test } from "vitest";
import { namespaceName } from "../../src/base/ids.ts";
import { seededRandom } from "../../src/base/random.ts";
import { findGenerations } from "../../src/namespace/generations/namespace-generations.ts";
import { generationPrefix } from "../../src/storage/object-keys.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { cases } from "../support/effort.ts";
import { EngineFixture, type Row } from "../support/engine/engine-fixture.ts";
import { testSeed } from "../support/random/seed.ts";
import { type CrashPoint, FaultyObjectStore } from "../support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";
import { reachableFrom } from "../support/stores/reachable.ts";

const NAMES = ["a", "b", "c"];
const THRESHOLDS = { indexTailEntries: 3, segmentsUnmergedMax: 2 };

/** Documents of each namespace that exists, as JSON so that states compare. */
type State = Record<string, readonly Row[]>;

interface Step {
  readonly operation: "write" | "delete_namespace";
  readonly namespace: string;
  readonly body?: object;
  /** The state afterwards. */
  readonly after: (state: State) => State;
}

const doc = (id: number, n: number) => ({ id, n });
const put = (namespace: string, ...rows: { id: number; n: number }[]): Step => ({
  operation: "write",
  namespace,
  body: { upsert_rows: rows },
  after: (state) => {
    const documents = new Map((state[namespace] ?? []).map((row) => [row.id, row]));
    for (const row of rows) documents.set(row.id, row);
    const sorted = [...documents.values()].sort((x, y) => Number(x.id) - Number(y.id));
    return { ...state, [namespace]: sorted };
  },
});
const erase = (namespace: string, id: number): Step => ({
  operation: "write",
  namespace,
  body: { deletes: [id] },
  after: (state) => ({ ...state, [namespace]: state[namespace].filter((row) => row.id !== id) }),
});
const fill = (kind: "copy" | "branch", from: string, namespace: string): Step => ({
  operation: "write",
  namespace,
  body: { [`${kind}_from_namespace`]: from },
  after: (state) => ({ ...state, [namespace]: state[from] }),
});
const drop = (namespace: string): Step => ({
  operation: "delete_namespace",
  namespace,
  after: ({ [namespace]: _, ...rest }) => rest,
});

const STEPS: readonly Step[] = [
  put("a", doc(1, 1), doc(2, 1), doc(3, 1)),
  put("a", doc(2, 2), doc(4, 2)),
  erase("a", 3),
  put("a", doc(5, 3)),
  fill("copy", "a", "b"),
  put("b", doc(1, 9)),
  erase("b", 2),
  put("b", doc(7, 9)),
  fill("branch", "b", "c"),
  drop("b"),
  put("b", doc(8, 8)),
  put("a", doc(6, 4), doc(1, 4)),
  erase("a", 2),
  put("c", doc(9, 9)),
  drop("a"),
  put("a", doc(1, 5)),
  drop("c"),
];

const NO_FAULTS = { before: 0, after: 0, delayMsMax: 0 };

function crashing(store: MemoryObjectStore, point: CrashPoint | undefined): FaultyObjectStore {
  const random = seededRandom(1);
  const clock = new InstantClock();
  const faulty = new FaultyObjectStore({ store, random, clock, rates: NO_FAULTS });
  if (point !== undefined) faulty.crashAt(point);
  return faulty;
}

/** Runs the steps; gives the states that a restart may find, and the calls that were made. */
async function run(
  store: MemoryObjectStore,
  point: CrashPoint | undefined,
): Promise<{ possible: State[]; calls: number }> {
  const faulty = crashing(store, point);
  let state: State = {};
  try {
    const engine = await EngineFixture.open({
      store: faulty,
      thresholds: THRESHOLDS,
      indexing: true,
    });
    for (const { operation, namespace, body, after } of STEPS) {
      const { status, json } = await engine.call(operation, namespace, body);
      const next = after(state);
      if (status !== 200) {
        if (point === undefined) throw new Error(`${status}: ${JSON.stringify(json)}`);
        return { possible: [state, next], calls: faulty.calls };
      }
      state = next;
    }
    await engine.close();
  } catch (error) {
    if (point === undefined) throw error;
  }
  return { possible: [state], calls: faulty.calls };
}

async function stateOf(engine: EngineFixture): Promise<State> {
  const state: State = {};
  for (const name of NAMES) {
    const rows = await engine.rows(name);
    if (rows !== undefined) state[name] = rows;
  }
  return state;
}

/** Opens the store again and checks everything that a user can see. */
async function checkRestart(
  store: MemoryObjectStore,
  { possible, what, sweeps = true }: { possible: State[]; what: string; sweeps?: boolean },
): Promise<void> {
  const engine = await EngineFixture.open({ store, thresholds: THRESHOLDS, indexing: true });
  const found = await stateOf(engine);
  expect(possible, what).toContainEqual(found);
  const listed = await engine.call("list_namespaces", undefined);
  const names = listed.json.namespaces.map(({ id }: { id: string }) => id);
  expect(names, what).toEqual(Object.keys(found).sort());
  for (const name of NAMES) await engine.write(name, { upsert_rows: [doc(100, 1)] });
  const later = await stateOf(engine);
  for (const name of NAMES) {
    expect(later[name], what).toEqual([...(found[name] ?? []), doc(100, 1)]);
  }
  if (!sweeps) return engine.close();
  // Enough for a checkpoint in each, which sweeps up what the crash has left.
  for (let n = 2; n < 8; n++) {
    for (const name of NAMES) await engine.write(name, { upsert_rows: [doc(100, n)] });
  }
  await engine.close();
  const last = await EngineFixture.open({ store, thresholds: THRESHOLDS });
  for (const name of NAMES) {
    expect(await last.rows(name), what).toEqual([...(found[name] ?? []), doc(100, 7)]);
  }
  // What one namespace lets go of is seen by the next pass over another.
  for (let pass = 0; pass < 3; pass++) await last.indexAll();
  await last.close();
  await checkNothingIsLeft(store, what);
}

/**
 * No announcement, no manifest or log before the newest manifest, and of dead generations nothing
 * but segments that a living one names, and pins on these.
 */
async function checkNothingIsLeft(store: MemoryObjectStore, what: string): Promise<void> {
  const { keys } = await store.list({ prefix: "", limit: 10_000 });
  expect(
    keys.filter((key) => key.startsWith("deleting/")),
    what,
  ).toEqual([]);
  const reached = new Set<string>();
  for (const name of NAMES) {
    const { live } = await findGenerations(store, namespaceName(name));
    expect(live, what).toBeDefined();
    if (live === undefined) continue;
    for (const key of await reachableFrom(store, live)) reached.add(key);
    const own = keys.filter((key) => key.startsWith(generationPrefix(live)));
    expect(
      own.filter((key) => key.includes("/manifest/")),
      what,
    ).toHaveLength(1);
    expect(own.filter((key) => key.includes("/wal/")).length, what).toBeLessThan(8);
    for (const key of own) if (!key.includes("/segments/")) reached.add(key);
  }
  const left = keys.filter((key) => key.startsWith("namespaces/") && !reached.has(key));
  const pinned = left.filter((key) => !key.includes("/pins/"));
  expect(pinned, what).toEqual([]);
  for (const pin of left) {
    const owner = pin.slice(0, pin.indexOf("pins/"));
    expect(
      [...reached].some((key) => key.startsWith(owner)),
      `${what}: ${pin}`,
    ).toBe(true);
  }
}

/** Calls at which `npm test` has a process end. */
const USUAL_CALLS = 8;

/** A run without a crash. */
const whole = { store: new MemoryObjectStore(), possible: [] as State[], calls: 0 };

beforeAll(async () => {
  Object.assign(whole, await run(whole.store, undefined));
});

test("the steps do what they say", async () => {
  const { store, possible } = whole;
  await checkRestart(store, { possible, what: "no crash" });
});

test("a crash at any call keeps all acknowledged steps, and the one under way or not", async () => {
  const { calls } = whole;
  expect(calls).toBeGreaterThan(100);
  const step = Math.ceil(calls / cases({ usual: USUAL_CALLS, full: calls }));
  const seed = testSeed();
  let tried = seed % 6;
  for (let call = 1 + (seed % step); call <= calls; call += step) {
    // A crash before a call finds the objects that a crash after the call before it has left: one
    // of both at each call, chosen by the seed.
    const when = tried % 2 === 0 ? "before" : "after";
    const sweeps = tried++ % 3 === 0;
    const store = new MemoryObjectStore();
    const { possible } = await run(store, { call, when });
    const what = `seed ${seed}, crash ${when} call ${call}`;
    await checkRestart(store, { possible, what, sweeps });
  }
}, 900_000);

test("crashes while recovering from crashes change nothing", async () => {
  const random = seededRandom(8);
  const { calls } = whole;
  for (let round = 0; round < cases({ usual: 4, full: 60 }); round++) {
    const when = () => (random.below(2) === 0 ? "before" : "after");
    const point: CrashPoint = { call: 1 + random.below(calls), when: when() };
    const store = new MemoryObjectStore();
    const { possible } = await run(store, point);
    const again: CrashPoint = { call: 1 + random.below(30), when: when() };
    try {
      const faulty = crashing(store, again);
      const engine = await EngineFixture.open({
        store: faulty,
        thresholds: THRESHOLDS,
        indexing: true,
      });
      for (const name of NAMES) await engine.call("query", name, { rank_by: ["id", "asc"] });
    } catch {
      // It crashed again, as it should.
    }
    const what = `seed 8, round ${round}`;
    await checkRestart(store, { possible, what, sweeps: round % 4 === 0 });
  }
});
