/** Does an import that was planned: reads, sends several batches at once, and keeps its place. */

import { EMBEDDED_ROWS_MAX } from "../../model/contract-limits.ts";
import type { OpenedFile } from "../read/opened-file.ts";
import { FILE_START, type SourceColumn } from "../read/source-row.ts";
import type { ImportPlan } from "./import-plan.ts";
import {
  type BatchRow,
  documentBytes,
  type ImportPosition,
  type RowBatch,
  RowBatches,
} from "./row-batches.ts";
import { RowEncoder } from "./row-encoder.ts";
import { type RejectedRow, type SendRows, type SettledBatch, settleBatch } from "./settle-batch.ts";

/** Batches under way at once: one is parsed while another is committed and a third arrives. */
const BATCHES_IN_FLIGHT_MAX = 3;
/** Where so many rows are the first and none is taken, it is not the rows that are wrong. */
const HOPELESS_ROWS = 100;
/** How often the state is saved at most. */
const SAVE_INTERVAL_MS = 1_000;

/** How much was imported, over all runs of this import. */
export interface ImportCounts {
  readonly rows: number;
  readonly rejected: number;
  /** Of documents that were sent. */
  readonly bytes: number;
}

/** An import and what it works with. */
export interface ImportRun {
  readonly plan: ImportPlan;
  readonly files: readonly OpenedFile[];
  /** Where to begin, and what was counted before. */
  readonly position: ImportPosition;
  readonly counts: ImportCounts;
  readonly send: SendRows;
  /** Takes what was rejected, in order, once everything before it is settled. */
  readonly reject: (rejected: readonly RejectedRow[]) => Promise<void>;
  /** Saves the position up to which all batches are settled. */
  readonly save: (position: ImportPosition, counts: ImportCounts) => Promise<void>;
  /** Called for each settled batch, with the position up to which all batches are settled. */
  readonly progress: (counts: ImportCounts, position: ImportPosition) => void;
  /** Rows that may be rejected before the run ends. */
  readonly rejectedMax: number;
  /** Aborted to end the run: what is under way is settled, and saved. */
  readonly stop: AbortSignal;
  readonly clock: { monotonicMs(): number };
  /** Bytes of a batch, where it is not the usual. */
  readonly batchBytes?: number;
}

/** How a run ended. */
export interface ImportEnd {
  /** Rows that are committed, also those behind the position, which the next run repeats. */
  readonly counts: ImportCounts;
  /** Position from which the next run continues. */
  readonly position: ImportPosition;
  readonly reason: "done" | "stopped" | "too_many_rejected" | "failed";
  /** The row that was one too many. */
  readonly last?: RejectedRow;
  /** The error that ended the run. */
  readonly failure?: unknown;
}

/** The first rows go alone, since they declare what the others rely on. */
export async function runImport(run: ImportRun): Promise<ImportEnd> {
  return new Importer(run).run();
}

interface BatchUnderWay {
  readonly batch: RowBatch;
  readonly settled: Promise<SettledBatch>;
}

class Importer {
  readonly #run: ImportRun;
  readonly #underWay: BatchUnderWay[] = [];
  #counts: ImportCounts;
  /** The first batch is saved at once. */
  #savedMs = Number.NEGATIVE_INFINITY;
  #position: ImportPosition;
  #isFirst = true;
  /** Rows that are committed behind the position. */
  #rowsAhead = 0;
  #excess: RejectedRow | undefined;

  constructor(run: ImportRun) {
    this.#run = run;
    this.#counts = run.counts;
    this.#position = run.position;
  }

