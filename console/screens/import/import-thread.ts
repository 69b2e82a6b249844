/** The page's side of the worker that imports: the state that the screen shows, and its commands. */

import { type ReadonlySignal, signal } from "@preact/signals";
import type { ImportDraft } from "./import-draft.ts";
import type { ImportCommand, ImportEvent, PlanTarget } from "./import-messages.ts";
import { type ImportView, NOTHING_CHOSEN, viewAfter } from "./import-view.ts";

/** The part of a `Worker` that the import uses. */
export interface ImportWorker {
  postMessage(command: ImportCommand): void;
  terminate(): void;
}

/** The callbacks for messages and errors of a worker. */
export interface ImportListener {
  readonly onEvent: (event: ImportEvent) => void;
  /** Receives an uncaught error; an empty message means that the code could not be loaded. */
  readonly onError: (message: string) => void;
}

/** Starts a worker. */
export type StartImportWorker = (listener: ImportListener) => ImportWorker;

/** The options with which the user starts a run. */
export interface RunChoice {
  /** Distance metric of vectors; has an effect only if this run creates the namespace. */
  readonly distanceMetric: string;
  /** Continues where the last run ended. */
  readonly goesOn: boolean;
}

/**
 * One import at a time: files are opened, then planned, then sent. The worker starts with the first
 * command, so that no command comes before it.
 */
export class ImportThread {
  readonly #start: StartImportWorker;
  readonly #view = signal(NOTHING_CHOSEN);
  #worker: ImportWorker | undefined;

  constructor(start: StartImportWorker) {
    this.#start = start;
  }

  /** State of the import. */
  get view(): ReadonlySignal<ImportView> {
    return this.#view;
  }

  /** Opens files, and plans their import as soon as they are open. */
  open(files: readonly File[], target: PlanTarget): void {
    const { phase, turn } = this.#view.peek();
    if (phase === "running") return;
    this.#view.value = { ...NOTHING_CHOSEN, turn: turn + 1, phase: "opening", target };
    this.#send({ kind: "open", turn: turn + 1, files });
  }

  /** Plans for another namespace, or again for the same one; corrections are kept. */
  aim(target: PlanTarget): void {
    this.#plan({ target });
  }

  /** Plans again with the user's corrections. */
  correct(draft: ImportDraft): void {
    this.#plan({ draft });
  }

  /** Imports by the plan that is shown. Does nothing while there is none, or while it is changing. */
  start({ distanceMetric, goesOn }: RunChoice): void {
    const view = this.#view.peek();
    const { phase, target, exists } = view;
    const plan = view.planned?.plan;
    if (phase !== "planned" || target === undefined || plan === undefined) return;
    const forgotten = goesOn ? {} : { rejected: [], progress: undefined };
    this.#view.value = { ...view, phase: "running", end: undefined, ...forgotten };
    const metric = exists === false && plan.hasVectors ? distanceMetric : undefined;
    this.#send({ kind: "start", plan, ...target, distanceMetric: metric, goesOn });
  }

  /** Ends the run; requests that were sent are waited for. */
  stop(): void {
    this.#send({ kind: "stop" });
  }

  /** Ends the worker. */
  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #plan(changed: Pick<Partial<ImportView>, "target" | "draft">): void {
    const before = this.#view.peek();
    if (before.phase === "running") return;
    const view = { ...before, ...changed };
    this.#view.value = view;
    // While files are being opened there is nothing to plan; they are planned when they are open.
    if (view.files.length === 0 || view.target === undefined) return;
    const turn = view.turn + 1;
    this.#view.value = { ...view, turn, phase: "planning" };
    this.#send({ kind: "plan", turn, draft: view.draft, ...view.target });
  }

  #send(command: ImportCommand): void {
    this.#worker ??= this.#start({
      onEvent: (event) => this.#receive(event),
      onError: (message) => this.#fail(message),
    });
    this.#worker.postMessage(command);
  }

  #receive(event: ImportEvent): void {
    const before = this.#view.peek();
    const after = viewAfter(before, event);
    this.#view.value = after;
    if (event.kind === "opened" && after !== before) this.#plan({});
  }

  /** The next command starts another worker. */
  #fail(message: string): void {
    this.close();
    const fault =
      message === ""
        ? "import failed: its code could not be loaded; choose the files again, or reload the page"
        : `import failed: ${message}; this is a bug, choose the files again`;
    this.#view.value = { ...this.#view.peek(), phase: "empty", files: [], fault };
  }
}
