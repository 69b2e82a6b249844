/** The page's import, without a page: the same rows as `trawl import`, its waits, ends and faults. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { ApiClient } from "../../console/api/api-client.ts";
import { ImportJob } from "../../console/screens/import/import-job.ts";
import type { ImportEvent } from "../../console/screens/import/import-messages.ts";
import { seededRandom } from "../../src/base/random.ts";
import { planImport } from "../../src/transfer/import/import-plan.ts";
import { openRows } from "../../src/transfer/import/open-rows.ts";
import { COMMAND_WORDS } from "../../src/transfer/import/plan-words.ts";
import { rejectedLine } from "../../src/transfer/import/rejected-line.ts";
import { rowSender } from "../../src/transfer/import/row-sender.ts";
import { runImport } from "../../src/transfer/import/run-import.ts";
import { sampleFiles } from "../../src/transfer/import/sample-files.ts";
import { FILE_START } from "../../src/transfer/read/source-row.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { EVERY_TYPE_FILES } from "../support/transfer/every-type-files.ts";

const directory = mkdtempSync(join(tmpdir(), "trawl-import-job-"));
afterAll(() => rmSync(directory, { recursive: true }));

const NONE = (async function* () {})();

/** A server that has no namespace, and answers writes as it is told. */
function job(answer: (body: string, count: number) => Response = () => Response.json({})) {
  const bodies: string[] = [];
  const events: ImportEvent[] = [];
  const waits: number[] = [];
  const clock = new InstantClock();
  const client = new ApiClient({
    baseUrl: "",
    key: undefined,
    fetch: async (url, { body }) => {
      if (url.endsWith("/metadata")) return Response.json({ error: "none" }, { status: 404 });
      const text = await (body as Blob).text();
      const answered = answer(text, bodies.length);
      if (answered.ok) bodies.push(text);
      return answered;
    },
  });
  const made = new ImportJob({
    clientOf: () => client,
    tell: (event) => void events.push(event),
    clock: {
      monotonicMs: () => clock.monotonicMs(),
      sleep: async (ms) => void waits.push(ms),
    },
    random: seededRandom(1),
  });
  const target = { namespace: "a", key: undefined };
  const run = async (files: readonly File[]) => {
    await made.handle({ kind: "open", turn: 1, files });
    await made.handle({ kind: "plan", turn: 2, draft: undefined, ...target });
    await start(false);
  };
  const start = (goesOn: boolean) => {
    const planned = events.findLast((event) => event.kind === "planned");
    const plan = planned?.planned.plan;
    if (plan === undefined) throw new Error(JSON.stringify(events));
    const distanceMetric = plan.hasVectors ? "cosine_distance" : undefined;
    return made.handle({ kind: "start", plan, ...target, distanceMetric, goesOn });
  };
  const end = () => events.findLast((event) => event.kind === "ended");
  return { job: made, run, start, bodies, events, waits, end };
}

/** What `trawl import` sends of the same file, and rejects. */
async function byCommand(path: string): Promise<{ sent: string[]; rejects: string }> {
  const files = [await openRows(path, NONE)];
  const plan = planImport(await sampleFiles(files), {
    // What the page leaves out by itself.
    renames: new Map(/\.json/.test(path) ? [["nested", undefined]] : []),
    schema: {},
    existing: undefined,
    isResumed: false,
    words: COMMAND_WORDS,
  });
  const sent: string[] = [];
  const rejects: string[] = [];
  const { signal: stop } = new AbortController();
  const post = async (body: Uint8Array) => void sent.push(Buffer.from(body).toString());
  await runImport({
    plan,
    files,
    position: { ...FILE_START, file: 0, rowsBefore: 0 },
    counts: { rows: 0, rejected: 0, bytes: 0 },
    send: rowSender({
      post,
      plan,
      distanceMetric: plan.hasVectors ? "cosine_distance" : undefined,
      stop,
    }),
    reject: async (rejected) => void rejects.push(...rejected.map(rejectedLine)),
    save: async () => {},
    progress: () => {},
    rejectedMax: Number.POSITIVE_INFINITY,
    stop,
    clock: new InstantClock(),
  });
  return { sent, rejects: rejects.join("") };
}

