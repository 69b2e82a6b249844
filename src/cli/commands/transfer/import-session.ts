/** One run of `trawl import`, from its options to its exit code. */

import type { Readable } from "node:stream";
import { countedText, countText, sizeText } from "../../../base/amount-text.ts";
import { durationText } from "../../../base/duration.ts";
import { isClientError } from "../../../client/client-error.ts";
import { formatAttributeType } from "../../../model/attribute-type.ts";
import { attributeTypes, embedsTexts } from "../../../transfer/import/attribute-types.ts";
import { committedBytes } from "../../../transfer/import/committed-bytes.ts";
import {
  RejectsFile,
  readState,
  removeState,
  statePath,
  writeState,
} from "../../../transfer/import/import-files.ts";
import { type ImportPlan, planImport } from "../../../transfer/import/import-plan.ts";
import {
  type ImportedFile,
  type ImportState,
  REJECTS_SETTING,
  stateConflict,
} from "../../../transfer/import/import-state.ts";
import { existingSchema, rowPoster } from "../../../transfer/import/import-target.ts";
import { fingerprintOf, inputFiles } from "../../../transfer/import/input-files.ts";
import { openRows } from "../../../transfer/import/open-rows.ts";
import { PlanFault } from "../../../transfer/import/plan-fault.ts";
import { COMMAND_WORDS } from "../../../transfer/import/plan-words.ts";
import type { ImportPosition } from "../../../transfer/import/row-batches.ts";
import { rowSender } from "../../../transfer/import/row-sender.ts";
import {
  type ImportCounts,
  type ImportEnd,
  runImport,
} from "../../../transfer/import/run-import.ts";
import { sampleFiles } from "../../../transfer/import/sample-files.ts";
import type { RejectedRow } from "../../../transfer/import/settle-batch.ts";
import type { OpenedFile } from "../../../transfer/read/opened-file.ts";
import { FILE_START, FileFault } from "../../../transfer/read/source-row.ts";
import { RecentRate } from "../../output/recent-rate.ts";
import { printable, tableText } from "../../output/table-text.ts";
import type { CommandContext } from "../client-command.ts";
import { EXIT, type ExitCode, UsageError } from "../exit-codes.ts";
import type { ImportOptions } from "./import-options.ts";

/** Where an import begins that nothing is known of. */
const NOTHING: Pick<ImportState, "position" | "rows" | "rejected" | "bytes" | "rejectsBytes"> = {
  position: { ...FILE_START, file: 0, rowsBefore: 0 },
  rows: 0,
  rejected: 0,
  bytes: 0,
  rejectsBytes: 0,
};

/** What a run is about, once it was planned. */
interface PlannedRun {
  readonly files: readonly OpenedFile[];
  readonly plan: ImportPlan;
  readonly isNew: boolean;
  /** What an earlier run has left. */
  readonly before: ImportState | undefined;
  readonly imported: readonly ImportedFile[];
}

/** See the file's head. */
export class ImportSession {
  readonly #context: CommandContext;
  readonly #options: ImportOptions;
  /** Undefined where nothing can be resumed: of standard input. */
  readonly #statePath: string | undefined;
  readonly #names: readonly string[];
  readonly #startedMs: number;

