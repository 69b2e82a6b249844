import { expect, test } from "vitest";
import type { ImportPlan } from "../../../src/transfer/import/import-plan.ts";
import type { ImportCommand, ImportEvent } from "./import-messages.ts";
import { type ImportListener, ImportThread } from "./import-thread.ts";

const FILES = [new File(["{}"], "a.jsonl")];
const VIEWS = [{ name: "a.jsonl", format: "jsonl", sizeBytes: 2 }];
const A = { namespace: "a", key: undefined };
const B = { namespace: "b", key: undefined };
const TEXT = { columns: { v: { type: "string" } } };

function planOf(name: string, hasVectors = false): ImportPlan {
  const columns = [{ source: name, attribute: name, type: undefined, notes: [] }];
  const schema = { [name]: "string" };
  return { idSource: "id", idType: "uint", columns, schema, hasVectors, embeds: false } as never;
}

/** A thread over workers that only record what they are sent. */
function thread() {
  const commands: ImportCommand[] = [];
  const listeners: ImportListener[] = [];
  let terminated = 0;
  const made = new ImportThread((listener) => {
    listeners.push(listener);
    return { postMessage: (command) => commands.push(command), terminate: () => terminated++ };
  });
  const hear = (event: ImportEvent) => listeners.at(-1)?.onEvent(event);
  return {
    made,
    commands,
    listeners,
    view: () => made.view.peek(),
    terminated: () => terminated,
    /** Answers a command, the last one if none is given. */
    opened: (command = commands.at(-1)) =>
      hear({ kind: "opened", ...turnOf(command), files: VIEWS }),
    planned: (command = commands.at(-1), plan = planOf("v"), exists = false) => {
      const planned = {
        plan,
        fault: undefined,
        columns: [],
        sources: ["id"],
        idColumn: "id",
        idType: "uint",
      };
      hear({ kind: "planned", ...turnOf(command), draft: { columns: {} }, planned, exists });
    },
    hear,
  };
}

function turnOf(command: ImportCommand | undefined): { readonly turn: number } {
  if (command === undefined || !("turn" in command)) throw new Error("it has no turn");
  return { turn: command.turn };
}

test("the worker starts with the first command, and again after an error", () => {
  const { made, commands, listeners, view, terminated } = thread();
  expect(listeners).toHaveLength(0);
  made.open(FILES, A);
  expect(commands).toEqual([{ kind: "open", turn: 1, files: FILES }]);
  expect(view().phase).toBe("opening");
  listeners[0].onError("");
  expect(view()).toMatchObject({ phase: "empty", fault: expect.stringContaining("not be loaded") });
  expect(terminated()).toBe(1);
  made.open(FILES, A);
  expect([listeners.length, commands.length]).toEqual([2, 2]);
  made.close();
  expect(terminated()).toBe(2);
});

test("files are planned once they are open, for the namespace that was named last", () => {
  const { made, commands, opened, planned, view } = thread();
  made.open(FILES, A);
  made.aim(B);
  expect(commands).toHaveLength(1);
  opened();
  expect(commands.at(-1)).toEqual({ kind: "plan", turn: 2, draft: undefined, ...B });
  expect(view()).toMatchObject({ phase: "planning", files: VIEWS });
  planned();
  expect(view()).toMatchObject({ phase: "planned", target: B });
});

test("a namespace that is named before there are files is planned for with them", () => {
  const { made, commands, listeners } = thread();
  made.aim(A);
  expect([commands.length, listeners.length]).toEqual([0, 0]);
  expect(made.view.peek()).toMatchObject({ phase: "empty", target: A });
});

test("another namespace keeps what was corrected meanwhile", () => {
  const { made, commands, opened, planned } = thread();
  made.open(FILES, A);
  opened();
  planned();
  made.correct(TEXT);
  made.aim(B);
  expect(commands.slice(-2)).toMatchObject([
    { kind: "plan", draft: TEXT, ...A },
    { kind: "plan", draft: TEXT, ...B },
  ]);
});

test("events of older commands change nothing", () => {
  const { made, commands, opened, planned, view } = thread();
  made.open(FILES, A);
  made.open(FILES, A);
  opened(commands[0]);
  expect([view().phase, commands.length]).toEqual(["opening", 2]);
  opened(commands[1]);
  made.aim(B);
  const [, , forA, forB] = commands;
  planned(forB, planOf("newest"));
  planned(forA, planOf("before"));
  expect(view().planned?.plan?.schema).toEqual({ newest: "string" });
});

test("a run has the plan that is shown, and starts no sooner", () => {
  const { made, commands, opened, planned, view } = thread();
  const choice = { distanceMetric: "cosine_distance", goesOn: false };
  made.open(FILES, A);
  opened();
  planned();
  made.correct(TEXT);
  made.start(choice);
  expect(commands.at(-1)).toMatchObject({ kind: "plan" });
  const plan = planOf("corrected", true);
  planned(undefined, plan);
  made.start(choice);
  expect(commands.at(-1)).toEqual({ kind: "start", plan, ...A, ...choice });
  expect(view().phase).toBe("running");
});

test("a namespace that exists is not told another distance metric", () => {
  const { made, commands, opened, planned } = thread();
  made.open(FILES, A);
  opened();
  planned(undefined, planOf("v", true), true);
  made.start({ distanceMetric: "cosine_distance", goesOn: false });
  expect(commands.at(-1)).toMatchObject({ kind: "start", distanceMetric: undefined });
});

test("while an import runs, nothing else is opened or planned", () => {
  const { made, commands, opened, planned, hear, view } = thread();
  made.open(FILES, A);
  opened();
  planned();
  made.start({ distanceMetric: "cosine_distance", goesOn: false });
  const running = view();
  made.open(FILES, B);
  made.aim(B);
  made.correct(TEXT);
  made.start({ distanceMetric: "cosine_distance", goesOn: false });
  expect(view()).toBe(running);
  expect(commands.at(-1)).toMatchObject({ kind: "start", ...A });
  made.stop();
  expect(commands.at(-1)).toEqual({ kind: "stop" });
  const progress = {
    counts: { rows: 1, rejected: 0, bytes: 2 },
    bytesDone: 2,
    bytesBefore: 0,
    bytesTotal: 2,
    seconds: 1,
    rowsBefore: 0,
  };
  const { namespace } = A;
  const end = { reason: "stopped", message: undefined, rejects: undefined } as const;
  hear({ kind: "ended", namespace, ...end, progress });
  expect(view()).toMatchObject({ phase: "planned", end: { namespace } });
});
