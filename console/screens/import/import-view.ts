/** What the screen shows of an import, from what it was told: a pure step for each event. */

import { countedText, countText, sizeText } from "../../../src/base/amount-text.ts";
import { durationText } from "../../../src/base/duration.ts";
import type { ImportDraft, PlannedImport } from "./import-draft.ts";
import type {
  ImportEvent,
  ImportProgress,
  OpenedFileView,
  PlanTarget,
  RejectedRowView,
} from "./import-messages.ts";

/** See the file's head. */
export interface ImportView {
  /** Answers to commands of earlier turns are passed over. */
  readonly turn: number;
  readonly phase: "empty" | "opening" | "planning" | "planned" | "running";
  readonly files: readonly OpenedFileView[];
  /** What is planned for, or what the files will be planned for once they are open. */
  readonly target: PlanTarget | undefined;
  readonly draft: ImportDraft | undefined;
  /** While the phase is `planning`: the plan before. */
  readonly planned: PlannedImport | undefined;
  /** The namespace is there already; undefined: none was named. */
  readonly exists: boolean | undefined;
  /** Why files cannot be read, or nothing can be planned. */
  readonly fault: string | undefined;
  readonly progress: ImportProgress | undefined;
  /** What is waited for. */
  readonly waiting: string | undefined;
  readonly rejected: readonly RejectedRowView[];
  readonly end: Extract<ImportEvent, { kind: "ended" }> | undefined;
}

/** Before a file was chosen. */
export const NOTHING_CHOSEN: ImportView = {
  turn: 0,
  phase: "empty",
  files: [],
  target: undefined,
  draft: undefined,
  planned: undefined,
  exists: undefined,
  fault: undefined,
  progress: undefined,
  waiting: undefined,
  rejected: [],
  end: undefined,
};

/** The view after an event. */
export function viewAfter(view: ImportView, event: ImportEvent): ImportView {
  if ("turn" in event && event.turn !== view.turn) return view;
  switch (event.kind) {
    case "opened":
      return { ...view, phase: "planning", files: event.files, fault: undefined };
    case "planned": {
      const { draft, planned, exists } = event;
      return { ...view, phase: "planned", draft, planned, exists, fault: undefined };
    }
    case "failed": {
      const phase = view.files.length === 0 ? "empty" : "planned";
      return { ...view, phase, planned: undefined, fault: event.message };
    }
    case "progress":
      return { ...view, progress: event.progress, waiting: undefined };
    case "waiting": {
      const waiting = `${event.message}; tried again in ${durationText(event.waitMs)}`;
      return { ...view, waiting };
    }
    case "rejected":
      return { ...view, rejected: event.first };
    case "ended":
      return {
        ...view,
        phase: "planned",
        progress: event.progress,
        waiting: undefined,
        end: event,
      };
  }
}

/** Share of the files whose rows are settled, from 0 to 1. */
export function doneShare({ bytesDone, bytesTotal }: ImportProgress): number {
  return bytesTotal === 0 ? 1 : Math.min(1, bytesDone / bytesTotal);
}

/**
 * How far an import is, how fast, and how long it will take, in words. While something is waited
 * for, the time of the last progress says nothing of the rate, and nobody knows for how long.
 */
export function progressText(progress: ImportProgress, waiting: string | undefined): string {
  const { counts, bytesDone, bytesBefore, bytesTotal, seconds, rowsBefore } = progress;
  const bytesLeft = bytesTotal - bytesDone;
  const rate = seconds > 0 ? (counts.rows - rowsBefore) / seconds : 0;
  const isGoing = waiting === undefined;
  const left =
    isGoing && bytesDone > bytesBefore && bytesLeft > 0
      ? (bytesLeft / (bytesDone - bytesBefore)) * seconds * 1000
      : undefined;
  return [
    countedText(counts.rows, "row"),
    ...(isGoing ? [`${countText(Math.round(rate))} rows/s`] : []),
    `${sizeText(Math.min(bytesDone, bytesTotal))} of ${sizeText(bytesTotal)}`,
    ...(counts.rejected > 0 ? [`${countText(counts.rejected)} rejected`] : []),
    ...(left === undefined ? [] : [`about ${durationText(left)} left`]),
  ].join(" · ");
}

/** How an import ended, in words. */
export function endText({ reason, message, progress }: NonNullable<ImportView["end"]>): string {
  const { rows, rejected } = progress.counts;
  const done = `${countedText(rows, "row")} imported${
    rejected > 0 ? `, ${countText(rejected)} rejected` : ""
  }`;
  switch (reason) {
    case "done":
      return `${done} in ${durationText(progress.seconds * 1000)}.`;
    case "stopped":
      return `Stopped: ${done}. It can go on from there.`;
    case "failed":
      return `Failed: ${message ?? "nobody said why"}. ${done} so far; it can go on from there.`;
    case "too_many_rejected":
      return `Ended: ${message ?? "too many rows were rejected"}. ${done}.`;
  }
}