test.each(Object.keys(EVERY_TYPE_FILES))("%s gives the same rows as trawl import", async (name) => {
  const bytes = EVERY_TYPE_FILES[name]();
  const path = join(directory, name);
  writeFileSync(path, bytes);
  const command = await byCommand(path);
  expect(command.sent.join()).toMatch(/"upsert_rows":\[\{.*\},\{.*\},\{/);
  const page = job();
  await page.run([new File([new Uint8Array(bytes)], name)]);
  // As texts, since numbers of 64 bits would be equal to others when they are parsed.
  expect(page.bodies).toEqual(command.sent);
  const { reason, rejects } = page.end() ?? {};
  expect(reason).toBe("done");
  const rejected = ((await rejects?.text()) ?? "").replaceAll(`"file":"${name}"`, "");
  expect(rejected).toBe(command.rejects.replaceAll(`"file":"${path}"`, ""));
});

const lines = (count: number, from = 1) =>
  Array.from({ length: count }, (_, i) => `{"id":${from + i},"v":${i}}`).join("\n");

test("what the server asks to wait is waited, and told", async () => {
  let refusals = 3;
  const page = job(() =>
    refusals-- > 0
      ? Response.json(
          { status: "error", error: "too much at once" },
          { status: 429, headers: { "retry-after-ms": "400" } },
        )
      : Response.json({}),
  );
  await page.run([new File([lines(5)], "a.jsonl")]);
  expect(page.bodies).toHaveLength(1);
  expect(page.waits).toHaveLength(3);
  for (const ms of page.waits) expect(ms).toBeGreaterThanOrEqual(400);
  const told = page.events.filter(({ kind }) => kind === "waiting");
  expect(told[0]).toMatchObject({ message: "too much at once" });
  expect(page.end()).toMatchObject({ reason: "done", progress: { counts: { rows: 5 } } });
});

test("a server that is gone ends the run, which goes on where it was", async () => {
  let isGone = false;
  const page = job((_, count) => {
    if (count >= 2 && !isGone) {
      isGone = true;
      return Response.json({ error: "the disk is full" }, { status: 500 });
    }
    return Response.json({});
  });
  const text = `${"x".repeat(500)}`;
  const rows = Array.from({ length: 25_000 }, (_, i) => `{"id":${i},"t":"${text}"}`);
  await page.run([new File([rows.join("\n")], "a.jsonl")]);
  const failed = page.end();
  expect(failed).toMatchObject({ reason: "failed", message: "the disk is full" });
  const done = failed?.progress.counts.rows ?? 0;
  expect(done).toBeGreaterThan(0);
  await page.start(true);
  expect(page.end()).toMatchObject({ reason: "done", progress: { counts: { rows: 25_000 } } });
  const ids = page.bodies.flatMap((body) =>
    (JSON.parse(body) as { upsert_rows: { id: number }[] }).upsert_rows.map(({ id }) => id),
  );
  expect(new Set(ids).size).toBe(25_000);
  // The first batches are not sent again.
  expect(ids.filter((id) => id === 0)).toHaveLength(1);
});

test("rows that the server does not take are listed, and all of them kept", async () => {
  const page = job((body) => {
    const { upsert_rows: rows } = JSON.parse(body) as { upsert_rows: { v: number }[] };
    const bad = rows.findIndex(({ v }) => v % 2 === 1);
    if (bad < 0) return Response.json({});
    const error = `💔 upsert_rows[${bad}].v: odd`;
    return Response.json({ status: "error", error }, { status: 400 });
  });
  await page.run([new File([lines(300), "\n{broken\n"], "a.jsonl")]);
  const end = page.end();
  expect(end?.progress.counts).toMatchObject({ rows: 150, rejected: 151 });
  const rejected = page.events.findLast((event) => event.kind === "rejected");
  expect(rejected?.first).toHaveLength(100);
  expect(rejected?.first[0]).toEqual({ file: "a.jsonl", line: 2, error: "💔 v: odd" });
  const all = ((await end?.rejects?.text()) ?? "").trim().split("\n");
  expect(all).toHaveLength(151);
  expect(JSON.parse(all[0])).toEqual({
    file: "a.jsonl",
    line: 2,
    error: "💔 v: odd",
    row: { id: 2, v: 1 },
  });
  expect(JSON.parse(all[150])).toMatchObject({ line: 301, row: "{broken" });
});

test("a run that is stopped settles what is under way, and goes on", async () => {
  const page = job();
  const rows = Array.from({ length: 30_000 }, (_, i) => `{"id":${i},"t":"${"x".repeat(500)}"}`);
  const stopped = new Promise<void>((resolve) => {
    const tell = page.events.push.bind(page.events);
    page.events.push = (event) => {
      if (event.kind === "progress") void page.job.handle({ kind: "stop" });
      if (event.kind === "ended") resolve();
      return tell(event);
    };
  });
  await page.run([new File([rows.join("\n")], "a.jsonl")]);
  await stopped;
  expect(page.end()?.reason).toBe("stopped");
  const { rows: done } = page.end()?.progress.counts ?? { rows: 0 };
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(30_000);
});

/** A file whose bytes can be read once `opened` has resolved. */
class SlowFile extends File {
  readonly opened = Promise.withResolvers<void>();

  override slice(start?: number, end?: number): Blob {
    const slice = super.slice(start, end);
    const read = () => slice.arrayBuffer();
    return Object.assign(slice.slice(), { arrayBuffer: () => this.opened.promise.then(read) });
  }
}

test("files that were chosen before never replace the newest ones", async () => {
  const page = job();
  const slow = new SlowFile(['{"id":1,"before":1}'], "before.jsonl");
  const before = page.job.handle({ kind: "open", turn: 1, files: [slow] });
  await page.run([new File(['{"id":1,"newest":1}'], "newest.jsonl")]);
  slow.opened.resolve();
  await before;
  await page.start(false);
  const body = '{"schema":{"newest":{"type":"int"}},"upsert_rows":[{"id":1,"newest":1}]}';
  expect(page.bodies).toEqual([body, body]);
});

test("a plan that is asked for while files are opened is the plan of these files", async () => {
  const page = job();
  const target = { namespace: "a", key: undefined };
  const slow = new SlowFile(['{"id":1,"newest":1}'], "newest.jsonl");
  const opening = page.job.handle({ kind: "open", turn: 1, files: [slow] });
  const planning = page.job.handle({ kind: "plan", turn: 2, draft: undefined, ...target });
  slow.opened.resolve();
  await Promise.all([opening, planning]);
  await page.start(false);
  expect(page.bodies).toEqual([expect.stringContaining('"newest":1')]);
});

test.each([
  ["a.bin", Buffer.from("nothing known"), "a.bin: neither its name nor its first bytes tell"],
  [
    "a.parquet",
    Buffer.from("PAR1 and no more"),
    "a.parquet is damaged or cut off: its footer cannot be read",
  ],
  ["a.jsonl.zst", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), "a.jsonl.zst is no whole zstd file"],
  ["a.csv.zst", zstdCompressSync("id,v\n1,2\n").subarray(0, 15), "a.csv.zst is no whole zstd file"],
  ["a.arrow", Buffer.from("ARROW1\0\0"), "a.arrow is cut off"],
  ["a.arrows", Buffer.from("no stream at all"), "a.arrows is no Arrow IPC of version 0.15"],
  ["a.csv.gz", gzipSync("id,v\n1,2\n").subarray(0, 15), "a.csv.gz is no whole gzip file"],
  ["a.csv", Buffer.from("id,v\n1,\xe9\n", "latin1"), "a.csv is not UTF-8"],
  ["a.csv", Buffer.from("a,a\n1,2\n"), 'a.csv:1: columns 1 and 2 are both named "a"'],
])("%s that cannot be read is refused with the reason", async (name, bytes, message) => {
  const page = job();
  await page.job.handle({ kind: "open", turn: 1, files: [new File([bytes], name)] });
  expect(page.events).toEqual([
    { kind: "failed", turn: 1, message: expect.stringContaining(message) },
  ]);
});