  constructor(context: CommandContext, options: ImportOptions) {
    this.#context = context;
    this.#options = options;
    this.#names = beforeWriting(() => inputFiles(options.files));
    this.#startedMs = context.clock.monotonicMs();
    this.#statePath =
      this.#names[0] === "-"
        ? undefined
        : (options.statePath ?? statePath(this.#names[0], options.namespace));
  }

  async run(): Promise<ExitCode> {
    const planned = await this.#plan();
    this.#showPlan(planned);
    if (this.#options.isDryRun) return EXIT.done;
    const before = planned.before ?? NOTHING;
    if (planned.before !== undefined) {
      this.#context.progress.note(`going on at row ${countText(rowsOf(before.position) + 1)}`);
    }
    const { rejectsPath } = this.#options;
    const rejects =
      rejectsPath === undefined
        ? undefined
        : await RejectsFile.open(rejectsPath, before.rejectsBytes);
    try {
      const end = await this.#import(planned, rejects);
      return await this.#finish(end, planned);
    } finally {
      await rejects?.close();
      // A pipe that is not read to its end would keep the process alive.
      (this.#context.terminal.input as Partial<Readable>).destroy?.();
    }
  }

  async #plan(): Promise<PlannedRun> {
    try {
      return await this.#planned();
    } catch (error) {
      throw usageFault(error);
    }
  }

  async #planned(): Promise<PlannedRun> {
    const { client, signal, terminal } = this.#context;
    const { namespace, format, flattens, renames } = this.#options;
    const files: OpenedFile[] = [];
    /** Attributes that are sparse vectors, whose objects have a meaning. */
    const sparse = new Set(sparseNames(this.#options.schema));
    const flattenBut = (column: string) => sparse.has(renames.get(column) ?? column);
    const options = { format, flattenBut: flattens ? flattenBut : undefined };
    for (const name of this.#names) files.push(await openRows(name, terminal.input, options));
    const imported: ImportedFile[] = [];
    for (const { name, sizeBytes } of files) {
      if (sizeBytes !== undefined) imported.push({ name, fingerprint: await fingerprintOf(name) });
    }
    const before = await this.#readState(imported);
    const schema = await existingSchema(client, namespace, signal);
    const existing = schema && attributeTypes(schema);
    for (const name of sparseNames(schema ?? {})) sparse.add(name);
    if (before !== undefined && existing === undefined) {
      throw new Error(
        `${this.#statePath} says that rows were imported, and there is no namespace ` +
          `${namespace}: --restart imports them again`,
      );
    }
    const sampled = await sampleFiles(files);
    const isResumed = before !== undefined;
    const embeds = schema !== undefined && embedsTexts(schema);
    const plan = planImport(sampled, {
      ...this.#options,
      ...{ existing, embeds, isResumed, words: COMMAND_WORDS },
    });
    return { files, plan, before, imported, isNew: existing === undefined };
  }

  async #readState(files: readonly ImportedFile[]): Promise<ImportState | undefined> {
    const path = this.#statePath;
    if (path === undefined || this.#options.restarts) return undefined;
    const state = await readState(path);
    if (state === undefined) return undefined;
    // Where nothing was imported, there is nothing to go on with.
    if (typeof state !== "string" && rowsOf(state.position) === 0) return undefined;
    const what =
      typeof state === "string"
        ? `${path} ${state}`
        : stateConflict(state, this.#settings(), files);
    if (typeof state !== "string" && what === undefined) return state;
    throw new UsageError(
      `an earlier run of this import did not end, and this one cannot go on there: ${what}. ` +
        "Pass --restart to start again, or another --state to do both",
    );
  }

  /** What must be the same for a run to go on where another was. */
  #settings(): Record<string, string> {
    const { namespace, format, idColumn, vectorColumn, renames, schema, flattens } = this.#options;
    const given = (value: string | undefined) => value ?? "";
    return {
      "--url": this.#context.client.url,
      "--namespace": namespace,
      "--format": given(format),
      "--id": given(idColumn),
      "--vector": given(vectorColumn),
      "--flatten": flattens ? "yes" : "",
      "--map": [...renames].map(([from, to]) => `${from}=${given(to)}`).join(" "),
      "--schema": JSON.stringify(schema),
      [REJECTS_SETTING]: given(this.#options.rejectsPath),
    };
  }

  #showPlan({ plan, files, isNew }: PlannedRun): void {
    const { output } = this.#context;
    const { namespace, isDryRun } = this.#options;
    const id = {
      source: plan.idSource,
      attribute: "id",
      type: plan.idType,
      from: plan.idSource === undefined ? "row numbers" : "",
      notes: plan.idSource === undefined ? ["no id column: name one with --id"] : [...plan.idNotes],
    };
    const columns = plan.columns.map(({ source, attribute, type, origin, notes }) => ({
      source,
      attribute,
      type: type === undefined ? undefined : formatAttributeType(type),
      from: origin as string,
      notes,
    }));
    const all = [id, ...columns];
    if (output.isJson) {
      if (isDryRun)
        output.result({ namespace, new: isNew, columns: all, schema: plan.schema }, () => "");
      return;
    }
    const rows = all.map(({ source, attribute, type, from, notes }) => [
      source ?? "",
      attribute ?? "",
      attribute === undefined ? "" : (type ?? "as the first value"),
      attribute === undefined ? "" : from,
      notes.join("; "),
    ]);
    const titles = ["COLUMN", "ATTRIBUTE", "TYPE", "FROM", "NOTE"].map((title) => ({ title }));
    const into = `${isNew ? "new namespace" : "namespace"} ${namespace}`;
    output.line(`${countedText(files.length, "file")} into ${into}\n${tableText(titles, rows)}`);
  }

  async #import(planned: PlannedRun, rejects: RejectsFile | undefined): Promise<ImportEnd> {
    const { client, clock, signal } = this.#context;
    const { namespace, distanceMetric, rejectedMax } = this.#options;
    const { files, plan, isNew } = planned;
    const before = planned.before ?? NOTHING;
    const counts = { rows: before.rows, rejected: before.rejected, bytes: before.bytes };
    const shown = this.#showProgress(files, before);
    const metric = isNew && plan.hasVectors ? distanceMetric : undefined;
    const saved = { settings: this.#settings(), files: planned.imported };
    try {
      return await runImport({
        plan,
        files,
        position: before.position,
        counts,
        send: rowSender({
          post: rowPoster(client, namespace, signal),
          plan,
          distanceMetric: metric,
          stop: signal,
        }),
        reject: (rejected) => this.#reject(rejected, rejects),
        save: async (position, now) => {
          if (this.#statePath === undefined) return;
          // Without committed rows, a state file has no position to continue from.
          if (rowsOf(position) === 0) return removeState(this.#statePath);
          const rejectsBytes = rejects?.bytes ?? 0;
          await writeState(this.#statePath, { ...saved, position, ...now, rejectsBytes });
        },
        progress: shown.update,
        rejectedMax,
        stop: signal,
        clock,
      });
    } finally {
      shown.end();
    }
  }

  async #reject(rejected: readonly RejectedRow[], rejects: RejectsFile | undefined): Promise<void> {
    if (rejects !== undefined) return rejects.add(rejected);
    const { errIsTerminal, err } = this.#context.terminal;
    // Also with --quiet: what is left out is no progress. A bar comes again by itself.
    for (const row of rejected) err(`${errIsTerminal ? "\n" : ""}${rejectedText(row)}\n`);
  }

  /**
   * Measures progress in bytes of the files, since the number of rows is unknown; bytes of
   * committed rows are done.
   */
  #showProgress(files: readonly OpenedFile[], before: Pick<ImportState, "rows" | "position">) {
    const { clock, progress } = this.#context;
    let { rows } = before;
    const rate = new RecentRate({ ms: clock.monotonicMs(), count: rows });
    const sizes = files.map(({ sizeBytes }) => sizeBytes);
    const total = sizes.includes(undefined)
      ? undefined
      : sizes.reduce<number>((sum, size = 0) => sum + size, 0);
    let done = committedBytes(files, before.position);
    const task = progress.start({
      get label() {
        const perSecond = Math.round(rate.at(clock.monotonicMs()));
        return `${countedText(rows, "row")} ${countText(perSecond)}/s`;
      },
      unit: "byte",
      total,
      done,
    });
    return {
      update: (counts: ImportCounts, position: ImportPosition) => {
        rows = counts.rows;
        rate.note(clock.monotonicMs(), rows);
        const bytes = committedBytes(files, position);
        task.advance(bytes - done);
        done = bytes;
      },
      end: () => task.end(),
    };
  }

  async #finish(end: ImportEnd, planned: PlannedRun): Promise<ExitCode> {
    const { output, clock, terminal, signal } = this.#context;
    const seconds = Math.round(clock.monotonicMs() - this.#startedMs) / 1000;
    const resumedAt = planned.before === undefined ? null : rowsOf(planned.before.position);
    const { counts, reason } = end;
    if (reason === "done" && this.#statePath !== undefined) await removeState(this.#statePath);
    const { rows, rejected, bytes } = counts;
    const error = this.#errorOf(end);
    if (error !== undefined) terminal.err(`trawl import: ${error}\n`);
    const result = { rows, rejected, bytes, seconds, resumed_at: resumedAt };
    output.result(error === undefined ? result : { ...result, status: "error", error }, () => {
      const named = rejected > 0 ? `, ${countText(rejected)} rejected` : "";
      return (
        `${countedText(rows, "row")} imported${named} ` +
        `(${sizeText(bytes)} in ${durationText(seconds * 1000)})`
      );
    });
    if (reason === "stopped" || (reason === "failed" && signal.aborted)) return EXIT.interrupted;
    if (reason !== "done") return EXIT.failed;
    return rejected > 0 ? EXIT.rejected : EXIT.done;
  }

  /** Returns why some rows are not imported, and what to do; undefined if all are. */
  #errorOf(end: ImportEnd): string | undefined {
    switch (end.reason) {
      case "done":
        return undefined;
      case "stopped":
        return `interrupted; ${this.#resumption(end)}`;
      case "too_many_rejected":
        return this.#refusal(end);
      case "failed":
        return `${failureText(end.failure)}\n${this.#resumption(end)}`;
    }
  }

  #refusal({ last, position }: ImportEnd): string {
    const row = last === undefined ? "too many rows were rejected" : rejectedText(last);
    if (this.#options.rejectsPath !== undefined) {
      const why =
        "this is one more than --max-errors allows, or no row of the first batch was accepted";
      return `${row}\n${why}; fix the file or the schema, and pass --restart`;
    }
    const { rejectedMax } = this.#options;
    const leftOut =
      rejectedMax === 0
        ? "leave such rows out by adding --rejects FILE or --max-errors N"
        : `leave more rows out: --max-errors is ${rejectedMax}; --rejects FILE allows any`;
    if (this.#statePath === undefined) return `${row}\nfix it, or ${leftOut}`;
    const done = rowsOf(position);
    const from = done === 0 ? "" : `; the command then continues after row ${countText(done)}`;
    return `${row}\nfix it and pass --restart, or ${leftOut}${from}`;
  }

  /** Describes what the same command does once the cause of the failure is fixed. */
  #resumption({ position, failure }: ImportEnd): string {
    if (rowsOf(position) === 0) return "nothing was imported";
    if (this.#statePath === undefined) {
      return "standard input is read from its start again: documents are replaced, not doubled";
    }
    const from = `the same command continues after row ${countText(rowsOf(position))}`;
    return isClientError(failure, 401, 403) ? `with a key that may write, ${from}` : from;
  }
}

/** Characters of a message: an answer that is no server's may have many. */
const MESSAGE_CHARS_MAX = 2_000;

function failureText(failure: unknown): string {
  const { message } = failure as Error;
  return message.length > MESSAGE_CHARS_MAX ? `${message.slice(0, MESSAGE_CHARS_MAX)}…` : message;
}

/** Rows before a position, over all files. */
function rowsOf({ rowsBefore, rows }: ImportState["position"]): number {
  return rowsBefore + rows;
}

/** Attributes that a schema declares as sparse vectors, as it is answered or given. */
function sparseNames(schema: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(schema).filter((name) => {
    const declared = schema[name] as { readonly type?: unknown } | string | null;
    return (typeof declared === "object" ? declared?.type : declared) === "{}f16";
  });
}

function rejectedText({ row: { file, line }, error }: RejectedRow): string {
  return `${printable(file)}:${line}: ${printable(error)}`;
}

function beforeWriting<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw usageFault(error);
  }
}

/** What is wrong with files before anything was written is wrong usage: nothing was done. */
function usageFault(error: unknown): unknown {
  const isFiles = error instanceof PlanFault || error instanceof FileFault;
  return isFiles ? new UsageError(failureText(error)) : error;
}
