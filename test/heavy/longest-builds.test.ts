/**
 * No step of building or merging a segment keeps its thread for more than 50 ms of processor time,
 * whatever the documents are. A file of its own: the memory of so many segments slows other steps.
 */

import { describe, test } from "vitest";
import { stepCheck } from "../support/steps/check-steps.ts";
import { WORST_SEGMENTS, withoutFirstStep } from "../support/steps/worst-segments.ts";

const check = stepCheck();

describe("a segment is built and merged in short steps, with", () => {
  test.each(Object.entries(WORST_SEGMENTS))("%s", (name, make) => {
    const work = make();
    try {
      check(`segment with ${name}`, withoutFirstStep(work.build));
      check(`merge of segments with ${name}`, withoutFirstStep(work.merge));
    } finally {
      work.close();
    }
  });
});