  async run(): Promise<ImportEnd> {
    let failure: { readonly error: unknown } | undefined;
    try {
      await this.#work();
    } catch (error) {
      failure = { error };
    }
    // After a fault, what was sent behind it is there, and is sent again by the next run.
    for (const { settled } of this.#underWay) this.#rowsAhead += (await settled).accepted;
    await this.#run.save(this.#position, this.#counts);
    const { rows, ...others } = this.#counts;
    const counts = { ...others, rows: rows + this.#rowsAhead };
    const end = { counts, position: this.#position };
    if (failure !== undefined) return { ...end, reason: "failed", failure: failure.error };
    if (this.#excess !== undefined) {
      return { ...end, reason: "too_many_rejected", last: this.#excess };
    }
    return { ...end, reason: this.#run.stop.aborted ? "stopped" : "done" };
  }

  async #work(): Promise<void> {
    const { stop } = this.#run;
    for await (const batch of this.#batches()) {
      this.#send(batch);
      const isFull = this.#underWay.length >= BATCHES_IN_FLIGHT_MAX;
      if (isFull || this.#isFirst) await this.#settleNext();
      this.#isFirst = false;
      if (stop.aborted || this.#excess !== undefined) break;
    }
    while (this.#underWay.length > 0) await this.#settleNext();
  }

  #send(batch: RowBatch): void {
    const { rejectedMax, send } = this.#run;
    this.#underWay.push({ batch, settled: settleBatch(batch.rows, send, rejectedMax) });
  }

  /** Settles the batch that comes first: all before the position is settled. */
  async #settleNext(): Promise<void> {
    const [{ batch, settled }] = this.#underWay;
    const { accepted, rejected, failure } = await settled;
    this.#underWay.shift();
    if (failure !== undefined || this.#excess !== undefined) this.#rowsAhead += accepted;
    if (failure !== undefined) throw failure;
    if (this.#excess !== undefined) return;
    const { rejectedMax } = this.#run;
    const isHopeless =
      this.#counts.rows === 0 && accepted === 0 && rejected.length >= HOPELESS_ROWS;
    const room = isHopeless ? 0 : rejectedMax - this.#counts.rejected;
    if (rejected.length <= room) return this.#count(batch, { accepted, rejected });
    // All rows before the one that is too many are settled; the next run continues with it.
    this.#excess = rejected[room];
    const settledRows = batch.rows.slice(0, batch.rows.indexOf(this.#excess.row));
    const before = { accepted: settledRows.length - room, rejected: rejected.slice(0, room) };
    this.#rowsAhead += accepted - before.accepted;
    const last = settledRows.at(-1);
    if (last === undefined) return;
    const bytes = settledRows.reduce((sum, row) => sum + documentBytes(row), 0);
    return this.#count({ rows: settledRows, bytes, end: last.end }, before);
  }

  /** Moves the position behind rows that are settled. */
  async #count(
    { bytes, end }: RowBatch,
    { accepted, rejected }: Pick<SettledBatch, "accepted" | "rejected">,
  ): Promise<void> {
    const { clock, progress, reject, save } = this.#run;
    if (rejected.length > 0) await reject(rejected);
    this.#counts = {
      rows: this.#counts.rows + accepted,
      rejected: this.#counts.rejected + rejected.length,
      bytes: this.#counts.bytes + bytes,
    };
    this.#position = end;
    progress(this.#counts, end);
    if (clock.monotonicMs() - this.#savedMs < SAVE_INTERVAL_MS) return;
    await save(this.#position, this.#counts);
    this.#savedMs = clock.monotonicMs();
  }

  async *#batches(): AsyncGenerator<RowBatch> {
    const { files, position, plan, stop } = this.#run;
    const rowsMax = plan.embeds ? EMBEDDED_ROWS_MAX : undefined;
    const batches = new RowBatches(this.#run.batchBytes, rowsMax);
    // Over all files; faulty rows count, so that ids do not move when they are mended.
    let rowNumber = position.rowsBefore + position.rows;
    for (let file = position.file; file < files.length; file++) {
      const { name, reader } = files[file];
      const columns = await reader.columns();
      const encoder = new RowEncoder(plan, columns);
      checkIdColumn(plan, { name, columns });
      const rowsBefore = file === position.file ? position.rowsBefore : rowNumber;
      const from = file === position.file ? position : FILE_START;
      for await (const rows of reader.rows(from)) {
        for (const { line, next, content } of rows) {
          rowNumber++;
          const row: BatchRow = {
            file: name,
            line,
            document: encoder.encode(content, rowNumber),
            raw: () => encoder.raw(content),
            end: { ...next, file, rowsBefore },
          };
          const full = batches.add(row);
          if (full !== undefined) yield full;
        }
        // What is left is not for the rows of the next file to be put behind.
        if (stop.aborted) return;
      }
    }
    const rest = batches.rest();
    if (rest !== undefined) yield rest;
  }
}

function checkIdColumn(
  { idSource }: ImportPlan,
  { name, columns }: { name: string; columns: readonly SourceColumn[] | undefined },
): void {
  if (idSource === undefined || columns === undefined) return;
  if (columns.some((column) => column.name === idSource)) return;
  throw new Error(`${name} has no column ${JSON.stringify(idSource)}, from which ids come`);
}
