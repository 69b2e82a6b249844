/** The import of the page, in a thread of its own: opens, plans, and runs, as it is told to. */

import type { Random } from "../../../src/base/random.ts";
import { attributeTypes, embedsTexts } from "../../../src/transfer/import/attribute-types.ts";
import { type SampledColumn, sampleColumns } from "../../../src/transfer/import/column-samples.ts";
import { committedBytes } from "../../../src/transfer/import/committed-bytes.ts";
import { rejectedLine } from "../../../src/transfer/import/rejected-line.ts";
import type { ImportPosition } from "../../../src/transfer/import/row-batches.ts";
import { rowSender } from "../../../src/transfer/import/row-sender.ts";
import {
  type ImportCounts,
  type ImportEnd,
  runImport,
} from "../../../src/transfer/import/run-import.ts";
import { sampleFiles } from "../../../src/transfer/import/sample-files.ts";
import type { RejectedRow } from "../../../src/transfer/import/settle-batch.ts";
import type { OpenedFile } from "../../../src/transfer/read/opened-file.ts";
import { FILE_START } from "../../../src/transfer/read/source-row.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { existingSchema } from "./existing-schema.ts";
import { type DraftContext, firstDraft, type ImportDraft, planDraft } from "./import-draft.ts";
import type {
  ImportCommand,
  ImportEvent,
  ImportProgress,
  RejectedRowView,
} from "./import-messages.ts";
import { openChosenFile } from "./open-chosen-file.ts";
import { rowPoster } from "./row-poster.ts";

/** Rejected rows that are shown. */
const SHOWN_REJECTS_MAX = 100;
/** Rejected rows of one import, which are kept in memory until they are saved. */
const REJECTS_MAX = 100_000;
/** UTF-16 units of them. */
const REJECTS_CHARS_MAX = 64 * 1024 * 1024;

/** What the job works with. */
export interface ImportJobOptions {
  /** A client with this key. */
  readonly clientOf: (key: string | undefined) => ApiClient;
  readonly tell: (event: ImportEvent) => void;
  readonly clock: {
    monotonicMs(): number;
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
  };
  readonly random: Random;
}

type StartCommand = Extract<ImportCommand, { kind: "start" }>;
type EndedEvent = Extract<ImportEvent, { kind: "ended" }>;
type PlanCommand = Extract<ImportCommand, { kind: "plan" }>;

interface Opened {
  readonly files: readonly OpenedFile[];
  readonly sampled: ReadonlyMap<string, SampledColumn>;
}

interface RunState {
  readonly namespace: string;
  readonly position: ImportPosition;
  readonly counts: ImportCounts;
}

/** Computes the progress of a run from its settled rows. */
type ProgressOf = (counts: ImportCounts, position: ImportPosition) => ImportProgress;

const NOTHING = {
  position: { ...FILE_START, file: 0, rowsBefore: 0 },
  counts: { rows: 0, rejected: 0, bytes: 0 },
};

/** See the file's head. */
export class ImportJob {
  readonly #options: ImportJobOptions;
  /** The newest files, also while they are being opened: older ones never replace them. */
  #opened: Promise<Opened> = Promise.resolve({ files: [], sampled: new Map() });
  /** Where the last run ended, to be gone on from. */
  #state: RunState | undefined;
  #rejects: string[] = [];
  #rejectsChars = 0;
  #firstRejects: RejectedRowView[] = [];
  #stop = new AbortController();

  constructor(options: ImportJobOptions) {
    this.#options = options;
  }

  /** Does what the page asks for. Tells of failures, and throws none. */
  async handle(command: ImportCommand): Promise<void> {
    switch (command.kind) {
      case "open":
        return this.#failing(command.turn, () => this.#open(command.files, command.turn));
      case "plan":
        return this.#failing(command.turn, () => this.#makePlan(command));
      case "start":
        return this.#start(command);
      case "stop":
        this.#stop.abort();
    }
  }

