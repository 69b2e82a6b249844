import { expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { ChunkedBytes } from "../../../test/support/transfer/chunked-bytes.ts";
import { seededRandom } from "../../base/random.ts";
import { JsonLinesReader } from "../read/json-lines-reader.ts";
import type { OpenedFile } from "../read/opened-file.ts";
import { FILE_START } from "../read/source-row.ts";
import { committedBytes } from "./committed-bytes.ts";
import type { ImportPlan } from "./import-plan.ts";
import type { ImportPosition } from "./row-batches.ts";
import { type ImportCounts, type ImportRun, runImport } from "./run-import.ts";

const NUMBERED: ImportPlan = {
  idSource: undefined,
  idType: "uint",
  idNotes: [],
  columns: [],
  schema: {},
  hasVectors: false,
  embeds: false,
};

function opened(name: string, text: string, chunkBytes: () => number): OpenedFile {
  const source = new ChunkedBytes(text, { name, chunkBytes });
  const reader = new JsonLinesReader(source);
  return { name, format: "jsonl", reader, sizeBytes: text.length, bytesAt: ({ offset }) => offset };
}

interface Saved {
  position: ImportPosition;
  counts: ImportCounts;
  rejected: number[];
}

const START: Saved = {
  position: { ...FILE_START, file: 0, rowsBefore: 0 },
  counts: { rows: 0, rejected: 0, bytes: 0 },
  rejected: [],
};

/** Documents as the server has them, and an importer that may crash, be stopped, or meet faults. */
class Imported {
  readonly documents = new Map<number, string>();
  saved = START;

  async run(texts: readonly string[], options: Partial<ImportRun> & { seed: number }) {
    const random = seededRandom(options.seed);
    const files = texts.map((text, i) => opened(`f${i}`, text, () => 1 + random.below(900)));
    // Rows that are rejected belong to the position that is saved with them.
    const rejected = [...this.saved.rejected];
    return runImport({
      plan: NUMBERED,
      files,
      position: this.saved.position,
      counts: this.saved.counts,
      send: (rows) => this.send(rows),
      reject: async (some) => void rejected.push(...some.map(({ row }) => row.line)),
      save: async (position, counts) => {
        this.saved = { position, counts, rejected: [...rejected] };
      },
      progress: () => {},
      rejectedMax: Number.POSITIVE_INFINITY,
      stop: new AbortController().signal,
      clock: new InstantClock(),
      batchBytes: 300,
      ...options,
    });
  }

  async send(rows: readonly Uint8Array[]): Promise<string | undefined> {
    const documents = rows.map((row) => JSON.parse(Buffer.from(row).toString()));
    const bad = documents.findIndex(({ v }) => v === "bad");
    if (bad >= 0) return `upsert_rows[${bad}].v: bad`;
    for (const document of documents) this.documents.set(document.id, JSON.stringify(document));
    return undefined;
  }
}

function randomFiles(seed: number) {
  const random = seededRandom(seed);
  let number = 0;
  const files = Array.from({ length: 1 + random.below(3) }, () =>
    Array.from({ length: random.below(60) }, () => {
      number++;
      const kind = random.below(15);
      if (kind === 0) return '{"v":"bad"}';
      return kind === 1 ? '{"v":' : `{"v":${number},"t":"${"x".repeat(random.below(40))}"}`;
    }),
  );
  const lines = files.flat();
  const good = lines.flatMap((line, i) => {
    const isGood = line.endsWith("}") && !line.includes("bad");
    return isGood ? [[i + 1, `{"id":${i + 1},${line.slice(1)}`] as const] : [];
  });
  const bad = files.flatMap((rows) =>
    rows.flatMap((line, i) => (line.endsWith("}") && !line.includes("bad") ? [] : [i + 1])),
  );
  return { texts: files.map((rows) => rows.join("\n")), good: new Map(good), bad };
}

test("runs that fail, crash or are stopped anywhere end with every row once", async () => {
  for (let seed = 1; seed <= 150; seed++) {
    const { texts, good, bad } = randomFiles(seed);
    const random = seededRandom(seed);
    const imported = new Imported();
    for (let tries = 0; ; tries++) {
      if (tries > 200) throw new Error(`seed ${seed}: no end`);
      const kind = tries > 20 ? 3 : random.below(4);
      const stop = new AbortController();
      let left = random.below(5);
      const send = async (rows: readonly Uint8Array[]) => {
        if (kind === 0 && left-- <= 0) throw new Error("unreachable");
        if (kind === 1 && left-- <= 0) stop.abort();
        return imported.send(rows);
      };
      const before = imported.saved;
      const run = imported.run(texts, { seed: seed * 1000 + tries, send, stop: stop.signal });
      const end = await run.catch(() => undefined);
      // The process was killed before it could save.
      if (kind === 2 && random.below(2) === 0) imported.saved = before;
      else if (end?.reason === "done") break;
    }
    expect(imported.documents, `seed ${seed}`).toEqual(good);
    expect(imported.saved.rejected, `seed ${seed}`).toEqual(bad);
    const { rows, rejected } = imported.saved.counts;
    expect([rows, rejected], `seed ${seed}`).toEqual([good.size, bad.length]);
  }
});

test("the first row that is one too many is named, and ends the run", async () => {
  const imported = new Imported();
  const text = '{"v":1}\n{"v":"bad"}\n{"v":2}\n{"v":"bad"}\n';
  const end = await imported.run([text], { seed: 1, rejectedMax: 1 });
  expect(end.reason).toBe("too_many_rejected");
  expect(end.last?.row.line).toBe(4);
  // What was not counted is imported by the next run.
  const next = await imported.run([text], { seed: 2 });
  expect(next).toMatchObject({ reason: "done", counts: { rows: 2, rejected: 2 } });
});

test("the end counts the rows that the server has, and the next run begins there", async () => {
  const imported = new Imported();
  const text = '{"v":1}\n{"v":2}\n{"v":"bad"}\n{"v":3}\n';
  const end = await imported.run([text], { seed: 1, rejectedMax: 0 });
  expect(end).toMatchObject({ reason: "too_many_rejected", counts: { rows: 2, rejected: 0 } });
  expect(imported.documents.size).toBe(2);
  expect([end.position.rows, end.last?.row.line]).toEqual([2, 3]);
  expect(imported.saved).toMatchObject({ position: { rows: 2 }, counts: { rows: 2 } });
});

test("random runs that end early count exactly what the server has", async () => {
  for (let seed = 1; seed <= 150; seed++) {
    const random = seededRandom(seed);
    const { texts } = randomFiles(seed);
    const imported = new Imported();
    let left = random.below(6);
    const taken = new Set<number>();
    const send = async (rows: readonly Uint8Array[]) => {
      // The batches of a run do not end in the order in which they are sent.
      for (let i = random.below(4); i > 0; i--) await new Promise(setImmediate);
      if (left-- <= 0) throw new Error("unreachable");
      const fault = await imported.send(rows);
      if (fault !== undefined) return fault;
      for (const row of rows) taken.add(JSON.parse(Buffer.from(row).toString()).id);
      return undefined;
    };
    const rejectedMax = random.below(4);
    const end = await imported.run(texts, { seed, send, rejectedMax });
    expect(end.counts.rows, `seed ${seed}`).toBe(taken.size);
    expect(end.reason === "failed", `seed ${seed}`).toBe(end.failure !== undefined);
  }
});

test("a failed run returns the reason, and counts the batches behind the failed one", async () => {
  const imported = new Imported();
  const text = Array.from({ length: 100 }, (_, i) => `{"v":${i}}`).join("\n");
  let requests = 0;
  const send = async (rows: readonly Uint8Array[]) => {
    if (++requests === 3) throw new Error("unreachable");
    return imported.send(rows);
  };
  const end = await imported.run([text], { seed: 1, send });
  expect(end).toMatchObject({ reason: "failed", failure: new Error("unreachable") });
  expect(end.counts.rows).toBe(imported.documents.size);
  expect(end.counts.rows).toBeGreaterThan(imported.saved.counts.rows);
});

test("progress is what is committed, and not what is read", async () => {
  const imported = new Imported();
  const rows = Array.from({ length: 100 }, (_, i) => `{"v":${i}}`);
  const text = `${rows.join("\n")}\n`;
  const files = [1, 2].map((i) => opened(`f${i}`, text, () => 1_000_000));
  const seen: number[] = [];
  const progress = (_: ImportCounts, position: ImportPosition) =>
    void seen.push(committedBytes(files, position));
  await imported.run([text, text], { seed: 1, progress });
  // Each file is read at once, and its rows are committed batch by batch.
  expect(seen.length).toBeGreaterThan(4);
  expect(seen.slice(0, -1).every((bytes, i) => bytes > 0 && bytes < seen[i + 1])).toBe(true);
  expect(seen.at(-1)).toBe(2 * text.length);
  const halves = seen.filter((bytes) => bytes <= text.length).length;
  expect(Math.abs(halves - seen.length / 2)).toBeLessThan(2);
});

test("the first batch goes alone, then several are under way", async () => {
  const imported = new Imported();
  const text = Array.from({ length: 100 }, (_, i) => `{"v":${i}}`).join("\n");
  let underWay = 0;
  const seen: number[] = [];
  const send = async (rows: readonly Uint8Array[]) => {
    seen.push(++underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
    return imported.send(rows);
  };
  await imported.run([text], { seed: 1, send });
  expect(seen.slice(0, 2)).toEqual([1, 1]);
  expect(Math.max(...seen)).toBe(3);
});
