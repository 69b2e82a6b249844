/** The page's side of the workers of a map. */

import type { Projected } from "./projection.ts";
import type { ProjectionAnswer, ProjectionOrder } from "./projection-worker.ts";
import type { UmapOrder, UmapReport } from "./umap-worker.ts";

/** A worker that keeps vectors and projects them; it has their memory until it is closed. */
export class ProjectionWorker {
  readonly #worker = new Worker(new URL("./projection-worker.ts", import.meta.url), {
    type: "module",
  });
  readonly #waiting = new Map<number, (projected: Projected) => void>();
  /** Rejects with the first error, also one from before anything is waited for. */
  readonly #failed: Promise<never>;
  #orders = 0;

  constructor(dims: number) {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<ProjectionAnswer>) => {
      this.#waiting.get(data.order)?.(data.projected);
      this.#waiting.delete(data.order);
    });
    this.#failed = new Promise((_, reject) => {
      this.#worker.addEventListener("error", (event) => {
        event.preventDefault();
        reject(workerError(event));
      });
    });
    this.#failed.catch(() => {});
    this.#tell({ kind: "open", dims });
  }

  /** Hands vectors over, one behind the other; they are gone from the page. */
  add(vectors: Float32Array<ArrayBuffer>): void {
    const order: ProjectionOrder = { kind: "add", vectors };
    this.#worker.postMessage(order, [vectors.buffer]);
  }

  /** Projects all vectors onto so many axes. */
  project(axes: number): Promise<Projected> {
    const order = ++this.#orders;
    const projected = new Promise<Projected>((resolve) => this.#waiting.set(order, resolve));
    this.#tell({ kind: "project", axes, order });
    return Promise.race([projected, this.#failed]);
  }

  /** Ends it; what it was asked is never answered. */
  close(): void {
    this.#worker.terminate();
  }

  #tell(order: ProjectionOrder): void {
    this.#worker.postMessage(order);
  }
}

/** Runs UMAP in a worker of its own, which ends with the run or the signal. */
export function umapInWorker(
  order: UmapOrder,
  options: {
    readonly signal: AbortSignal;
    readonly onReport: (report: UmapReport) => void;
  },
): Promise<Float32Array> {
  const { signal, onReport } = options;
  signal.throwIfAborted();
  const worker = new Worker(new URL("./umap-worker.ts", import.meta.url), { type: "module" });
  const result = new Promise<Float32Array>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    worker.addEventListener("message", ({ data }: MessageEvent<UmapReport>) => {
      onReport(data);
      if (data.kind === "done") resolve(data.positions);
      if (data.kind === "failed") reject(new Error(data.message));
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      reject(workerError(event));
    });
  });
  worker.postMessage(order);
  return result.finally(() => worker.terminate());
}

function workerError({ message }: ErrorEvent): Error {
  return new Error(message || "the worker could not be loaded; load the page again");
}
