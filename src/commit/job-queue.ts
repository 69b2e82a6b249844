/** The jobs of one namespace that wait for their turn. */

import type { CommitJob } from "./commit-job.ts";
import { NamespaceRetired } from "./opened/namespace-options.ts";

/** A job that waits, with the promise of its caller. */
export interface QueuedJob {
  readonly job: CommitJob<unknown>;
  readonly succeed: (result: unknown) => void;
  readonly fail: (error: unknown) => void;
  /** When it came, by the monotonic clock. */
  readonly addedAtMs: number;
}

/** First in, first out. Once it is closed, jobs fail with `NamespaceRetired`. */
export class JobQueue {
  #jobs: QueuedJob[] = [];
  #isClosed = false;

  get isEmpty(): boolean {
    return this.#jobs.length === 0;
  }

  /** Adds a job that comes at `addedAtMs` to the end; resolves with its result. */
  add<T>(job: CommitJob<T>, addedAtMs: number): Promise<T> {
    if (this.#isClosed) return Promise.reject(new NamespaceRetired());
    return new Promise<T>((succeed, fail) => {
      this.#jobs.push({ job, succeed: succeed as (result: unknown) => void, fail, addedAtMs });
    });
  }

  /** Takes the first job; whoever does sees to its end, or puts it back. */
  take(): QueuedJob | undefined {
    return this.#jobs.shift();
  }

  /** Takes all jobs that came up to a time; the caller must settle them. */
  takeAddedUntil(timeMs: number): QueuedJob[] {
    const taken = this.#jobs.filter(({ addedAtMs }) => addedAtMs <= timeMs);
    this.#jobs = this.#jobs.filter(({ addedAtMs }) => addedAtMs > timeMs);
    return taken;
  }

  /** Puts jobs that were taken back to the head, in their order. */
  putBack(jobs: readonly QueuedJob[]): void {
    if (!this.#isClosed) this.#jobs.unshift(...jobs);
    else for (const { fail } of jobs) fail(new NamespaceRetired());
  }

  /** Fails what waits and what comes. */
  close(): void {
    this.#isClosed = true;
    for (const { fail } of this.#jobs.splice(0)) fail(new NamespaceRetired());
  }
}
