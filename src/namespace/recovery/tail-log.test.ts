import { expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { sequenceNumber } from "../../base/ids.ts";
import { TailLog } from "./tail-log.ts";

test("what is counted is what a list holds", () => {
  const random = testRandom();
  const tail = new TailLog();
  let list: { sequence: number; bytes: number }[] = [];
  let sequence = 0;
  for (let step = 0; step < 3000; step++) {
    if (random.below(3) > 0) {
      sequence += 1 + random.below(2);
      const bytes = random.below(1000);
      tail.add(sequenceNumber(sequence), bytes);
      list.push({ sequence, bytes });
    } else {
      const covered = 1 + random.below(sequence + 3);
      tail.forget(sequenceNumber(covered));
      list = list.filter((entry) => entry.sequence > covered);
    }
    const bytes = list.reduce((sum, entry) => sum + entry.bytes, 0);
    expect([tail.count, tail.bytes]).toEqual([list.length, bytes]);
  }
});
