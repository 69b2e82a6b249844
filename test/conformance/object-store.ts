/**
 * The promises of src/storage/object-store.ts as tests: one suite for every implementation. The
 * cases are those that `trawl certify` tries on a user's store.
 */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CERTIFICATION_CASES } from "../../src/storage/certify/certification.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";

/** A store under test and what ends it. */
export interface OpenedStore {
  readonly store: ObjectStore;
  close(): Promise<void>;
}

/** Words of the promise that is tried with bodies of 17 MiB and more. */
export const LARGE_BODIES = "large objects";
/** Words of the promise that is tried with 1,100 keys. */
export const MANY_KEYS = "more than a thousand keys";

/**
 * Runs the suite; `open` returns an empty store each time. Promises with words of `leftOut` are
 * not tried.
 */
export function describeObjectStore(
  name: string,
  open: () => Promise<OpenedStore>,
  leftOut: readonly string[] = [],
): void {
  describe(`${name} keeps the promises of an object store`, () => {
    let opened: OpenedStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    for (const { promise, run } of CERTIFICATION_CASES) {
      const isTried = !leftOut.some((words) => promise.includes(words));
      test.runIf(isTried)(promise, async () => {
        const tally = { unknownPuts: 0 };
        await run(opened.store, tally);
        // Without faults every outcome is known.
        expect(tally.unknownPuts).toBe(0);
      });
    }
  });
}