  async #failing(turn: number, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.tell({ kind: "failed", turn, message: (error as Error).message });
    }
  }

  async #open(files: readonly File[], turn: number): Promise<void> {
    this.#forget();
    const opening = openFiles(files);
    this.#opened = opening;
    const opened = await opening;
    const views = opened.files.map(({ name, format, sizeBytes = 0 }) => {
      return { name, format, sizeBytes };
    });
    this.#options.tell({ kind: "opened", turn, files: views });
  }

  async #makePlan({ turn, draft, namespace, key }: PlanCommand): Promise<void> {
    const { sampled } = await this.#opened;
    const schema =
      namespace === "" ? undefined : await existingSchema(this.#options.clientOf(key), namespace);
    const existing = schema && attributeTypes(schema);
    const embeds = schema !== undefined && embedsTexts(schema);
    const isResumed = this.#state?.namespace === namespace;
    const context: DraftContext = { sampled, existing, embeds, isResumed };
    const planned: ImportDraft = draft ?? firstDraft(context);
    const made = planDraft(planned, context);
    const exists = namespace === "" ? undefined : existing !== undefined;
    this.#options.tell({ kind: "planned", turn, draft: planned, planned: made, exists });
  }

  async #start(command: StartCommand): Promise<void> {
    this.#stop = new AbortController();
    if (!command.goesOn || this.#state?.namespace !== command.namespace) this.#forget();
    const before = this.#state ?? { ...NOTHING, namespace: command.namespace };
    const { files } = await this.#opened;
    const progress = this.#progressFrom(before, files);
    const { namespace } = command;
    try {
      const end = await this.#run(command, before, { files, progress });
      const { reason, counts, position } = end;
      if (reason === "done") this.#state = undefined;
      this.#end({
        reason,
        namespace,
        message: messageOf(end),
        progress: progress(counts, position),
      });
    } catch (error) {
      const { message } = error as Error;
      const { counts, position } = this.#state ?? before;
      this.#end({ reason: "failed", namespace, message, progress: progress(counts, position) });
    }
  }

  #run(
    { namespace, key, plan, distanceMetric }: StartCommand,
    before: RunState,
    {
      files,
      progress,
    }: {
      readonly files: readonly OpenedFile[];
      readonly progress: ProgressOf;
    },
  ): Promise<ImportEnd> {
    const { tell, clock, random, clientOf } = this.#options;
    const stop = this.#stop.signal;
    const post = rowPoster({ client: clientOf(key), namespace, stop, clock, random, tell });
    return runImport({
      plan,
      files,
      position: before.position,
      counts: before.counts,
      send: rowSender({ post, plan, distanceMetric, stop }),
      reject: async (rejected) => this.#reject(rejected),
      save: async (position, counts) => {
        this.#state = { namespace, position, counts };
      },
      progress: (counts, position) =>
        tell({ kind: "progress", progress: progress(counts, position) }),
      rejectedMax: REJECTS_MAX,
      stop,
      clock,
    });
  }

  #progressFrom(before: RunState, files: readonly OpenedFile[]): ProgressOf {
    const { clock } = this.#options;
    const startedMs = clock.monotonicMs();
    const bytesBefore = committedBytes(files, before.position);
    return (counts, position) => ({
      counts,
      bytesDone: committedBytes(files, position),
      bytesBefore,
      bytesTotal: files.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0),
      seconds: (clock.monotonicMs() - startedMs) / 1000,
      rowsBefore: before.counts.rows,
    });
  }

  #reject(rejected: readonly RejectedRow[]): void {
    for (const one of rejected) {
      const line = rejectedLine(one);
      this.#rejectsChars += line.length;
      if (this.#rejectsChars > REJECTS_CHARS_MAX) {
        throw new Error(
          `rejected rows have more than ${REJECTS_CHARS_MAX} characters, and are kept in memory ` +
            "here; `trawl import --rejects` writes them to a file",
        );
      }
      this.#rejects.push(line);
      const { file, line: at } = one.row;
      if (this.#firstRejects.length >= SHOWN_REJECTS_MAX) continue;
      this.#firstRejects = [...this.#firstRejects, { file, line: at, error: one.error }];
    }
    this.#options.tell({ kind: "rejected", first: this.#firstRejects });
  }

  #end(ended: Omit<EndedEvent, "kind" | "rejects">): void {
    const hasRejects = this.#rejects.length > 0;
    const rejects = hasRejects
      ? new Blob(this.#rejects, { type: "application/x-ndjson" })
      : undefined;
    this.#options.tell({ kind: "ended", ...ended, rejects });
  }

  #forget(): void {
    this.#state = undefined;
    this.#rejects = [];
    this.#rejectsChars = 0;
    this.#firstRejects = [];
  }
}

async function openFiles(files: readonly File[]): Promise<Opened> {
  const opened: OpenedFile[] = [];
  for (const file of files) opened.push(await openChosenFile(file));
  return { files: opened, sampled: sampleColumns(await sampleFiles(opened)) };
}

function messageOf(end: ImportEnd): string | undefined {
  if (end.reason === "failed") return (end.failure as Error).message;
  return end.reason === "too_many_rejected" ? refusalOf(end) : undefined;
}

function refusalOf({ counts, last }: ImportEnd): string {
  const row = last === undefined ? "" : `${last.row.file}:${last.row.line}: ${last.error}; `;
  const why =
    counts.rows === 0
      ? "no row of the first batch was taken, so it is not the rows that are wrong"
      : `more than ${REJECTS_MAX} rows were rejected`;
  return `${row}${why}`;
}
