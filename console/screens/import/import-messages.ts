/** What the page and the thread that imports say to each other. */

import type { ImportPlan } from "../../../src/transfer/import/import-plan.ts";
import type { ImportCounts } from "../../../src/transfer/import/run-import.ts";
import type { ImportDraft, PlannedImport } from "./import-draft.ts";

/** Where rows are to go. */
export interface PlanTarget {
  /** Empty: it is not named yet. */
  readonly namespace: string;
  readonly key: string | undefined;
}

/** What the page asks for; `turn` comes back with the answer, since newer ones may be under way. */
export type ImportCommand =
  /** Opens files, and infers types from their beginnings. */
  | { readonly kind: "open"; readonly turn: number; readonly files: readonly File[] }
  /** Plans the import of the files that were opened last; an undefined draft is the first one. */
  | (PlanTarget & {
      readonly kind: "plan";
      readonly turn: number;
      readonly draft: ImportDraft | undefined;
    })
  /** Imports the files that were opened last, or continues where the last run of them ended. */
  | (PlanTarget & {
      readonly kind: "start";
      readonly plan: ImportPlan;
      /** Undefined unless the run creates a namespace with vectors. */
      readonly distanceMetric: string | undefined;
      readonly goesOn: boolean;
    })
  /** What is under way is settled, and nothing more is sent. */
  | { readonly kind: "stop" };

/** A file as it was opened. */
export interface OpenedFileView {
  readonly name: string;
  readonly format: string;
  readonly sizeBytes: number;
}

/** A row that is not imported. */
export interface RejectedRowView {
  readonly file: string;
  readonly line: number;
  readonly error: string;
}

/** How far a run is. */
export interface ImportProgress {
  readonly counts: ImportCounts;
  /**
   * Bytes of the files, packed or not, up to the last settled row; earlier runs are counted apart.
   */
  readonly bytesDone: number;
  readonly bytesBefore: number;
  readonly bytesTotal: number;
  /** Of this run. */
  readonly seconds: number;
  /** Rows that were there before this run went on. */
  readonly rowsBefore: number;
}

/** What the page is told. */
export type ImportEvent =
  | {
      readonly kind: "opened";
      readonly turn: number;
      readonly files: readonly OpenedFileView[];
    }
  | {
      readonly kind: "planned";
      readonly turn: number;
      readonly draft: ImportDraft;
      readonly planned: PlannedImport;
      /** The namespace is there already; undefined: none was named. */
      readonly exists: boolean | undefined;
    }
  /** A command of that turn has failed. */
  | { readonly kind: "failed"; readonly turn: number; readonly message: string }
  | { readonly kind: "progress"; readonly progress: ImportProgress }
  /** The server asks for patience, or is gone. */
  | { readonly kind: "waiting"; readonly message: string; readonly waitMs: number }
  /** The first rejected rows, each time that one is added. */
  | { readonly kind: "rejected"; readonly first: readonly RejectedRowView[] }
  | {
      readonly kind: "ended";
      readonly namespace: string;
      readonly reason: "done" | "stopped" | "failed" | "too_many_rejected";
      /** Why it failed. */
      readonly message: string | undefined;
      readonly progress: ImportProgress;
      /** All rejected rows, as `trawl import --rejects` writes them; undefined: there are none. */
      readonly rejects: Blob | undefined;
    };
