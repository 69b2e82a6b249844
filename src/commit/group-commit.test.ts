/** The outcomes of one group commit, over a log and a namespace that are scripted. */

import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/clocks/manual-clock.ts";
import { DatabaseError } from "../base/errors.ts";
import { sequenceNumber } from "../base/ids.ts";
import { oneStep } from "../base/steps.ts";
import { EMPTY_SCHEMA } from "../model/schema.ts";
import { NO_FACTS } from "../namespace/namespace-facts.ts";
import { SegmentMissing } from "../segment/format/segment-missing.ts";
import type { CommitJob } from "./commit-job.ts";
import { GroupCommit } from "./group-commit.ts";
import { JobQueue } from "./job-queue.ts";
import type { LogAppend } from "./opened/namespace-log.ts";
import {
  type NamespaceOptions,
  NamespaceRetired,
  type OpenedNamespace,
} from "./opened/namespace-options.ts";

interface Script {
  /** Thrown where the entry of another server is applied. */
  readonly otherFails?: Error;
  readonly isDeleted?: boolean;
  readonly isExclusive?: boolean;
  /** Outcome of the append; an error is thrown. Absent: it is written. */
  readonly append?: LogAppend | Error;
  /** Thrown where bytes of stored segments are loaded. */
  readonly loadFails?: Error;
  /** A newer manifest waits to be taken over. */
  readonly hasNewer?: boolean;
  /** Thrown where the segments of a member are built. */
  readonly prepareFails?: Error;
  /** Thrown where the entry is applied. */
  readonly applyFails?: Error;
  readonly isRetired?: boolean;
  /** The end of the log that `verify` finds; "retired" if it cannot. */
  readonly verified?: number | "retired";
  readonly lostInARow?: number;
}

const SEQUENCE = sequenceNumber(4);
const WRITTEN = { kind: "written", entry: { sequence: 5, timeMs: 0 } } as LogAppend;
const ERROR = new DatabaseError("unavailable", "the store does not answer");

function committing(script: Script) {
  const events: string[] = [];
  const note = (event: string) => void events.push(event);
  const clock = new ManualClock();
  const queue = new JobQueue();
  const facts = { ...NO_FACTS, sequence: SEQUENCE };
  const documents = {
    stored: [],
    segments: [],
    deletionsOf: () => oneStep(() => []),
    prepare: () =>
      oneStep(() => {
        if (script.prepareFails !== undefined) throw script.prepareFails;
        return "segments";
      }),
    discard: (prepared: unknown) => prepared !== undefined && note(`discard ${prepared}`),
  };
  const options = {
    isExclusive: script.isExclusive ?? false,
    clock,
    storeFor: () => undefined,
    yield: async () => {},
    reads: {
      runInSteps: async (make: () => unknown, take: (steps: unknown) => unknown) => {
        if (script.loadFails !== undefined) throw script.loadFails;
        return take(make());
      },
    },
  } as unknown as NamespaceOptions;
  const opened = { documents, generation: { name: "n", generation: 1 } };
  const commit = new GroupCommit(options, opened as unknown as OpenedNamespace, {
    queue,
    log: {
      append: async () => {
        note("append");
        const { append = WRITTEN } = script;
        if (append instanceof Error) throw append;
        return append;
      },
      mayBeCollected: async () => false,
      isDeleted: async () => script.isDeleted ?? false,
    },
    manifests: { isReady: script.hasNewer ?? false },
    follower: { readOn: async () => ({ kind: "lost", reason: "deleted" }) },
    races: {
      lostInARow: script.lostInARow ?? 1,
      overdueMs: undefined,
      noteBegin: () => {},
      noteEntry: () => {},
      noteIdle: () => {},
      noteLoss: () => note("loss"),
      noteWin: () => note("win"),
      refuse: () => {},
    },
    applier: { facts, lackingAfter: async () => undefined },
    indexes: { state: () => ({}) as never },
    slicing: { clock, flow: "n", yield: async () => {} },
    namespace: {
      isRetired: () => script.isRetired === true && events.length > 0,
      apply: async ({ entry }) => {
        if (script.applyFails !== undefined) throw script.applyFails;
        note(`apply ${entry.sequence}`);
      },
      applyOthers: async () => {
        note("apply other");
        if (script.otherFails !== undefined) throw script.otherFails;
        return true;
      },
      retire: (reason) => note(`retire ${reason}`),
      verify: async () => {
        note("verify");
        const { verified = SEQUENCE } = script;
        return verified === "retired" ? undefined : sequenceNumber(verified);
      },
      findManifest: async () => {},
    },
  });
  const submit = (job: Partial<CommitJob<string>> & { isIdle?: boolean } = {}) => {
    const { isIdle = false, ...rest } = job;
    const schema = EMPTY_SCHEMA;
    const bound = {
      conflictsWith: () => oneStep(() => false),
      resolve: () =>
        oneStep(() => {
          note("resolve");
          const batch = isIdle ? [] : [{ kind: "schema", schema } as const];
          return { batch, result: () => "done" };
        }),
    };
    const whole = { bytes: 1, alone: false, bind: () => oneStep(() => bound), ...rest };
    queue.add(whole, 0).then(
      (result) => note(result),
      (error: unknown) => note(error instanceof NamespaceRetired ? "again" : String(error)),
    );
  };
  /** One turn, and the work after it. */
  const run = async () => {
    const rest = await commit.run();
    await rest?.();
    await Promise.resolve();
    return events.splice(0);
  };
  return { queue, submit, run };
}

