/** A store that never answers: each request is answered at its bound, and says what is known. */

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { OperationName } from "../../src/api/engine.ts";
import type {
  ListRequest,
  ObjectBody,
  ObjectKey,
  PutCondition,
} from "../../src/storage/object-store.ts";
import {
  CHANGE_SILENCE_MS_MAX,
  CLOSE_MS_MAX,
  TRANSFER_SILENCE_MS_MAX,
} from "../../src/threads/write/silence-bounds.ts";
import { ManualClock } from "../support/clocks/manual-clock.ts";
import { must, takeBackup } from "../support/engine/backup-client.ts";
import { type Answer, EngineFixture } from "../support/engine/engine-fixture.ts";
import { rowsUpTo } from "../support/engine/sharing-server.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";

const QUERY_TIMEOUT_MS = 30_000;
/** A step of the clock: an answer is late by no more. */
const STEP_MS = 5_000;

/** Holds every call while it hangs; what it holds takes effect when it goes on. */
class HangingStore extends MemoryObjectStore {
  #goOn = Promise.resolve();
  release: () => void = () => {};

  hang(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#goOn = promise;
    this.release = resolve;
  }

  override async get(key: ObjectKey) {
    await this.#goOn;
    return super.get(key);
  }

  override async getRange(key: ObjectKey, start: number, end: number) {
    await this.#goOn;
    return super.getRange(key, start, end);
  }

  override async put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
    await this.#goOn;
    return super.put(key, body, condition);
  }

  override async list(request: ListRequest) {
    await this.#goOn;
    return super.list(request);
  }

  override async delete(key: ObjectKey) {
    await this.#goOn;
    return super.delete(key);
  }
}

/** A request whose answer needs the store, in a server that has not opened the namespace yet. */
interface Request {
  readonly namespace?: string;
  readonly body?: unknown;
  readonly bytes?: Uint8Array;
  readonly parameters?: Record<string, string>;
}

interface Bound {
  readonly status: number;
  readonly ms: number;
  readonly says: string;
}

const READ: Bound = { status: 408, ms: QUERY_TIMEOUT_MS, says: "(--query-timeout)" };
const LONG_READ: Bound = { status: 408, ms: TRANSFER_SILENCE_MS_MAX, says: "request was ended" };
const CHANGE: Bound = {
  status: 503,
  ms: CHANGE_SILENCE_MS_MAX,
  says: "the outcome of the request",
};
const TRANSFER: Bound = { ...CHANGE, ms: TRANSFER_SILENCE_MS_MAX };

const IN_N = { namespace: "n" };
const QUERY = { ...IN_N, body: { rank_by: ["id", "asc"], limit: 1 } };

