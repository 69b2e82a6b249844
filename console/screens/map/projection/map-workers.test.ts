import { afterEach, expect, test, vi } from "vitest";
import { ProjectionWorker } from "./map-workers.ts";

/** A worker that does nothing but what a test lets it do. */
class SilentWorker extends EventTarget {
  static last: SilentWorker;

  constructor() {
    super();
    SilentWorker.last = this;
  }

  postMessage(): void {}

  fail(message: string): void {
    this.dispatchEvent(Object.assign(new Event("error"), { message }));
  }

  answer(order: number): void {
    const projected = { coordinates: new Float32Array(2), shares: [], axes: 2 };
    this.dispatchEvent(new MessageEvent("message", { data: { order, projected } }));
  }
}

afterEach(() => void vi.unstubAllGlobals());

test("a worker that could not be loaded before it was asked fails what it is asked", async () => {
  vi.stubGlobal("Worker", SilentWorker);
  const worker = new ProjectionWorker(4);
  SilentWorker.last.fail("");
  await expect(worker.project(2)).rejects.toThrow("the worker could not be loaded");
});

test("answers belong to their orders, and an error ends those that are waited for", async () => {
  vi.stubGlobal("Worker", SilentWorker);
  const worker = new ProjectionWorker(4);
  const [first, second] = [worker.project(2), worker.project(50)];
  SilentWorker.last.answer(1);
  expect(await first).toMatchObject({ axes: 2 });
  SilentWorker.last.fail("out of memory");
  await expect(second).rejects.toThrow("out of memory");
});