test("jobs are told after their one entry was appended and applied", async () => {
  const { submit, run, queue } = committing({});
  for (let job = 0; job < 3; job++) submit();
  const resolved = ["resolve", "resolve", "resolve"];
  const done = ["done", "done", "done"];
  expect(await run()).toEqual([...resolved, "append", "win", "apply 5", ...done]);
  expect(queue.isEmpty).toBe(true);
  expect(await run()).toEqual([]);
});

test("jobs of a lost race wait again behind the entry that won", async () => {
  const conflict = { kind: "conflict", read: {} } as LogAppend;
  const { submit, run, queue } = committing({ append: conflict });
  submit();
  expect(await run()).toEqual(["resolve", "append", "discard segments", "loss", "apply other"]);
  expect(queue.isEmpty).toBe(false);
});

test.each([
  [false, "retire damaged"],
  [true, "retire deleted"],
])("an entry that cannot be read, of a deleted generation: %s", async (isDeleted, expected) => {
  const otherFails = new DatabaseError("corrupt", "a segment is gone");
  const append = { kind: "conflict", read: {} } as LogAppend;
  const { submit, run, queue } = committing({ append, otherFails, isDeleted });
  submit();
  expect(await run()).toContain(expected);
  expect(queue.isEmpty).toBe(false);
});

test("a second loss in a row has the log read to its end", async () => {
  const conflict = { kind: "conflict", read: {} } as LogAppend;
  const { submit, run } = committing({ append: conflict, lostInARow: 2 });
  submit();
  expect((await run()).slice(-2)).toEqual(["apply other", "retire deleted"]);
});

test.each<[string, Script, string[]]>([
  [
    "an open outcome fails its jobs and keeps the instance",
    { append: { kind: "open", error: ERROR } },
    [],
  ],
  [
    "a lost log retires the instance",
    { append: { kind: "lost", loss: "collected", error: ERROR } },
    ["retire collected"],
  ],
  ["an append that throws leaves an uncertain instance", { append: ERROR }, ["retire uncertain"]],
])("%s", async (_, script, retired) => {
  const { submit, run, queue } = committing(script);
  submit();
  const events = await run();
  expect(events.slice(0, 3)).toEqual(["resolve", "append", "discard segments"]);
  expect(events.slice(3).sort()).toEqual([String(ERROR), ...retired].sort());
  expect(queue.isEmpty).toBe(true);
});

test("an open outcome of a job that goes alone retires the instance", async () => {
  const { submit, run } = committing({ append: { kind: "open", error: ERROR } });
  submit({ alone: true });
  expect(await run()).toContain("retire uncertain");
});

test("a damaged entry retires the instance as damaged", async () => {
  const { submit, run } = committing({ append: new DatabaseError("corrupt", "checksum") });
  submit();
  expect(await run()).toContain("retire damaged");
});

test("an entry that is durable and cannot be applied never counts as refused", async () => {
  const { submit, run } = committing({ applyFails: new DatabaseError("out_of_memory", "full") });
  submit();
  const events = await run();
  expect(events).toContain("retire uncertain");
  expect(events.at(-1)).toMatch(/full/);
});

test("without memory for its segments a job fails alone, and the others wait again", async () => {
  const { submit, run, queue } = committing({ prepareFails: ERROR });
  submit();
  submit();
  expect(await run()).toEqual(["resolve", "resolve", String(ERROR)]);
  expect(queue.take()).toBeDefined();
  expect(queue.isEmpty).toBe(true);
});

test("an instance that was retired meanwhile appends nothing where others may write", async () => {
  const shared = committing({ isRetired: true });
  shared.submit();
  expect(await shared.run()).toEqual(["resolve", "discard segments", "again"]);
  const exclusive = committing({ isRetired: true, isExclusive: true });
  exclusive.submit();
  expect(await exclusive.run()).toEqual(["resolve", "append", "win", "apply 5", "done"]);
});

test.each<[Script, string[]]>([
  [{}, ["resolve", "verify", "done"]],
  [{ verified: 5 }, ["resolve", "verify", "loss"]],
  [{ verified: "retired" }, ["resolve", "verify", "again"]],
  [{ isExclusive: true }, ["resolve", "done"]],
])("a job that changes nothing stands on the newest state: %j", async (script, events) => {
  const { submit, run, queue } = committing(script);
  submit({ isIdle: true });
  expect(await run()).toEqual(events);
  expect(queue.isEmpty).toBe(events.at(-1) !== "loss");
});

test("a refused job is told what it was refused with, and the others are committed", async () => {
  const { submit, run, queue } = committing({});
  const refusal = new DatabaseError("invalid", "no such attribute");
  const bind = () =>
    oneStep(() => {
      throw refusal;
    });
  submit({ bind });
  submit();
  const events = await run();
  expect(events.slice(0, 4)).toEqual(["resolve", "append", "win", "apply 5"]);
  expect(events.slice(4).sort()).toEqual([String(refusal), "done"].sort());
  expect(queue.isEmpty).toBe(true);
});

test("bytes that cannot be loaded fail the first job alone", async () => {
  const { submit, run, queue } = committing({ loadFails: ERROR });
  submit();
  submit();
  expect(await run()).toEqual([String(ERROR)]);
  expect(queue.take()).toBeDefined();
  expect(queue.isEmpty).toBe(true);
});

test("a lost segment fails no job where a newer manifest may do without it", async () => {
  const { submit, run, queue } = committing({
    loadFails: new SegmentMissing("gone"),
    hasNewer: true,
  });
  submit();
  expect(await run()).toEqual([]);
  expect(queue.isEmpty).toBe(false);
});
