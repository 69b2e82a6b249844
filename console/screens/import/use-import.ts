/** The thread that imports, as a component has it: what it told, and how to tell it. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { ImportDraft } from "./import-draft.ts";
import type { ImportCommand, ImportEvent } from "./import-messages.ts";
import { type ImportView, NOTHING_CHOSEN, viewAfter } from "./import-view.ts";

/** What a screen may ask for. */
export interface ImportThread {
  readonly view: ImportView;
  readonly open: (files: readonly File[]) => void;
  /** An undefined draft is made anew. */
  readonly plan: (draft: ImportDraft | undefined, target: PlanTarget) => void;
  readonly start: (run: StartedRun) => void;
  readonly stop: () => void;
}

/** Where rows are to go. */
export interface PlanTarget {
  readonly namespace: string;
  readonly key: string | undefined;
}

/** What a run is told. */
export interface StartedRun extends PlanTarget {
  readonly distanceMetric: string;
  readonly goesOn: boolean;
}

/** See the file's head. The thread ends with the component. */
export function useImport(): ImportThread {
  const [view, setView] = useState(NOTHING_CHOSEN);
  const worker = useRef<Worker | undefined>(undefined);
  const turns = useRef(0);
  useEffect(() => {
    const started = new Worker(new URL("./import-worker.ts", import.meta.url), { type: "module" });
    started.onmessage = ({ data }: MessageEvent<ImportEvent>) =>
      setView((before) => viewAfter(before, data));
    started.onerror = (event) => {
      event.preventDefault();
      const message = `the import has failed by a bug: ${event.message || "its thread ended"}`;
      setView((before) => ({ ...before, phase: "empty", files: [], fault: message }));
    };
    worker.current = started;
    return () => started.terminate();
  }, []);
  const send = (command: ImportCommand, change: Partial<ImportView>) => {
    setView((before) => ({ ...before, ...change }));
    worker.current?.postMessage(command);
  };
  return {
    view,
    open: (files) => {
      const turn = ++turns.current;
      send({ kind: "open", turn, files }, { ...NOTHING_CHOSEN, turn, phase: "opening" });
    },
    plan: (draft, target) => {
      const turn = ++turns.current;
      send({ kind: "plan", turn, draft, ...target }, { turn, ...(draft && { draft }) });
    },
    start: (run) => {
      const forgotten = run.goesOn ? {} : { rejected: [], progress: undefined };
      send({ kind: "start", ...run }, { phase: "running", end: undefined, ...forgotten });
    },
    stop: () => send({ kind: "stop" }, {}),
  };
}
