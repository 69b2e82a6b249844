import { expect, test } from "vitest";
import { oneStep, runSteps } from "../../base/steps.ts";
import { EMPTY_SCHEMA } from "../../model/schema.ts";
import type { NamespaceOptions, OpenedNamespace } from "../opened/namespace-options.ts";
import { BackgroundWork, EXPECTED_FOLD_MERGE_BYTES_MAX } from "./background-work.ts";
import type { IndexBuilder } from "./index-builder.ts";

/** What merges may write while a manifest has been expected for `waitingMs`. */
function mergeBytesMax(waitingMs: number | undefined, segmentCount: number): number | undefined {
  const asked: (number | undefined)[] = [];
  const documents = {
    memtable: { segments: Array(segmentCount) },
    compactStep: (_: unknown, bytesMax?: number) => oneStep(() => void asked.push(bytesMax)),
  };
  const options = { thresholds: { segmentsUnmergedMax: 10 } } as NamespaceOptions;
  const opened = { documents } as unknown as OpenedNamespace;
  const indexes = { step: () => oneStep(() => undefined) } as unknown as IndexBuilder;
  runSteps(new BackgroundWork(options, opened, { indexes, log: { waitingMs } }).step(EMPTY_SCHEMA));
  expect(asked).toHaveLength(1);
  return asked[0];
}

test("what indexers are about to take over is not merged into large segments for a while", () => {
  expect(mergeBytesMax(undefined, 10)).toBeUndefined();
  expect(mergeBytesMax(0, 10)).toBe(EXPECTED_FOLD_MERGE_BYTES_MAX);
  expect(mergeBytesMax(29_999, 10)).toBe(EXPECTED_FOLD_MERGE_BYTES_MAX);
  expect(mergeBytesMax(30_000, 10)).toBeUndefined();
  expect(mergeBytesMax(0, 11)).toBeUndefined();
});
