import { expect, test } from "vitest";
import { STEP_COPY_BYTES } from "../base/pieces.ts";
import { runSteps, type Steps } from "../base/steps.ts";
import { wholeBody } from "./whole-body.ts";

function bodyOf(...chunks: readonly string[]) {
  const rest = chunks.map((chunk) => new TextEncoder().encode(chunk));
  return { next: async () => rest.shift() };
}

test("the chunks of a body are joined in steps", async () => {
  let stepCount = 0;
  const count = <T>(steps: Steps<T>): Promise<T> => {
    const counted = (function* (): Steps<T> {
      for (;;) {
        const { done, value } = steps.next();
        if (done === true) return value;
        stepCount++;
        yield;
      }
    })();
    return Promise.resolve(runSteps(counted));
  };
  const chunks = ["a", "", "b", "c", "d"].map((letter) => letter.repeat(STEP_COPY_BYTES));
  const whole = await wholeBody(bodyOf(...chunks), { run: count });
  expect(Buffer.from(whole).toString()).toBe(chunks.join(""));
  expect(stepCount).toBe(4);
  expect(await wholeBody(bodyOf(), { run: count })).toHaveLength(0);
});