/** Ends what was begun before the store hangs. */
async function begunRestore(engine: EngineFixture, putsAll = false) {
  const { point, objects } = await takeBackup(engine, "n");
  const listed = objects.map(({ key, bytes }) => {
    return { key, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  });
  const body = { ...point, as: "m", objects: listed };
  const { id } = await must(engine, "begin_restore", { body });
  const put = (number: number) => {
    return { bytes: objects[number].bytes, parameters: { id, number: String(number) } };
  };
  if (putsAll) {
    for (const number of objects.keys()) await send(engine, "put_restore", put(number));
  }
  return { body, id, put };
}

type Case = readonly [Bound, Request | ((engine: EngineFixture) => Promise<Request>)];

/** By operation, so that a new one is an error of the compiler here; undefined: without the store. */
const CASES: Readonly<Record<OperationName, Case | undefined>> = {
  query: [READ, QUERY],
  explain: [READ, QUERY],
  recall: [READ, { ...IN_N, body: {} }],
  export_documents: [READ, IN_N],
  poll_operation: undefined,
  list_namespaces: [READ, {}],
  get_metadata: [READ, IN_N],
  get_schema: [READ, IN_N],
  describe_namespace: [READ, IN_N],
  warm_cache_hint: [READ, IN_N],
  warm_cache: [LONG_READ, IN_N],
  purge_cache: [READ, IN_N],
  write: [CHANGE, { ...IN_N, body: { upsert_rows: [{ id: 100 }] } }],
  start_copy: [TRANSFER, { namespace: "copy", body: { copy_from_namespace: "n" } }],
  import: [CHANGE, { ...IN_N, body: { id: 100 } }],
  delete_namespace: [CHANGE, IN_N],
  update_metadata: [CHANGE, { ...IN_N, body: { pinning: null } }],
  update_schema: [CHANGE, { ...IN_N, body: { further: "int" } }],
  create_checkpoint: [CHANGE, { ...IN_N, body: { name: "c" } }],
  list_checkpoints: [READ, IN_N],
  delete_checkpoint: [CHANGE, { ...IN_N, parameters: { checkpoint: "kept" } }],
  restore_checkpoint: [
    TRANSFER,
    { ...IN_N, body: { as: "back" }, parameters: { checkpoint: "kept" } },
  ],
  begin_backup: [CHANGE, { body: { namespace: "n" } }],
  read_backup: [
    LONG_READ,
    async (engine) => {
      const { id } = await must(engine, "begin_backup", { body: IN_N });
      return { parameters: { id, number: "0" } };
    },
  ],
  end_backup: [
    CHANGE,
    async (engine) => {
      const { id } = await must(engine, "begin_backup", { body: IN_N });
      return { parameters: { id } };
    },
  ],
  begin_restore: [
    CHANGE,
    async (engine) => {
      const { body, id } = await begunRestore(engine);
      await must(engine, "end_restore", { parameters: { id } });
      return { body };
    },
  ],
  look_restore: [
    READ,
    async (engine) => {
      const { id, body } = await begunRestore(engine);
      const number = body.objects.findIndex(({ key }) => key.includes("/segments/"));
      return { parameters: { id, number: String(number) } };
    },
  ],
  put_restore: [TRANSFER, async (engine) => (await begunRestore(engine)).put(0)],
  finish_restore: [
    TRANSFER,
    async (engine) => {
      const { id } = await begunRestore(engine, true);
      return { parameters: { id } };
    },
  ],
  end_restore: [
    CHANGE,
    async (engine) => {
      const { id } = await begunRestore(engine, true);
      return { parameters: { id } };
    },
  ],
};

/** A store with the namespace `n`, of which all but a log entry is indexed. */
async function filledStore(): Promise<HangingStore> {
  const store = new HangingStore();
  const engine = await EngineFixture.open({ store });
  await engine.write("n", { upsert_rows: rowsUpTo(20) });
  await engine.indexAll();
  await engine.write("n", { upsert_rows: [{ id: 50 }] });
  await engine.call("create_checkpoint", "n", { name: "kept" });
  await engine.close();
  return store;
}

function send(
  engine: EngineFixture,
  operation: OperationName,
  { namespace, body, bytes, parameters = {} }: Request,
): Promise<Answer> {
  const raw = bytes && { body: pieces(bytes) };
  return engine.call(operation, namespace, body, { parameters, ...raw });
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield Uint8Array.from(bytes);
}

/** Moves the clock until the answer is there; how long that took. */
async function waited(clock: ManualClock, answering: Promise<Answer>): Promise<[Answer, number]> {
  let answer: Answer | undefined;
  void answering.then((found) => {
    answer = found;
  });
  const startMs = clock.monotonicMs();
  while (clock.monotonicMs() - startMs <= 2 * TRANSFER_SILENCE_MS_MAX) {
    await clock.advance(STEP_MS);
    clock.tick();
    await clock.advance(0);
    if (answer !== undefined) return [answer, clock.monotonicMs() - startMs];
  }
  throw new Error("there is no answer");
}

const WITH_STORE = Object.entries(CASES).filter(([, found]) => found !== undefined);

test.each(WITH_STORE as unknown as [OperationName, Case][])(
  "%s is answered at its bound",
  async (operation, [bound, given]) => {
    const store = await filledStore();
    const clock = new ManualClock();
    const engine = await EngineFixture.open({ store, clock, queryTimeoutMs: QUERY_TIMEOUT_MS });
    const request = typeof given === "function" ? await given(engine) : given;
    store.hang();
    const [answer, ms] = await waited(clock, send(engine, operation, request));
    expect([answer.status, answer.json]).toEqual([
      bound.status,
      { status: "error", error: expect.stringContaining(bound.says) },
    ]);
    expect(ms).toBeGreaterThanOrEqual(bound.ms);
    expect(ms).toBeLessThanOrEqual(bound.ms + STEP_MS);
    store.release();
    await clock.advance(STEP_MS);
    await engine.catalog.settle();
    await engine.close();
  },
);

test("a write that was answered at its bound is there when its entry was in flight", async () => {
  const store = await filledStore();
  const clock = new ManualClock();
  const engine = await EngineFixture.open({ store, clock });
  expect(await engine.rows("n")).toHaveLength(21);
  store.hang();
  const writing = engine.call("write", "n", { upsert_rows: [{ id: 100 }] });
  const [{ status, json }] = await waited(clock, writing);
  expect(status).toBe(503);
  expect(json.error).toContain("may have taken effect");
  store.release();
  await clock.advance(0);
  await engine.catalog.settle();
  expect((await engine.rows("n"))?.map(({ id }) => id)).toContain(100);
  await engine.close();
});

test("a stop ends at its bound, and what was acknowledged is there afterwards", async () => {
  const store = await filledStore();
  const clock = new ManualClock();
  const engine = await EngineFixture.open({ store, clock });
  expect(await engine.rows("n")).toHaveLength(21);
  store.hang();
  void engine.call("write", "n", { upsert_rows: [{ id: 100 }] });
  await clock.advance(0);
  const failure = expect(engine.close()).rejects.toMatchObject({ code: "unavailable" });
  for (let ms = 0; ms <= CLOSE_MS_MAX; ms += STEP_MS) {
    await clock.advance(STEP_MS);
    clock.tick();
  }
  await failure;
  store.release();
  await clock.advance(0);
  const next = await EngineFixture.open({ store });
  expect((await next.rows("n"))?.slice(0, 21)).toHaveLength(21);
  await next.close();
});
