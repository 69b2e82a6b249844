import { expect, test } from "vitest";
import { oneStep } from "../base/steps.ts";
import type { CommitJob } from "./commit-job.ts";
import { JobQueue } from "./job-queue.ts";
import { NamespaceRetired } from "./opened/namespace-options.ts";

function job(bytes: number): CommitJob<number> {
  const bind = () => oneStep(() => Promise.reject(new Error("never bound")) as never);
  return { bytes, alone: false, bind };
}

test("jobs come in their order, also those that are put back", async () => {
  const queue = new JobQueue();
  const results = [1, 2, 3].map((bytes) => queue.add(job(bytes), 0));
  const [first, second] = [queue.take(), queue.take()];
  queue.putBack([first, second].filter((taken) => taken !== undefined));
  expect(queue.isEmpty).toBe(false);
  for (let next = queue.take(); next !== undefined; next = queue.take())
    next.succeed(next.job.bytes);
  expect(await Promise.all(results)).toEqual([1, 2, 3]);
  expect(queue.isEmpty).toBe(true);
});

test("once it is closed, what waits, comes or is put back fails, what was taken not", async () => {
  const queue = new JobQueue();
  const [taken, back, waiting] = [1, 2, 3].map((bytes) => queue.add(job(bytes), 0));
  const [first, second] = [queue.take(), queue.take()];
  queue.close();
  const late = queue.add(job(4), 0);
  if (second !== undefined) queue.putBack([second]);
  first?.succeed(1);
  await expect(taken).resolves.toBe(1);
  for (const failed of [back, waiting, late]) {
    await expect(failed).rejects.toBeInstanceOf(NamespaceRetired);
  }
});

test("jobs that came up to a time are taken out of their order", () => {
  const queue = new JobQueue();
  for (const addedAtMs of [5, 9, 7]) void queue.add(job(addedAtMs), addedAtMs);
  expect(queue.takeAddedUntil(7).map(({ job: { bytes } }) => bytes)).toEqual([5, 7]);
  expect(queue.take()?.job.bytes).toBe(9);
  expect(queue.isEmpty).toBe(true);
});
