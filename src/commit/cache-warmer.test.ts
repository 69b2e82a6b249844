import { expect, test } from "vitest";
import { isDatabaseError } from "../base/errors.ts";
import { namespaceName } from "../base/ids.ts";
import type { SegmentReads } from "../cache/segment-reads.ts";
import { CacheWarmer, WARM_HINTS_MAX } from "./cache-warmer.ts";
import type { Namespace } from "./namespace.ts";

/** Reads that wait until they are let go. */
function heldReads() {
  const waiting: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const run = async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => waiting.push(resolve));
    running--;
  };
  const letGo = async () => {
    for (let go = waiting.shift(); go !== undefined; go = waiting.shift()) {
      go();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const reads = { run, missingOf: () => [] } as unknown as SegmentReads;
  return { reads, letGo, most: () => most, calls: waiting };
}

function namespace(name: string): Namespace {
  return { name: namespaceName(name), stored: [{ segment: {} }] } as unknown as Namespace;
}

test("hints are done one after the other, and once for each name that waits", async () => {
  const { reads, letGo, most, calls } = heldReads();
  const warmer = new CacheWarmer({ reads, log: () => {} });
  for (let i = 0; i < 50; i++) warmer.hint(namespace(`n${i % 3}`));
  expect(calls.length).toBe(1);
  await letGo();
  expect(most()).toBe(1);
  warmer.hint(namespace("n0"));
  expect(calls.length).toBe(1);
  await letGo();
});

test("hints beyond the limit are refused, and those that wait are not", async () => {
  const { reads, letGo } = heldReads();
  const warmer = new CacheWarmer({ reads, log: () => {} });
  for (let i = 0; i < WARM_HINTS_MAX; i++) warmer.hint(namespace(`n${i}`));
  warmer.hint(namespace("n7"));
  let error: unknown;
  try {
    warmer.hint(namespace("other"));
  } catch (thrown) {
    error = thrown;
  }
  expect(isDatabaseError(error, "overloaded")).toBe(true);
  await letGo();
  warmer.hint(namespace("other"));
  await letGo();
});
